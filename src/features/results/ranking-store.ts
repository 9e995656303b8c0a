import { getOrganizationId, type Scope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import { computeAssessment, type Assessed, type Assessment } from './assessment.ts';
import type { RankedResult } from './ranked.ts';
import { BEST_FIRST, writePlace, writeRows } from './shown-to-clients.ts';
import { writePresent } from './visible.ts';

interface RankedRow extends Assessed, Omit<RankedResult, 'outcome' | 'quantities'> {
  readonly assessment: Assessment | null;
}

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
  const rows = await sql.query<RankedRow>(
    `select r.record ->> 'sequence_name' as sequence_name, (r.record ->> 'is_control')::boolean as is_control,
       r.outcome, ${writePlace(scope)} as place, r.record -> 'assessment' as assessment, coalesce(r.record -> 'qc', '{"flags": []}') as qc,
       r.experiment_type, (r.record ->> 'n_replicates')::int as n_replicates,
       (r.record ->> 'n_replicates_passed')::int as n_replicates_passed,
       coalesce((r.record ->> 'n_replicates_ordered')::int,
         (select e.n_replicates from experiments e where e.id = r.experiment_id)) as n_replicates_ordered, coalesce(r.record -> 'quantities', '{}') as quantities,
       coalesce(${writeRows(scope)} -> 0, '{}') as summary
     ${from} order by ${BEST_FIRST} limit $3`,
    [...values, limit],
  );
  const results = rows.map((row): RankedResult => {
    const { assessment, sequence_name, is_control, outcome, place, quantities, summary } = row;
    const { grade } = assessment ?? computeAssessment({ ...row, row: summary });
    return { sequence_name, is_control, grade, outcome, place, quantities, summary };
  });
  return { results, total: getFirst(counted)?.total ?? 0 };
}
