import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { INSTALLATION_ID } from '#features/audit/rules.ts';
import type { ExperimentRow } from '#features/experiments/store.ts';
import { insertRun, selectLatestRun, type RunRow } from '#features/runs/raw-files/store.ts';
import { selectPresentVersion, selectLatestVersion } from '#features/results/release-store.ts';
import type { decideReplicates as operation } from '#features/review/contract.ts';
import {
  findAnalysis,
  isAnalysisOpen,
  isExclusion,
  isSameExclusion,
  type Decision,
} from '#features/review/rules.ts';
import { insertDecision, selectDecisions } from '#features/review/store.ts';
import { transitionExperiment } from '#features/experiments/transition-experiment.ts';
import { holdExperiment } from '#features/runs/raw-files/lab-step.ts';
import { askForReanalysis } from './reanalyze-experiment.ts';
import { findDecided, type Decided } from '#features/review/find-decided.ts';
import { logReview, selectReview } from '#features/review/review-log.ts';

/**
 * The reason of the new version, which every result of it carries. It names no replicate, because clients may read one
 * result while others are not released; each result has its own excluded replicates with their reasons.
 */
const DECIDED = 'The lab decided which replicates count.';

/** `POST /lab/experiments/{experiment_id}/decisions`: nothing of it is released yet, so the lab's own trail has it. */
export async function decideReplicates(input: Input<typeof operation>, context: WriteContext) {
  const { tx } = context;
  const experiment = await holdExperiment(context, input.params.experiment_id);
  context.setAuditOrganization(INSTALLATION_ID);
  const scope = createOrganizationScope(experiment.organization_id);
  const run = await selectLatestRun(scope, tx, experiment.id);
  const isRepeat = input.body.decisions.some(({ decision }) => decision === 'repeat');
  requireDecidable(experiment, run, isRepeat);
  const version = await selectPresentVersion(scope, tx, experiment.id);
  const decided = await findDecided(tx, experiment, version, input.body.decisions);
  const afterVersion = await selectLatestVersion(scope, tx, experiment.id);
  for (const each of decided) {
    await insertDecision(scope, tx, {
      ...each,
      id: context.ids.createUuid(),
      experiment_id: experiment.id,
      decided_by: context.principal.userEmail,
      after_version: afterVersion,
      created_at: context.clock.now(),
    });
  }
  const reason = DECIDED;
  await logReview(context, tx, experiment, context.principal, { action: 'decided', version, reason });
  const earlierDecisions = await selectDecisions(scope, tx, experiment.id);
  const answer = {
    experiment_id: experiment.id,
    experiment_code: experiment.code,
    decisions: earlierDecisions,
  };
  if (isRepeat) {
    await startRepeat(context, experiment, { run, instrument: input.body.instrument, decided });
    return { ...answer, status: 'in_production' as const, analysis_id: null };
  }
  const needsAnalysis =
    experiment.status !== 'data_analysis' &&
    (await isOutdated(context, experiment, version, earlierDecisions));
  const analysisId = needsAnalysis
    ? await askForReanalysis(context, experiment, { settings: null, reason })
    : null;
  return { ...answer, status: experiment.status, analysis_id: analysisId };
}

/** Decisions are made in review, after the release, and about a run whose analysis stopped because of them. */
function requireDecidable({ status }: ExperimentRow, run: RunRow | undefined, isRepeat: boolean): void {
  const isStopped = status === 'data_analysis' && run !== undefined && run.problem !== null;
  if (isRepeat && status !== 'in_review')
    throw fail('move_not_allowed', { status, action: 'have replicates measured again' });
  if (status !== 'in_review' && status !== 'done' && !isStopped)
    throw fail('move_not_allowed', { status, action: 'have its replicates decided' });
}

/** Whether the newest version counts other replicates than the decisions say, or an analysis may still change it. */
async function isOutdated(
  { tx }: WriteContext,
  experiment: ExperimentRow,
  version: number,
  held: readonly Decision[],
): Promise<boolean> {
  const events = await selectReview(tx, experiment);
  const analyzed = findAnalysis(events, version)?.details?.exclusions ?? [];
  return isAnalysisOpen(events) || !isSameExclusion(held.filter(isExclusion), analyzed);
}

async function startRepeat(
  context: WriteContext,
  experiment: ExperimentRow,
  {
    run,
    instrument,
    decided,
  }: { run: RunRow | undefined; instrument: string | undefined; decided: readonly Decided[] },
): Promise<void> {
  const { tx, clock, ids, principal } = context;
  if (run === undefined) throw new Error(`${experiment.code} is in review without a run`);
  const scope = createOrganizationScope(experiment.organization_id);
  const repeated = decided.filter(({ decision }) => decision === 'repeat').length;
  await transitionExperiment(context, tx, scope, experiment, {
    trigger: 'repeat_run',
    actor: 'lab',
    action: 'have replicates measured again',
    description: `${repeated} ${repeated === 1 ? 'measurement is' : 'measurements are'} repeated.`,
  });
  await insertRun(scope, tx, {
    id: ids.createUuid(),
    experiment_id: experiment.id,
    ordinal: run.ordinal + 1,
    instrument: instrument ?? run.instrument,
    started_at: clock.now(),
    by_hand: true,
    override_reason: null,
    adds_to_earlier: true,
  });
  await logReview(context, tx, experiment, principal, { action: 'run_repeated', version: null });
}
