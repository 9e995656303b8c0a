/** Results read whole: ranked for figures, and record by record for data packages. */
import { getOrganizationId, type Scope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import { BEST_FIRST, writePlace, writeRows, writePresent } from './shown-to-clients.ts';
import { findResultJson } from './store.ts';
import { computeAssessment, type Assessed, type Assessment } from './assessment.ts';
import type { RankedResult } from './ranked.ts';

interface ResultIndex {
  /** In the order of the ranking, best first. */
  readonly ids: readonly string[];
  /** Time of the newest release, or of the analysis that waits for it; null without results. */
  readonly releasedAt: Date | null;
}

/** Finds the current version of every sequence's result. */
export async function selectResultIndex(scope: Scope, sql: Sql, experimentId: string): Promise<ResultIndex> {
  const rows = await sql.query<{ ids: string[] | null; released_at: string | null }>(
    `select array_agg(r.id order by ${BEST_FIRST}) as ids,
       max(coalesce(r.released_at, r.created_at)) as released_at
     from results r where ${writePresent(scope)} and r.experiment_id = $2`,
    [getOrganizationId(scope), experimentId],
  );
  const row = getFirst(rows);
  const releasedAt = row?.released_at ?? null;
  return { ids: row?.ids ?? [], releasedAt: releasedAt === null ? null : new Date(releasedAt) };
}

interface ResultsDigest {
  readonly digest: string;
  readonly count: number;
  /** As in `ResultIndex`. */
  readonly releasedAt: Date | null;
}

/**
 * Digests the versions of the results that the scope sees; every change of a result changes its time. The others decide
 * nothing more: what a partial release leaves out tells of all that are not among these.
 */
export async function computeResultsDigest(
  scope: Scope,
  sql: Sql,
  experimentId: string,
): Promise<ResultsDigest> {
  const rows = await sql.query<{ digest: string | null; count: number; released_at: string | null }>(
    `select md5(string_agg(concat_ws(' ', r.id, r.version, r.status, r.place, r.updated_at at time zone 'UTC'), ','
         order by r.place nulls last, r.id)) as digest,
       count(*)::int as count, max(coalesce(r.released_at, r.created_at)) as released_at
     from results r where ${writePresent(scope)} and r.experiment_id = $2`,
    [getOrganizationId(scope), experimentId],
  );
  const row = getFirst(rows);
  const releasedAt = row?.released_at ?? null;
  return {
    digest: row?.digest ?? '',
    count: row?.count ?? 0,
    releasedAt: releasedAt === null ? null : new Date(releasedAt),
  };
}

/** Yields the records as the API shows them, in the order of `ids`; one short statement for each. */
export async function* streamResultRecords(
  scope: Scope,
  sql: Sql,
  { ids, apiUrl }: { readonly ids: readonly string[]; readonly apiUrl: string },
): AsyncGenerator<string> {
  for (const id of ids) {
    const json = await findResultJson(scope, sql, id, { apiUrl, summary: 'all' });
    if (json !== undefined) yield json;
  }
}

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
