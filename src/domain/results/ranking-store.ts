import type { OrganizationScope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import type { RankedResult } from './ranked.ts';

/** Selects the newest released results of an experiment, best first, then those without a rank; at most `limit`. */
export async function selectRankedResults(
  scope: OrganizationScope,
  sql: Sql,
  experimentId: string,
  limit: number,
): Promise<{ results: RankedResult[]; total: number }> {
  const from = `from results r where r.organization_id = $1 and r.experiment_id = $2
     and r.released_at is not null and r.superseded_at is null`;
  const values = [scope.organizationId, experimentId];
  const counted = await sql.query<{ total: number }>(`select count(*)::int as total ${from}`, values);
  const results = await sql.query<RankedResult>(
    `select r.record ->> 'sequence_name' as sequence_name, (r.record ->> 'is_control')::boolean as is_control,
       r.outcome, (r.record ->> 'place')::int as place, r.record -> 'quantities' as quantities,
       coalesce(r.summary -> 0, '{}') as summary
     ${from} order by (r.record ->> 'place')::int nulls last, r.id limit $3`,
    [...values, limit],
  );
  return { results, total: getFirst(counted)?.total ?? 0 };
}
