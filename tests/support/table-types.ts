/** Writes the types of `src/core/tables.ts` from the tables that the migrations make. */
import type { Sql } from '#core/sql.ts';

interface Column {
  readonly table_name: string;
  readonly column_name: string;
  readonly type: string;
  readonly is_nullable: boolean;
  readonly has_default: boolean;
}

/** What a statement takes for a column; JSON is given as its text. */
const TYPES: Readonly<Record<string, string>> = {
  uuid: 'string',
  text: 'string',
  date: 'string',
  jsonb: 'string',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  float8: 'number',
  numeric: 'number | string',
  bool: 'boolean',
  timestamptz: 'Date | string',
  bytea: 'Uint8Array',
  _text: 'readonly string[]',
  _uuid: 'readonly string[]',
  _int4: 'readonly number[]',
  _float8: 'readonly number[]',
  _numeric: 'readonly number[]',
};

const HEAD = `// tidy-allow file-length: one line for every column of the database
/** The columns and types of a new row of each table. \`npm run tables\` writes this file from the migrations. */
export interface Tables {
`;

export async function writeTableTypes(sql: Sql): Promise<string> {
  const columns = await sql.query<Column>(
    `select table_name, column_name, udt_name as type, is_nullable = 'YES' as is_nullable,
       column_default is not null or is_identity = 'YES' as has_default
     from information_schema.columns
     where table_schema = 'public' and is_generated = 'NEVER' and table_name not like 'schema_migration%'
     order by table_name, ordinal_position`,
  );
  const tables = Map.groupBy(columns, ({ table_name: table }) => table);
  return `${HEAD}${[...tables].map(([name, own]) => describeTable(name, own)).join('')}}\n`;
}

function describeTable(name: string, columns: readonly Column[]): string {
  return `  readonly ${name}: {\n${columns.map(describeColumn).join('')}  };\n`;
}

function describeColumn({ column_name: name, type, is_nullable, has_default }: Column): string {
  const code = TYPES[type];
  if (code === undefined) throw new Error(`TYPES has no type for a column of ${type} (${name}).`);
  const mayBeLeftOut = is_nullable || has_default;
  return `    readonly ${name}${mayBeLeftOut ? '?' : ''}: ${code}${is_nullable ? ' | null' : ''};\n`;
}
