/** Assay types belong to the lab and are the same for all organizations, so no function takes a scope. */
import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/reply.ts';
import { getFirst, type Sql, type Transaction } from '#core/sql.ts';
import { insertInto } from '#core/write-rows.ts';
import { describeTypes, type Offer, type OfferEntry } from './rules.ts';

/** `$1` holds what `describeTypes` says. */
const item = `a.experiment_type, coalesce($1::jsonb -> a.experiment_type ->> 'title', a.experiment_type) as title,
  coalesce(($1::jsonb -> a.experiment_type ->> 'requires_target')::boolean, false) as requires_target, a.methods,
  a.replicates_min as n_replicates_min, a.replicates_max as n_replicates_max, a.turnaround_workdays`;
const labItem = `${item}, a.offered, ${writeWireTime('a.updated_at')} as updated_at`;
const listDescriptions = (): string => JSON.stringify(describeTypes());

/** Lists what clients can order: assays that are offered and have a price. */
export function listOfferedPage(sql: Sql, priced: readonly string[], query: ListQuery): Promise<RawJson> {
  const where = 'a.offered and a.experiment_type = any($2) and $1::jsonb is not null';
  return listPage(
    sql,
    { item, from: 'assay_types a', alias: 'a', where, values: [listDescriptions(), priced] },
    query,
  );
}

export function listAssayTypePage(sql: Sql, query: ListQuery): Promise<RawJson> {
  const where = '$1::jsonb is not null';
  return listPage(
    sql,
    { item: labItem, from: 'assay_types a', alias: 'a', where, values: [listDescriptions()] },
    query,
  );
}

export async function findAssayTypeJson(sql: Sql, experimentType: string): Promise<string | undefined> {
  const rows = await sql.query<{ item: string }>(
    `select (select row_to_json(item)::text from (select ${labItem}) item) as item
     from assay_types a where a.experiment_type = $2`,
    [listDescriptions(), experimentType],
  );
  return getFirst(rows)?.item;
}

/** Finds what is offered of an assay; undefined when it is not offered. */
export async function findOffer(sql: Sql, experimentType: string): Promise<Offer | undefined> {
  const rows = await sql.query<Offer>(
    'select methods, replicates_min, replicates_max from assay_types where experiment_type = $1 and offered',
    [experimentType],
  );
  return getFirst(rows);
}

const ENTRY = 'experiment_type, offered, methods, replicates_min, replicates_max, turnaround_workdays';

export function selectOffered(sql: Sql): Promise<OfferEntry[]> {
  return sql.query<OfferEntry>(`select ${ENTRY} from assay_types where offered order by experiment_type`);
}

/** Reads an assay type and locks it until the transaction ends. */
export async function lockAssayType(
  tx: Transaction,
  experimentType: string,
): Promise<OfferEntry | undefined> {
  return getFirst(
    await tx.query<OfferEntry>(`select ${ENTRY} from assay_types where experiment_type = $1 for update`, [
      experimentType,
    ]),
  );
}

/** Adds an assay type that the table lacks; one that is there is not changed. */
export async function insertAssayType(sql: Sql, entry: OfferEntry, at: Date): Promise<void> {
  await sql.query(
    ...insertInto('assay_types', { ...entry, updated_at: at }, 'on conflict (experiment_type) do nothing'),
  );
}

export async function rewriteAssayType(tx: Transaction, entry: OfferEntry, at: Date): Promise<void> {
  await tx.query(
    `update assay_types set offered = $2, methods = $3, replicates_min = $4, replicates_max = $5,
       turnaround_workdays = $6, updated_at = $7 where experiment_type = $1`,
    [
      entry.experiment_type,
      entry.offered,
      entry.methods,
      entry.replicates_min,
      entry.replicates_max,
      entry.turnaround_workdays,
      at,
    ],
  );
}
