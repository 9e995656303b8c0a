/** Price lists belong to the lab and are the same for all organizations, so no function takes a scope. */
import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/reply.ts';
import { getExactlyOne, getFirst, type Sql, type Transaction } from '#core/sql.ts';
import { insertInto, updateRows } from '#core/write-rows.ts';
import type { MaterialPrice, PriceList, PriceListContent } from './price-list.ts';

/** Of two lists that took effect at the same moment, the later version is in effect; `v10…` follows `v9…`. */
const NEWEST = 'effective_from desc, length(version) desc, version desc';
const IN_EFFECT = `status = 'published' and effective_from <= $1`;

export interface ListInEffect extends PriceList {
  readonly id: string;
  /** A price of the target that a list in effect names and the catalog has not taken yet; null: none. */
  readonly material: MaterialPrice | null;
}

/** Selects the price list in effect at an instant; `targetId` is the target whose price is asked for as well. */
export async function selectPriceListAt(
  sql: Sql,
  at: Date,
  targetId: string | null,
): Promise<ListInEffect | undefined> {
  const rows = await sql.query<ListInEffect>(
    `select id, version, prices, volume_discounts, (
       select m.value from price_lists p cross join jsonb_array_elements(p.materials) m
       where p.status = 'published' and p.effective_from <= $1 and p.applied_at is null
         and m.value ->> 'target_id' = $2::text
       order by p.effective_from desc, length(p.version) desc, p.version desc limit 1) as material
     from price_lists where ${IN_EFFECT} order by ${NEWEST} limit 1`,
    [at, targetId],
  );
  return getFirst(rows);
}

const item = `l.id, l.version, l.status,
  l.id is not distinct from (select id from price_lists where ${IN_EFFECT} order by ${NEWEST} limit 1) as in_effect,
  ${writeWireTime('l.effective_from')} as effective_from, l.note, l.prices, l.volume_discounts, l.materials,
  ${writeWireTime('l.created_at')} as created_at, ${writeWireTime('l.updated_at')} as updated_at,
  ${writeWireTime('l.published_at')} as published_at`;

export function listPriceListPage(sql: Sql, query: ListQuery, now: Date): Promise<RawJson> {
  return listPage(
    sql,
    { item, from: 'price_lists l', alias: 'l', where: '$1::timestamptz is not null', values: [now] },
    query,
  );
}

export async function findPriceListJson(sql: Sql, id: string, now: Date): Promise<string | undefined> {
  const rows = await sql.query<{ item: string }>(
    `select (select row_to_json(item)::text from (select ${item}) item) as item from price_lists l where l.id = $2`,
    [now, id],
  );
  return getFirst(rows)?.item;
}

export interface PriceListRow extends PriceListContent {
  readonly id: string;
  readonly version: string | null;
  readonly status: 'draft' | 'published';
}

const COLUMNS = 'id, version, status, effective_from, note, prices, volume_discounts, materials';

export async function findPriceList(sql: Sql, id: string): Promise<PriceListRow | undefined> {
  return getFirst(await sql.query<PriceListRow>(`select ${COLUMNS} from price_lists where id = $1`, [id]));
}

/** Reads a list and locks it until the transaction ends. */
export async function lockPriceList(tx: Transaction, id: string): Promise<PriceListRow | undefined> {
  return getFirst(
    await tx.query<PriceListRow>(`select ${COLUMNS} from price_lists where id = $1 for update`, [id]),
  );
}

const writeContent = (content: PriceListContent) => ({
  effective_from: content.effective_from,
  note: content.note,
  prices: JSON.stringify(content.prices),
  volume_discounts: JSON.stringify(content.volume_discounts),
  materials: JSON.stringify(content.materials),
});

export async function insertDraftList(
  tx: Transaction,
  id: string,
  content: PriceListContent,
  at: Date,
): Promise<void> {
  const row = { ...writeContent(content), id, status: 'draft', created_at: at, updated_at: at };
  await tx.query(...insertInto('price_lists', row));
}

export async function rewriteDraftList(
  tx: Transaction,
  id: string,
  content: PriceListContent,
  at: Date,
): Promise<void> {
  await tx.query(
    ...updateRows('price_lists', { ...writeContent(content), updated_at: at }, 'where id = $1', [id]),
  );
}

export async function deleteDraftList(tx: Transaction, id: string): Promise<void> {
  await tx.query(`delete from price_lists where id = $1 and status = 'draft'`, [id]);
}

/** Lets publications follow one another, so that no two get one number; reads go on. */
export async function lockPublications(tx: Transaction): Promise<void> {
  await tx.query('lock table price_lists in share row exclusive mode');
}

/**
 * Finds the version of a list that takes the moment of a draft: a list published with the same later moment, or, for a
 * draft that takes effect at once, any list published after the draft was last saved.
 */
export async function findOvertakingVersion(
  tx: Transaction,
  id: string,
  { effectiveFrom, at }: { readonly effectiveFrom: Date; readonly at: Date },
): Promise<string | undefined> {
  const rows = await tx.query<{ version: string }>(
    `select p.version from price_lists p join price_lists draft on draft.id = $1
     where p.status = 'published' and case when $2::timestamptz > $3 then p.effective_from = $2
       else p.published_at > draft.updated_at end
     order by p.published_at desc limit 1`,
    [id, effectiveFrom, at],
  );
  return getFirst(rows)?.version;
}

export async function takeListNumber(tx: Transaction): Promise<number> {
  const rows = await tx.query<{ last: number }>(
    `select coalesce(max(substring(version from '^v([0-9]{1,9})_')::bigint), 0) as last from price_lists`,
  );
  return getExactlyOne(rows).last + 1;
}

export async function markPublished(
  tx: Transaction,
  id: string,
  {
    version,
    effectiveFrom,
    at,
  }: { readonly version: string; readonly effectiveFrom: Date; readonly at: Date },
): Promise<void> {
  await tx.query(
    `update price_lists set status = 'published', version = $2, effective_from = $3, published_at = $4, updated_at = $4
     where id = $1 and status = 'draft'`,
    [id, version, effectiveFrom, at],
  );
}

export interface DueList {
  readonly id: string;
  readonly version: string;
  readonly materials: readonly MaterialPrice[];
}

/** Lists in effect whose prices the targets have not taken yet, in the order in which they took effect. */
export function selectDueLists(sql: Sql, at: Date): Promise<DueList[]> {
  return sql.query<DueList>(
    `select id, version, materials from price_lists where ${IN_EFFECT} and applied_at is null
     order by effective_from, length(version), version`,
    [at],
  );
}

export async function lockDueList(tx: Transaction, id: string): Promise<DueList | undefined> {
  const rows = await tx.query<DueList>(
    `select id, version, materials from price_lists where id = $1 and applied_at is null for update`,
    [id],
  );
  return getFirst(rows);
}

export async function markApplied(tx: Transaction, id: string, at: Date): Promise<void> {
  await tx.query('update price_lists set applied_at = $2 where id = $1', [id, at]);
}

export async function hasAnyPriceList(sql: Sql): Promise<boolean> {
  const rows = await sql.query<{ found: boolean }>('select exists (select from price_lists) as found');
  return getExactlyOne(rows).found;
}
