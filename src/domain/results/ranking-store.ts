import { getOrganizationId, type Scope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import type { RankedResult } from './ranked.ts';
import { BEST_FIRST, writePlace, writeRows } from './shown-to-clients.ts';
import { writePresent } from './visible.ts';

/** Selects the current results of an experiment, best first, then those without a rank; at most `limit`. */
export async function selectRankedResults(
  scope: Scope,
  sql: Sql,
  experimentId: string,
  limit: number,
): Promise<{ results: RankedResult[]; total: number }> {
  const from = `from results r where ${writePresent(scope)} and r.experiment_id = $2`;
  const values = [getOrganizationId(scope), experimentId];
  const counted = await sql.query<{ total: number }>(`select count(*)::int as total ${from}`, values);
  const results = await sql.query<RankedResult>(
    `select r.record ->> 'sequence_name' as sequence_name, (r.record ->> 'is_control')::boolean as is_control,
       r.outcome, ${writePlace(scope)} as place, r.record -> 'quantities' as quantities,
       coalesce(${writeRows(scope)} -> 0, '{}') as summary
     ${from} order by ${BEST_FIRST} limit $3`,
    [...values, limit],
  );
  return { results, total: getFirst(counted)?.total ?? 0 };
}
