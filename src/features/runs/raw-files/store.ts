/** Runs of experiments, mappings of their files, permissions to run unpaid, and the switch of the simulated lab. */
import { getFirst, type Sql, getExactlyOne, type Transaction } from '#core/sql.ts';
import { insertInto, insertOwned } from '#core/write-rows.ts';
import { getOrganizationId, type OrganizationScope, type Scope } from '#core/scope.ts';
import type { MappingEntry } from '#core/raw-mapping.ts';
import type { SandboxLab } from '../../experiments/sandbox-options.ts';

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

interface NewRun {
  readonly id: string;
  readonly experiment_id: string;
  readonly ordinal: number;
  readonly instrument: string;
  readonly started_at: Date;
  /** True for a run that people record. The simulated lab takes no step with it. */
  readonly by_hand: boolean;
  readonly override_reason: string | null;
  /** True for a run that repeats some replicates of the runs before it. */
  readonly adds_to_earlier?: boolean;
  /** The planned run by which it started; null for a run of this experiment alone. */
  readonly lab_run_id?: string | null;
  /** The person at the instrument; null where nobody was named. */
  readonly operator?: string | null;
}

export async function insertRun(scope: OrganizationScope, sql: Sql, run: NewRun): Promise<void> {
  await sql.query(
    ...insertOwned(scope, 'runs', {
      ...run,
      status: 'running',
      adds_to_earlier: run.adds_to_earlier ?? false,
      lab_run_id: run.lab_run_id ?? null,
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

/** What staff say by hand of the wells and samples of a run's files. */

export interface MappingRow {
  readonly version: number;
  readonly entries: readonly MappingEntry[];
  readonly reason: string | null;
  readonly created_by: string;
  readonly created_at: string;
}

const COLUMNS = 'version, entries, reason, created_by, created_at';

/** Returns every version, the newest first. */
export async function selectMappings(scope: Scope, sql: Sql, runId: string): Promise<readonly MappingRow[]> {
  return sql.query<MappingRow>(
    `select ${COLUMNS} from raw_file_mappings
     where ($1::uuid is null or organization_id = $1) and run_id = $2 order by version desc`,
    [getOrganizationId(scope), runId],
  );
}

/** Returns the version that counts; undefined where nobody mapped anything. */
export async function findMapping(scope: Scope, sql: Sql, runId: string): Promise<MappingRow | undefined> {
  const rows = await sql.query<MappingRow>(
    `select ${COLUMNS} from raw_file_mappings
     where ($1::uuid is null or organization_id = $1) and run_id = $2 order by version desc limit 1`,
    [getOrganizationId(scope), runId],
  );
  return getFirst(rows);
}

interface NewMapping extends Omit<MappingRow, 'created_at'> {
  readonly run_id: string;
  readonly at: Date;
}

export async function insertMapping(
  scope: OrganizationScope,
  sql: Sql,
  { at, ...mapping }: NewMapping,
): Promise<MappingRow> {
  const [text, values] = insertOwned(scope, 'raw_file_mappings', {
    ...mapping,
    entries: JSON.stringify(mapping.entries),
    created_at: at,
  });
  return getExactlyOne(await sql.query<MappingRow>(`${text} returning ${COLUMNS}`, values));
}

/** Who allowed the run of an experiment before its payment, and why. */

interface UnpaidRelease {
  readonly experiment_id: string;
  readonly reason: string;
  readonly released_by: string;
  readonly at: Date;
}

export async function putUnpaidRelease(
  scope: OrganizationScope,
  sql: Sql,
  { at, ...release }: UnpaidRelease,
): Promise<void> {
  await sql.query(
    ...insertOwned(
      scope,
      'unpaid_releases',
      { ...release, created_at: at },
      `on conflict (experiment_id) do update set reason = excluded.reason, released_by = excluded.released_by,
         created_at = excluded.created_at where unpaid_releases.organization_id = excluded.organization_id`,
    ),
  );
}

/** Why the experiment may start before its payment; null where nobody allowed it. */
export async function findUnpaidReason(scope: Scope, sql: Sql, experimentId: string): Promise<string | null> {
  const rows = await sql.query<{ reason: string }>(
    'select reason from unpaid_releases where ($1::uuid is null or organization_id = $1) and experiment_id = $2',
    [getOrganizationId(scope), experimentId],
  );
  return getFirst(rows)?.reason ?? null;
}

export interface SimulatedLabRow {
  readonly mode: SandboxLab;
  readonly changed_by: string;
  /** ISO 8601, UTC. */
  readonly changed_at: string;
}

/** The switch belongs to the whole environment; undefined while nobody has used it. */
export async function findSimulatedLab(sql: Sql): Promise<SimulatedLabRow | undefined> {
  return getFirst(await sql.query<SimulatedLabRow>('select mode, changed_by, changed_at from simulated_lab'));
}

export async function putSimulatedLab(tx: Transaction, row: SimulatedLabRow): Promise<void> {
  await tx.query(
    ...insertInto(
      'simulated_lab',
      row,
      `on conflict (only_row) do update set mode = excluded.mode, changed_by = excluded.changed_by,
         changed_at = excluded.changed_at`,
    ),
  );
}
