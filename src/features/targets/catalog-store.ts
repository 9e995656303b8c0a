/** The catalog as the lab sees and edits it: targets of every owner, retired or not, so no function takes a scope. */
import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import { getFirst, type Sql, type Transaction } from '#core/sql.ts';
import type { EntryRow } from './entry.ts';
import { listItemColumns, writeDetails } from './store.ts';

const FIRST = 1;
const labItem = `${listItemColumns(FIRST)}, ${writeDetails(FIRST)}, t.owner_organization_id as organization_id,
  t.lot, t.stock_ug, t.control_kd_m, ${writeWireTime('t.created_at')} as created_at,
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

const ENTRY = `select id, owner_organization_id, catalog_number, name, vendor_name, uniprot_id, gene_names, organism,
  family, conjugated, details, pricing, control_kd_m, lot, stock_ug, not listed as retired, created_at from targets`;

/** Reads a target and locks it until the transaction ends. */
export async function lockEntry(
  tx: Transaction,
  id: string,
): Promise<(EntryRow & { readonly created_at: string }) | undefined> {
  const rows = await tx.query<EntryRow & { created_at: string }>(`${ENTRY} where id = $1 for update`, [id]);
  return getFirst(rows);
}

/** Selects the targets for everyone by catalog number. */
export function selectEntries(sql: Sql): Promise<EntryRow[]> {
  return sql.query<EntryRow>(`${ENTRY} where owner_organization_id is null order by catalog_number`);
}

export interface NumberedTarget {
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
