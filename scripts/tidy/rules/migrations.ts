/** Migrations are numbered without gaps, and every table says which organization a row belongs to. */
import type { Finding, Rule, Tree } from '../tree.ts';

const FOLDER = 'migrations/';
const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;

/** Tables whose rows belong to nobody in particular. */
export const GLOBAL_TABLES: readonly string[] = [
  'organizations',
  'users',
  'accounts',
  'passkeys',
  'verifications',
  'rate_limits',
  'attempts',
  'person_links',
  'sessions',
  'mails',
  'oauth_clients',
  'oauth_resources',
  'oauth_client_resources',
  'oauth_refresh_tokens',
  'oauth_access_tokens',
  'oauth_consents',
  'oauth_client_assertions',
  'oauth_keys',
  'signing_keys',
  'targets',
  'assay_types',
  'price_lists',
  'invoice_counters',
  'tax_rates',
  'simulated_lab',
  'lab_runs',
  'update_head',
  'notice_head',
  'lab_run_files',
  'lab_run_file_versions',
  'lab_run_mappings',
  'raw_file_directory',
  'lab_calendar',
];
/** Tables with rows of an organization and rows of the service itself. */
const SHARED_TABLES = new Set(['jobs', 'device_logins', 'notification_settings']);

export interface Table {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly owner: 'required' | 'optional' | 'none';
}

export const migrationRules: Rule = {
  names: ['migration-numbers', 'table-owner'],
  check: (tree) => [...checkNumbering(tree), ...checkOwners(tree)],
};

function listMigrationFiles(tree: Tree): string[] {
  return [...tree.files.keys()].filter((path) => path.startsWith(FOLDER)).sort();
}

function checkNumbering(tree: Tree): Finding[] {
  return listMigrationFiles(tree).flatMap((file, index) => {
    const number = FILE_NAME.exec(file.slice(FOLDER.length))?.[1];
    const expected = String(index + 1).padStart(4, '0');
    if (number === expected) return [];
    const message =
      number === undefined ? 'a migration is called NNNN_name.sql' : `number ${expected} is expected here`;
    return [{ rule: 'migration-numbers', file, line: 1, message }];
  });
}

/** Every table that the migrations leave behind. */
export function readTables(tree: Tree): Table[] {
  const tables = new Map<string, Table>();
  for (const file of listMigrationFiles(tree)) {
    const sql = (tree.files.get(file) ?? '').replaceAll(/--.*/g, '');
    const statements = /\b(create|alter|drop)\s+table\s+(?:if\s+(?:not\s+)?exists\s+)?([a-z_]+)([^;]*)/gi;
    for (const { index, 1: verb = '', 2: name = '', 3: body = '' } of sql.matchAll(statements)) {
      const owner = findOwner(body);
      const known = tables.get(name);
      if (verb === 'drop') tables.delete(name);
      else if (verb === 'create') tables.set(name, { name, file, line: getLine(sql, index), owner });
      else if (known !== undefined && owner !== 'none') tables.set(name, { ...known, owner });
    }
  }
  return [...tables.values()];
}

function getLine(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

function findOwner(body: string): Table['owner'] {
  const column = /(?:^|[(,])\s*(?:add\s+(?:column\s+)?)?organization_id\s+uuid\b([^,]*)/i.exec(body)?.[1];
  if (column === undefined) return 'none';
  return /not null|primary key/i.test(column) ? 'required' : 'optional';
}

function checkOwners(tree: Tree): Finding[] {
  const tables = readTables(tree);
  const findings = tables.flatMap((table) => {
    const message = findOwnerProblem(table);
    return message === undefined
      ? []
      : [{ rule: 'table-owner', file: table.file, line: table.line, message }];
  });
  const names = new Set(tables.map((table) => table.name));
  const stale = GLOBAL_TABLES.filter((name) => tables.length > 0 && !names.has(name));
  const file = listMigrationFiles(tree).at(-1) ?? FOLDER;
  return [
    ...findings,
    ...stale.map((name) => ({
      rule: 'table-owner',
      file,
      line: 1,
      message: `the global table ${name} does not exist`,
    })),
  ];
}

function findOwnerProblem({ name, owner }: Table): string | undefined {
  const isGlobal = GLOBAL_TABLES.includes(name);
  if (isGlobal)
    return owner === 'none' ? undefined : `${name} is listed as global and has an organization_id`;
  if (owner === 'none')
    return `${name} has no organization_id: add it, or list the table in GLOBAL_TABLES of scripts/tidy/rules/migrations.ts`;
  const mayBeNull = SHARED_TABLES.has(name);
  return owner === 'optional' && !mayBeNull ? `organization_id of ${name} must be not null` : undefined;
}
