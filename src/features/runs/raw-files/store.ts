import { getFirst, type Sql } from '#core/sql.ts';
import { insertInto } from '#core/write-rows.ts';
import { getOrganizationId, type OrganizationScope, type Scope } from '#core/scope.ts';

export interface RunRow {
  readonly id: string;
  readonly ordinal: number;
  readonly instrument: string;
  readonly status: 'running' | 'complete' | 'analyzed';
  readonly by_hand: boolean;
  readonly override_reason: string | null;
  /** The planned run by which it started; null for a run of this experiment alone. */
  readonly lab_run_id: string | null;
  /** Why the analysis of the run's files stopped; null when it did not. */
  readonly problem: string | null;
  /** When it stopped; null where it did not, or where an earlier version of the service stopped it. */
  readonly stopped_at: string | null;
  readonly started_at: string;
  readonly completed_at: string | null;
  /** Its files are analyzed together with those of the runs before it. */
  readonly adds_to_earlier: boolean;
}

export async function selectLatestRun(
  scope: Scope,
  sql: Sql,
  experimentId: string,
): Promise<RunRow | undefined> {
  const rows = await sql.query<RunRow>(
    `select id, ordinal, instrument, status, by_hand, override_reason, lab_run_id, problem, stopped_at, started_at, completed_at,
       adds_to_earlier from runs
     where ($1::uuid is null or organization_id = $1) and experiment_id = $2 order by ordinal desc limit 1`,
    [getOrganizationId(scope), experimentId],
  );
  return getFirst(rows);
}

export interface NewRun {
  readonly id: string;
  readonly experimentId: string;
  readonly ordinal: number;
  readonly instrument: string;
  readonly startedAt: Date;
  /** True for a run that people record. The simulated lab takes no step with it. */
  readonly byHand: boolean;
  readonly overrideReason: string | null;
  /** True for a run that repeats some replicates of the runs before it. */
  readonly addsToEarlier?: boolean;
  /** The planned run by which it started; null for a run of this experiment alone. */
  readonly labRunId?: string | null;
  /** The person at the instrument; null where nobody was named. */
  readonly operator?: string | null;
}

export async function insertRun(scope: OrganizationScope, sql: Sql, run: NewRun): Promise<void> {
  await sql.query(
    ...insertInto('runs', {
      id: run.id,
      organization_id: scope.organizationId,
      experiment_id: run.experimentId,
      ordinal: run.ordinal,
      instrument: run.instrument,
      status: 'running',
      started_at: run.startedAt,
      by_hand: run.byHand,
      override_reason: run.overrideReason,
      adds_to_earlier: run.addsToEarlier ?? false,
      lab_run_id: run.labRunId ?? null,
      operator: run.operator ?? null,
    }),
  );
}

export async function completeRun(scope: Scope, sql: Sql, runId: string, at: Date): Promise<void> {
  await sql.query(
    `update runs set status = 'complete', completed_at = $3
     where ($1::uuid is null or organization_id = $1) and id = $2 and status = 'running'`,
    [getOrganizationId(scope), runId, at],
  );
}

export async function markAnalyzed(scope: Scope, sql: Sql, runId: string): Promise<void> {
  await sql.query(
    `update runs set status = 'analyzed', problem = null, stopped_at = null where ($1::uuid is null or organization_id = $1) and id = $2`,
    [getOrganizationId(scope), runId],
  );
}

/** Records why and when the analysis of a run stopped, or clears it so that the analysis can be repeated. */
export async function setRunProblem(
  scope: Scope,
  sql: Sql,
  runId: string,
  stop: { readonly problem: string; readonly at: Date } | null,
): Promise<void> {
  await sql.query(
    `update runs set problem = $3, stopped_at = $4 where ($1::uuid is null or organization_id = $1) and id = $2`,
    [getOrganizationId(scope), runId, stop?.problem ?? null, stop?.at ?? null],
  );
}
