/**
 * The analysis that people request when the raw data are complete: a job. Failures that people can resolve are stored
 * with the run.
 */
import type { Work } from '#core/context.ts';
import { labScope, organizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { findExperiment, lockExperiment, type ExperimentRow } from '#domain/experiments/store.ts';
import { enqueue } from '#domain/jobs/store.ts';
import { latestRun, setRunProblem } from '#domain/lab/store.ts';
import { announce } from '../experiments/advance-experiment.ts';
import { analyseExperiment } from './analyse-experiment.ts';
import type { RawFilePorts } from '../installation/outward-context.ts';
import { recordChange } from '../audit/record-change.ts';
import type { AnalysisSettings } from '../assays/result-assay.ts';
import type { AnalysisPorts } from './results-of-run.ts';

export const ANALYSE = 'analyse_experiment';

export async function askForAnalysis(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
  { runId, settings }: { readonly runId: string; readonly settings: AnalysisSettings },
): Promise<void> {
  const now = work.clock.now();
  const payload = { experiment_id: experiment.id, run_id: runId, settings };
  await enqueue(
    organizationScope(experiment.organization_id),
    tx,
    { kind: ANALYSE, payload, dueAt: now },
    now,
  );
}

/**
 * The job: the run goes to review, or stores the reason why its analysis stopped until new files or settings come.
 */
export async function analyseRun(
  work: Work,
  ports: AnalysisPorts & Pick<RawFilePorts, 'problemOf'>,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { read } = ports.database;
  const experiment = await findExperiment(labScope, read, String(payload.experiment_id));
  if (experiment?.status !== 'data_analysis') return;
  const run = await latestRun(labScope, read, experiment.id);
  if (run === undefined || run.id !== payload.run_id) return;
  const settings = isRecord(payload.settings) ? payload.settings : {};
  try {
    await analyseExperiment(work, ports, experiment, settings);
  } catch (error) {
    const problem = ports.problemOf(error);
    if (problem === null) throw error;
    const stop = { experimentId: experiment.id, runId: run.id, problem };
    await ports.database.transaction((tx) => stopAt(work, tx, stop));
  }
}

/** Called when the job was given up for a reason outside files and settings: the run may be sent back to analysis. */
export async function analysisFailed(
  work: Work,
  tx: Transaction,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  const problem =
    'The analysis could not be completed, for a reason other than the files. Send the experiment back to analysis.';
  await stopAt(work, tx, { experimentId: String(payload.experiment_id), runId: payload.run_id, problem });
}

/**
 * Clients can read the feed and the audit trail, so the problem, which may name files of the lab, stays with the run.
 */
async function stopAt(
  work: Work,
  tx: Transaction,
  stop: { readonly experimentId: string; readonly runId: unknown; readonly problem: string },
): Promise<void> {
  const current = await lockExperiment(labScope, tx, stop.experimentId);
  if (current?.status !== 'data_analysis') return;
  const scope = organizationScope(current.organization_id);
  const run = await latestRun(scope, tx, current.id);
  if (run === undefined || run.id !== stop.runId) return;
  await setRunProblem(scope, tx, run.id, stop.problem);
  await announce(work, tx, current, {
    type: 'error',
    name: 'Analysis stopped',
    description: 'The lab is checking the raw data.',
  });
  await recordChange(work, tx, scope, {
    actorKind: 'worker',
    actor: 'worker',
    operation: ANALYSE,
    subject: current.id,
    details: { run: run.ordinal, stopped: true },
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
