/** From the raw files of a run to stored results: the files are read and fitted outside any transaction. */
import { setImmediate } from 'node:timers/promises';
import type { AnalysisResult } from '#analysis/analyze.ts';
import type { RunToAnalyze } from '#analysis/batches.ts';
import type { Blobs } from '#core/blobs.ts';
import type { Work } from '#core/context.ts';
import { organizationScope, type OrganizationScope } from '#core/scope.ts';
import type { Database, Sql, Transaction } from '#core/sql.ts';
import { lockExperiment, setResultsStatus, type ExperimentRow } from '#domain/experiments/store.ts';
import { latestRun, markAnalysed, rawFilesOfRun, type RunRow } from '#domain/lab/store.ts';
import { insertResults, latestVersion, releaseResults, type NewResult } from '#domain/results/store.ts';
import { sequencesOfExperiment } from '#domain/sequences/store.ts';
import { findTarget } from '#domain/targets/store.ts';
import { advance, announce } from './advance-experiment.ts';
import { targetReference } from './price-experiment.ts';
import { recognizeRevenueOf } from './recognize-revenue.ts';
import { recordChange } from './record-change.ts';
import { scheduleLab } from './schedule-lab.ts';
import { untestedResult, wireResult, type WireResult } from './result-from-analysis.ts';

export interface AnalysisPorts {
  readonly database: Database;
  readonly blobs: Blobs;
  /** Reads the files a batch at a time, so that a run may be of any size. */
  readonly analyze: (run: RunToAnalyze) => Promise<AnalysisResult>;
}

/** Analyses the latest run and moves the experiment to review, once. */
export async function analyseExperiment(
  work: Work,
  ports: AnalysisPorts,
  experiment: ExperimentRow,
): Promise<void> {
  const scope = organizationScope(experiment.organization_id);
  const run = await latestRun(scope, ports.database.read, experiment.id);
  if (run === undefined) throw new Error(`${experiment.code} has no run to analyse`);
  const analysis = await ports.analyze(await runToAnalyze(ports, scope, experiment, run));
  const results = await resultsOf(work, ports.database.read, scope, experiment, analysis);
  await ports.database.transaction(async (tx) => {
    const current = await lockExperiment(scope, tx, experiment.id);
    if (current?.status !== 'data_analysis') return;
    await store(work, tx, scope, current, run, results);
  });
}

async function runToAnalyze(
  ports: AnalysisPorts,
  scope: OrganizationScope,
  experiment: ExperimentRow,
  run: RunRow,
): Promise<RunToAnalyze> {
  const { experiment_type: experimentType } = experiment;
  if (experimentType !== 'affinity' && experimentType !== 'screening') {
    throw new Error(`there is no analysis for ${experimentType}`);
  }
  const rows = await rawFilesOfRun(scope, ports.database.read, run.id);
  const files = rows.map(({ name, sha256 }) => ({ name, load: () => ports.blobs.get(sha256) }));
  // A BLI sensor drifts over minutes; left out of the model, the drift ends up in koff of weak binders.
  return { experimentType, files, settings: { drift: experiment.method === 'bli' } };
}

/** Between so many the thread serves requests. */
const SEQUENCES_AT_ONCE = 20;

async function resultsOf(
  work: Work,
  sql: Sql,
  scope: OrganizationScope,
  experiment: ExperimentRow,
  analysis: AnalysisResult,
): Promise<NewResult[]> {
  const target =
    experiment.target_id === null ? undefined : await findTarget(scope, sql, experiment.target_id);
  const reference = target === undefined ? null : targetReference(work.site, target);
  const version = (await latestVersion(scope, sql, experiment.id)) + 1;
  const sequences = await sequencesOfExperiment(scope, sql, experiment.id);
  const results: NewResult[] = [];
  for (const [index, sequence] of sequences.entries()) {
    if (index % SEQUENCES_AT_ONCE === 0) await setImmediate();
    const subject = {
      sequenceName: sequence.name,
      aaString: sequence.aa_string,
      isControl: sequence.is_control,
      target: reference,
      method: experiment.method,
    };
    const wire: WireResult = wireResult(analysis, subject) ?? untestedResult(analysis, subject);
    results.push({
      id: work.ids.uuid(),
      experimentId: experiment.id,
      experimentCode: experiment.code,
      experimentType: experiment.experiment_type,
      sequenceId: sequence.id,
      title: titleOf(experiment.experiment_type, sequence.name, reference?.name),
      version,
      targetId: experiment.target_id,
      metadata: { notices: analysis.notices },
      ...wire,
    });
  }
  return results;
}

function titleOf(experimentType: string, sequenceName: string, targetName: string | undefined): string {
  const assay = experimentType === 'affinity' ? 'Affinity' : 'Screening';
  return targetName === undefined
    ? `${assay} of ${sequenceName}`
    : `${assay} of ${sequenceName} to ${targetName}`;
}

async function store(
  work: Work,
  tx: Transaction,
  scope: OrganizationScope,
  experiment: ExperimentRow,
  run: RunRow,
  results: readonly NewResult[],
): Promise<void> {
  await insertResults(scope, tx, results, work.clock.now());
  await markAnalysed(scope, tx, run.id);
  const measured = results.filter((result) => result.outcome === 'measured').length;
  await announce(work, tx, experiment, {
    type: 'progress',
    name: 'Data analysed',
    description: `${results.length} sequences analysed, ${measured} with a measured interaction.`,
  });
  const moved = await advance(work, tx, scope, experiment, {
    trigger: 'complete_analysis',
    actor: 'lab',
    attempt: 'complete its analysis',
  });
  await recordChange(work, tx, scope, {
    actorKind: 'worker',
    actor: 'worker',
    operation: 'analyse_experiment',
    subject: experiment.id,
    details: { from: experiment.status, to: moved.status, results: results.length, measured },
  });
  await scheduleLab(work, tx, moved);
}

/** The review is over: results become final and visible to the client. */
export async function releaseExperiment(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
): Promise<ExperimentRow> {
  const scope = organizationScope(experiment.organization_id);
  const released = await releaseResults(scope, tx, experiment.id, work.clock.now());
  await setResultsStatus(scope, tx, experiment.id, 'all');
  await announce(work, tx, experiment, {
    type: 'results',
    name: 'Results available',
    description: `${released} results released.`,
  });
  await recognizeRevenueOf(work, tx, experiment);
  return advance(work, tx, scope, experiment, { trigger: 'release', actor: 'lab', attempt: 'be released' });
}
