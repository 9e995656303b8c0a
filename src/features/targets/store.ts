import { escapeSubstring, type ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import { writeColumns } from '#core/record.ts';
import type { RawJson } from '#core/reply.ts';
import { getOrganizationId, type OrganizationScope, type Scope } from '#core/scope.ts';
import { getFirst, type Sql, type Transaction } from '#core/sql.ts';
import { insertInto, insertOwned, updateRows } from '#core/write-rows.ts';
import type { TargetPricing } from './contract.ts';
import { buildColumns, type EntryRow, type TargetEntry } from './entry.ts';
import { leanFields, proteinFields, staffFields, targetRecord } from './record.ts';

export interface TargetRow {
  readonly id: string;
  readonly name: string;
  readonly sequence: string | null;
  readonly pricing: TargetPricing | null;
  /** Dimers and Fc fusions bind with more than one site. */
  readonly is_multivalent: boolean;
  /** Known KD of the lab's positive control for the target, in M. */
  readonly control_kd_m: number | null;
}

/** Targets for everyone and those made for one organization; the lab sees all. */
const KNOWN = '(t.owner_organization_id is null or $1::uuid is null or t.owner_organization_id = $1)';
/** Those of them that can be ordered: a retired target cannot. */
const VISIBLE = `t.listed and ${KNOWN}`;

/** Finds a target that can be ordered. */
export function findTarget(scope: Scope, sql: Sql, id: string): Promise<TargetRow | undefined> {
  return findTargetWhere(VISIBLE, scope, sql, id);
}

/** Finds the target of an experiment, which keeps it when it is retired. */
export function findKeptTarget(scope: Scope, sql: Sql, id: string): Promise<TargetRow | undefined> {
  return findTargetWhere(KNOWN, scope, sql, id);
}

async function findTargetWhere(
  condition: string,
  scope: Scope,
  sql: Sql,
  id: string,
): Promise<TargetRow | undefined> {
  const rows = await sql.query<TargetRow>(
    `select t.id, t.name, t.details ->> 'sequence' as sequence, t.pricing, t.control_kd_m,
       coalesce((t.details ->> 'is_fc_fusion')::boolean, false)
         or coalesce(t.details ->> 'oligomeric_state', 'monomer') not ilike 'mono%' as is_multivalent
     from targets t where ${condition} and t.id = $2`,
    [getOrganizationId(scope), id],
  );
  return getFirst(rows);
}

export interface NamedTarget {
  readonly id: string;
  readonly name: string;
  readonly vendor_name: string;
  readonly catalog_number: string;
}

/** The targets with exactly this name, in any case. */
export function selectTargetsByName(
  scope: Scope,
  sql: Sql,
  name: string,
  limit: number,
): Promise<NamedTarget[]> {
  return sql.query<NamedTarget>(
    `select t.id, t.name, t.vendor_name, t.catalog_number from targets t
     where ${VISIBLE} and lower(t.name) = lower($2) order by t.vendor_name, t.catalog_number limit $3`,
    [getOrganizationId(scope), name, limit],
  );
}

/** Compared with a name that nobody has. */
const NAMES_MAX = 2_000;

/** The names of targets that the search finds by a word; of any target without one. */
export async function selectTargetNames(
  scope: Scope,
  sql: Sql,
  word: string | null,
  limit = NAMES_MAX,
): Promise<string[]> {
  const rows = await sql.query<{ name: string }>(
    `select t.name from targets t where ${VISIBLE} and ($2::text is null or t.search_text ilike $2)
     group by t.name order by length(t.name), t.name limit $3`,
    [getOrganizationId(scope), word === null ? null : escapeSubstring(word), limit],
  );
  return rows.map(({ name }) => name);
}

/** A retired target is still found, because experiments that have it refer to its page. */
export async function findTargetJson(
  scope: Scope,
  sql: Sql,
  id: string,
  baseUrl: string,
): Promise<string | undefined> {
  const rows = await sql.query<{ item: string }>(
    `select (select row_to_json(item)::text from (select ${listItemColumns(3)}, ${writeDetails(3)}) item) as item
     from targets t where ${KNOWN} and t.id = $2`,
    [getOrganizationId(scope), id, baseUrl],
  );
  return getFirst(rows)?.item;
}

function listItemColumns(baseUrlParameter: number): string {
  return `t.id, ${writeColumns(leanFields, 't')}, $${baseUrlParameter}::text || '/targets/' || t.id as url,
    ${writeColumns(proteinFields, 't')}, t.pricing is not null as selfservice, t.pricing, not t.listed as retired`;
}

/** The details with the accession and with the product as an object, where older clients read them. */
function writeDetails(baseUrlParameter: number): string {
  return `t.details || jsonb_build_object('uniprot_id', t.uniprot_id, 'products', jsonb_build_array(jsonb_build_object(
    'vendor', t.vendor_name, 'catalog_number', t.catalog_number, 'tags', coalesce(t.details -> 'tags', '[]'),
    'expression_system', t.details -> 'expression_system',
    'url', $${baseUrlParameter}::text || '/targets/' || t.id))) as details`;
}

export function listTargetPage(
  scope: OrganizationScope,
  sql: Sql,
  query: ListQuery,
  options: { baseUrl: string; selfServiceOnly: boolean; showConjugated: boolean; detailed: boolean },
): Promise<RawJson> {
  const conditions = [VISIBLE, '$2::text is not null'];
  if (options.selfServiceOnly) conditions.push('t.pricing is not null');
  if (!options.showConjugated) conditions.push('not t.conjugated');
  return listPage(
    sql,
    {
      item: `${listItemColumns(2)}${options.detailed ? `, ${writeDetails(2)}` : ''}`,
      from: 'targets t',
      alias: 't',
      where: conditions.join(' and '),
      values: [scope.organizationId, options.baseUrl],
    },
    query,
  );
}

export interface NewTarget {
  readonly id: string;
  /** Null for a target for everyone. */
  readonly owner_organization_id: string | null;
  readonly created_at: Date;
  readonly entry: TargetEntry;
}

/** Whether the catalog has an entry of every id. */
export async function hasTargets(sql: Sql, ids: readonly string[]): Promise<boolean> {
  const rows = await sql.query('select id from targets where id = any($1)', [ids]);
  return rows.length === new Set(ids).size;
}

/** Adds a target to the catalog. Returns false when the entry exists already; it is not changed. */
export async function insertTarget(sql: Sql, { entry, ...target }: NewTarget): Promise<boolean> {
  const rows = await sql.query(
    ...insertInto(
      'targets',
      {
        ...target,
        ...buildColumns(entry),
        updated_at: target.created_at,
      },
      'on conflict do nothing returning id',
    ),
  );
  return rows.length > 0;
}

/** Writes every field of a target but its owner. The caller holds its row. */
export async function rewriteTarget(sql: Sql, target: NewTarget, at: Date): Promise<void> {
  await sql.query(
    ...updateRows('targets', { ...buildColumns(target.entry), updated_at: at }, 'where id = $1', [target.id]),
  );
}

interface PricedRow {
  readonly id: string;
  readonly name: string;
  readonly pricing: TargetPricing | null;
}

/** The current prices of targets of any owner; the caller is the lab. */
export function selectTargetPrices(sql: Sql, ids: readonly string[]): Promise<PricedRow[]> {
  return sql.query<PricedRow>('select id, name, pricing from targets where id = any($1::uuid[])', [ids]);
}

/** Gives targets of any owner new prices. Returns the number of targets that are there. */
export async function setTargetPrices(
  tx: Transaction,
  prices: readonly { readonly target_id: string; readonly pricing: TargetPricing | null }[],
  at: Date,
): Promise<number> {
  const rows = await tx.query(
    `update targets t set updated_at = $2, pricing = nullif(m.value -> 'pricing', 'null')
     from jsonb_array_elements($1::jsonb) m where t.id = (m.value ->> 'target_id')::uuid returning t.id`,
    [JSON.stringify(prices), at],
  );
  return rows.length;
}

/** Whether another target of the same owner has the catalog number. The caller locks the catalog. */
export async function isCatalogNumberTaken(
  sql: Sql,
  { id, entry, owner_organization_id: ownerOrganizationId }: NewTarget,
): Promise<boolean> {
  const rows = await sql.query(
    `select id from targets
     where catalog_number = $1 and owner_organization_id is not distinct from $2::uuid and id <> $3`,
    [entry.catalog_number, ownerOrganizationId, id],
  );
  return rows.length > 0;
}

interface NewTargetRequest {
  readonly id: string;
  readonly experiment_id: string | null;
  readonly name: string;
  readonly product_id: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly created_at: Date;
}

/** Returns false when the organization has requested the product before; then nothing is stored. */
export async function insertTargetRequest(
  scope: OrganizationScope,
  sql: Sql,
  request: NewTargetRequest,
): Promise<boolean> {
  const rows = await sql.query(
    ...insertOwned(
      scope,
      'target_requests',
      {
        ...request,
        // The request of an experiment is about the experiment; it may repeat a product.
        product_key: request.experiment_id === null ? request.product_id.trim() : null,
        request: JSON.stringify(request.request),
        status: 'pending_review',
        updated_at: request.created_at,
      },
      'on conflict (organization_id, product_key) do nothing returning id',
    ),
  );
  return rows.length > 0;
}

/** The catalog as the lab sees and edits it: targets of every owner, retired or not, so no function takes a scope. */

const FIRST = 1;
const labItem = `${listItemColumns(FIRST)}, ${writeDetails(FIRST)}, t.owner_organization_id as organization_id,
  ${writeColumns(staffFields, 't')}, ${writeWireTime('t.created_at')} as created_at,
  ${writeWireTime('coalesce(t.updated_at, t.created_at)')} as updated_at`;

export function listLabTargetPage(sql: Sql, query: ListQuery, baseUrl: string): Promise<RawJson> {
  return listPage(
    sql,
    { item: labItem, from: 'targets t', alias: 't', where: '$1::text is not null', values: [baseUrl] },
    query,
  );
}

export async function findLabTargetJson(sql: Sql, id: string, baseUrl: string): Promise<string | undefined> {
  const rows = await sql.query<{ item: string }>(
    `select (select row_to_json(item)::text from (select ${labItem}) item) as item from targets t where t.id = $2`,
    [baseUrl, id],
  );
  return getFirst(rows)?.item;
}

const ENTRY = `select id, owner_organization_id, ${Object.keys(targetRecord.selectColumns(targetRecord.empty)).join(', ')},
  details, pricing, not listed as retired, created_at from targets`;

/** Reads a target and locks it until the transaction ends. */
export async function lockEntry(tx: Transaction, id: string): Promise<EntryRow | undefined> {
  const rows = await tx.query<EntryRow>(`${ENTRY} where id = $1 for update`, [id]);
  return getFirst(rows);
}

/** Selects the targets for everyone by catalog number. */
export function selectEntries(sql: Sql): Promise<EntryRow[]> {
  return sql.query<EntryRow>(`${ENTRY} where owner_organization_id is null order by catalog_number`);
}

interface NumberedTarget {
  readonly id: string;
  readonly catalog_number: string;
  readonly is_for_everyone: boolean;
}

/** Selects every target with its catalog number, retired ones too. */
export function selectNumbers(sql: Sql): Promise<NumberedTarget[]> {
  return sql.query<NumberedTarget>(
    'select id, catalog_number, owner_organization_id is null as is_for_everyone from targets order by id',
  );
}

/** Keeps two imports from writing the same catalog at once; reads go on. */
export async function lockCatalog(tx: Transaction): Promise<void> {
  await tx.query('lock table targets in share row exclusive mode');
}
