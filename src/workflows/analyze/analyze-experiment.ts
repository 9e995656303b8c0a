/**
 * The analysis of a run: a job that people ask for when the raw data are complete, or a step of the simulated lab. The files are
 * read and fitted outside any transaction; failures that people can act on stay with the run.
 * This folder: an order from its complete raw data to its review, and back. Not here: how numbers are measured
 * (`analysis`).
 */
import { selectLatestVersion } from '#features/results/release-store.ts';
import type { Work } from '#core/context.ts';
import { formatCount } from '#core/words.ts';
import { isRecord } from '#core/records.ts';
import { labScope, createOrganizationScope, type OrganizationScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import { INSTALLATION_ID } from '#features/audit/rules.ts';
import { findExperiment, lockExperiment, type ExperimentRow } from '#features/experiments/store.ts';
import { ANALYZE, ANNOUNCE_STOP } from '#features/jobs/rules.ts';
import { enqueue } from '#features/jobs/store.ts';
import { selectLatestRun, markAnalyzed, setRunProblem, type RunRow } from '#features/runs/raw-files/store.ts';
import { insertResults } from '#features/results/store.ts';
import { transitionExperiment, addUpdate } from '#features/experiments/transition-experiment.ts';
import type { RawFilePorts } from '#features/installation/outward-context.ts';
import { recordChange } from '#features/audit/record-change.ts';
import type { AnalysisSettings } from '#assays/result-record.ts';
import { logReview, selectExclusions } from '#features/review/review-log.ts';
import { withProgress } from '#features/runs/raw-files/analysis-progress.ts';
import {
  chooseUsualSettings,
  computeResults,
  type AnalysisPorts,
  type ComputedResults,
} from '#features/runs/raw-files/compute-results.ts';
import { scheduleLab } from '#features/runs/raw-files/schedule-lab.ts';

export async function askForAnalysis(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
  { runId, settings }: { readonly runId: string; readonly settings: AnalysisSettings },
): Promise<void> {
  const now = work.clock.now();
  const payload = { experiment_id: experiment.id, run_id: runId, settings };
  await enqueue(
    createOrganizationScope(experiment.organization_id),
    tx,
    { kind: ANALYZE, payload, dueAt: now },
    now,
  );
}

/**
 * The job: the run goes to review, or stores the reason why its analysis stopped until new files or settings come.
 */
export async function runAnalysisJob(
  work: Work,
  ports: AnalysisPorts & Pick<RawFilePorts, 'findProblem'>,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { read } = ports.database;
  const experiment = await findExperiment(labScope, read, String(payload.experiment_id));
  if (experiment?.status !== 'data_analysis') return;
  const run = await selectLatestRun(labScope, read, experiment.id);
  if (run === undefined || run.id !== payload.run_id) return;
  const settings = isRecord(payload.settings) ? payload.settings : {};
  try {
    await analyzeRun(work, ports, { experiment, run }, settings);
  } catch (error) {
    const problem = ports.findProblem(error);
    if (problem === null) throw error;
    const stop = { experimentId: experiment.id, runId: run.id, problem };
    await ports.database.runTransaction((tx) => stopAt(work, tx, stop));
  }
}

/** Analyzes a run and moves the experiment to review, once. Without settings, those of its assay are used. */
export async function analyzeRun(
  work: Work,
  ports: AnalysisPorts,
  { experiment, run }: { readonly experiment: ExperimentRow; readonly run: RunRow },
  settings: AnalysisSettings = chooseUsualSettings(experiment),
): Promise<void> {
  const scope = createOrganizationScope(experiment.organization_id);
  const version = (await selectLatestVersion(scope, ports.database.read, experiment.id)) + 1;
  const exclusions = await selectExclusions(scope, ports.database.read, experiment.id);
  const results = await withProgress(work, ports.database, experiment, (onProgress) =>
    computeResults(work, ports, { experiment, run, version, exclusions, onProgress }, settings),
  );
  try {
    await ports.database.runTransaction(async (tx) => {
      const current = await lockExperiment(scope, tx, experiment.id);
      if (current?.status !== 'data_analysis') return;
      await storeResults(work, tx, scope, current, run, results);
      await logReview(work, tx, current, null, {
        action: 'analyzed',
        version,
        details: { settings, exclusions },
      });
    });
  } finally {
    await results.drop();
  }
}

async function storeResults(
  work: Work,
  tx: Transaction,
  scope: OrganizationScope,
  experiment: ExperimentRow,
  run: RunRow,
  results: ComputedResults,
): Promise<void> {
  const at = work.clock.now();
  for await (const slice of results.readSlices()) await insertResults(scope, tx, slice, at);
  await markAnalyzed(scope, tx, run.id);
  await addUpdate(work, tx, experiment, {
    event: 'analysis.completed',
    name: 'Data analyzed',
    actor: 'lab',
    description: `${formatCount(results.count, 'sequence')} analyzed; the lab reviews their results.`,
  });
  const next = await transitionExperiment(work, tx, scope, experiment, {
    trigger: 'complete_analysis',
    actor: 'lab',
    action: 'complete its analysis',
  });
  await recordChange(work, tx, scope, {
    actorKind: 'worker',
    actor: 'worker',
    operation: 'analyze_experiment',
    subject: experiment.id,
    details: { from: experiment.status, to: next.status, results: results.count },
  });
  await scheduleLab(work, tx, next);
}

/** Called when the job was given up for a reason outside files and settings: the run may be sent back to analysis. */
export async function recordFailedAnalysis(
  work: Work,
  tx: Transaction,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  const problem =
    'The analysis could not be completed, for a reason other than the files. Send the experiment back to analysis.';
  await stopAt(work, tx, { experimentId: String(payload.experiment_id), runId: payload.run_id, problem });
}

/** What the lab causes and mends within this time concerns no client. */
const STOP_TOLD_AFTER_MS = 3_600_000;

/**
 * Clients can read the feed and the audit trail, so the problem, which may name files of the lab, stays with the run.
 * Staff see it at once; the client is told by `announceStop`.
 */
async function stopAt(
  work: Work,
  tx: Transaction,
  stop: { readonly experimentId: string; readonly runId: unknown; readonly problem: string },
): Promise<void> {
  const current = await lockExperiment(labScope, tx, stop.experimentId);
  if (current?.status !== 'data_analysis') return;
  const scope = createOrganizationScope(current.organization_id);
  const run = await selectLatestRun(scope, tx, current.id);
  if (run === undefined || run.id !== stop.runId) return;
  const at = work.clock.now();
  await setRunProblem(scope, tx, run.id, { problem: stop.problem, at });
  const payload = { experiment_id: current.id, run_id: run.id, stopped_at: at.toISOString() };
  const dueAt = new Date(at.getTime() + STOP_TOLD_AFTER_MS);
  await enqueue(scope, tx, { kind: ANNOUNCE_STOP, payload, dueAt }, at);
  // Clients read the audit trail of their organization.
  await recordChange(work, tx, createOrganizationScope(INSTALLATION_ID), {
    actorKind: 'worker',
    actor: 'worker',
    operation: ANALYZE,
    subject: current.id,
    details: { run: run.ordinal, stopped: true },
  });
}

/** The job: tells the client of a stop that has lasted. */
export async function announceStop(
  work: Work,
  database: Database,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  await database.runTransaction(async (tx) => {
    const experiment = await lockExperiment(labScope, tx, String(payload.experiment_id));
    if (experiment?.status !== 'data_analysis') return;
    const run = await selectLatestRun(labScope, tx, experiment.id);
    if (run === undefined || run.id !== payload.run_id || run.problem === null) return;
    if (run.stopped_at !== payload.stopped_at) return;
    await addUpdate(work, tx, experiment, {
      event: 'analysis.stopped',
      name: 'Analysis stopped',
      actor: 'lab',
      description: 'The lab is checking the raw data.',
    });
  });
}
