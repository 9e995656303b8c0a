/** Reads and fits the raw files of a run, outside any transaction, and stores the results. */
import type { Work } from '#core/context.ts';
import { organizationScope, type OrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { lockExperiment, setResultsStatus, type ExperimentRow } from '#domain/experiments/store.ts';
import { latestRun, markAnalysed, type RunRow } from '#domain/lab/store.ts';
import { insertResults, latestVersion, releaseResults, type NewResult } from '#domain/results/store.ts';
import { advance, announce } from '../experiments/advance-experiment.ts';
import { withProgress } from './analysis-progress.ts';
import { recognizeRevenueOf } from '../ledger/recognize-revenue.ts';
import { recordChange } from '../audit/record-change.ts';
import type { AnalysisSettings } from '../assays/result-assay.ts';
import { resultsOfRun, usualSettings, type AnalysisPorts } from './results-of-run.ts';
import { scheduleLab } from './schedule-lab.ts';

/** Analyzes the latest run and moves the experiment to review, once. */
export async function analyseExperiment(
  work: Work,
  ports: AnalysisPorts,
  experiment: ExperimentRow,
  settings: AnalysisSettings = usualSettings(experiment),
): Promise<void> {
  const scope = organizationScope(experiment.organization_id);
  const run = await latestRun(scope, ports.database.read, experiment.id);
  if (run === undefined) throw new Error(`${experiment.code} has no run to analyze`);
  const version = (await latestVersion(scope, ports.database.read, experiment.id)) + 1;
  const results = await withProgress(work, ports.database, experiment, (onProgress) =>
    resultsOfRun(work, ports, { experiment, run, version, onProgress }, settings),
  );
  await ports.database.transaction(async (tx) => {
    const current = await lockExperiment(scope, tx, experiment.id);
    if (current?.status !== 'data_analysis') return;
    await store(work, tx, scope, current, run, results);
  });
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
    description: `${results.length} sequences analyzed, ${measured} with a measured interaction.`,
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

/** Ends the review: results become final and visible to the client. */
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
