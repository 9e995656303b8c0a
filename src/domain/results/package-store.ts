/** Reads every released result of an experiment, in batches. */
import type { OrganizationScope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import { findResultJson } from './store.ts';

export interface ReleasedIndex {
  /** In the order of the ranking, best first. */
  readonly ids: readonly string[];
  /** Time of the newest release; null when nothing is released. */
  readonly releasedAt: Date | null;
}

/** Finds the newest released version of every sequence's result. */
export async function selectReleasedIndex(
  scope: OrganizationScope,
  sql: Sql,
  experimentId: string,
): Promise<ReleasedIndex> {
  const rows = await sql.query<{ ids: string[] | null; released_at: string | null }>(
    `select array_agg(r.id order by (r.record ->> 'place')::int nulls last, r.id) as ids,
       max(r.released_at) as released_at
     from results r where r.organization_id = $1 and r.experiment_id = $2 and r.released_at is not null
       and not exists (select 1 from results n where n.experiment_id = r.experiment_id
         and n.sequence_id = r.sequence_id and n.released_at is not null and n.version > r.version)`,
    [scope.organizationId, experimentId],
  );
  const row = getFirst(rows);
  const releasedAt = row?.released_at ?? null;
  return { ids: row?.ids ?? [], releasedAt: releasedAt === null ? null : new Date(releasedAt) };
}

/** Yields the records as the API shows them, in the order of `ids`; one short statement for each. */
export async function* streamReleasedRecords(
  scope: OrganizationScope,
  sql: Sql,
  { ids, apiUrl }: { readonly ids: readonly string[]; readonly apiUrl: string },
): AsyncGenerator<string> {
  for (const id of ids) {
    const json = await findResultJson(scope, sql, id, { apiUrl, summary: 'all' });
    if (json !== undefined) yield json;
  }
}
