/** Events of a review that an order of the sandbox asks for: a well that is repeated, and an amendment. */
import type { Work } from '#core/context.ts';
import { createOrganizationScope, type OrganizationScope } from '#core/scope.ts';
import type { Sql, Transaction } from '#core/sql.ts';
import type { ExperimentRow } from '#features/experiments/store.ts';
import { insertRun, type RunRow } from '#features/runs/raw-files/store.ts';
import {
  selectPresentVersion,
  selectReleasedVersion,
  selectMeasuredReplicates,
  selectLatestVersion,
} from '#features/results/release-store.ts';
import {
  isAnalysisOpen,
  type DecisionName,
  type ReplicateKey,
  type ReviewEvent,
} from '#features/review/rules.ts';
import { insertDecision, selectDecisions, selectReviewEvents } from '#features/review/store.ts';
import { selectSequencesOfExperiment } from '#features/sequences/store.ts';
import { transitionExperiment } from '#features/experiments/transition-experiment.ts';
import { askForReanalysis } from '#workflows/analyze/reanalyze-experiment.ts';
import { scheduleLab } from '#features/runs/raw-files/schedule-lab.ts';
import { releaseAmendment } from '#features/review/amend-results.ts';
import { logReview } from '#features/review/review-log.ts';

const BY = 'simulated lab';
const REPEAT_REASON = 'The sensor lost contact with its well.';
const EXCLUSION_REASON = 'A later look at the curves found an air bubble.';
const AMENDMENT_REASON = 'One measurement was left out: an air bubble was found in it.';

/** Whether a person took part in the review; then people alone end it. */
export async function isReviewedByPeople(sql: Sql, experiment: ExperimentRow): Promise<boolean> {
  const events = await readEvents(sql, experiment);
  return events.some(({ user_id: userId }) => userId !== null);
}

function readEvents(sql: Sql, experiment: ExperimentRow): Promise<ReviewEvent[]> {
  return selectReviewEvents(createOrganizationScope(experiment.organization_id), sql, experiment.id);
}

/** Whether the one well that is repeated still has to be. */
export async function isRepeatDue(sql: Sql, experiment: ExperimentRow): Promise<boolean> {
  return !(await readEvents(sql, experiment)).some(({ action }) => action === 'run_repeated');
}

/** Has the first measurement of the first sequence repeated by another run, as staff do it. */
export async function repeatWell(
  work: Work,
  tx: Transaction,
  scope: OrganizationScope,
  { experiment, run }: { readonly experiment: ExperimentRow; readonly run: RunRow },
): Promise<ExperimentRow | undefined> {
  const key = await findMeasured(tx, scope, experiment);
  if (key === undefined) return undefined;
  await decide(work, tx, experiment, { key, decision: 'repeat', reason: REPEAT_REASON });
  const next = await transitionExperiment(work, tx, scope, experiment, {
    trigger: 'repeat_run',
    actor: 'lab',
    action: 'have replicates measured again',
    description: '1 measurement is repeated.',
  });
  await insertRun(scope, tx, {
    id: work.ids.createUuid(),
    experiment_id: experiment.id,
    ordinal: run.ordinal + 1,
    instrument: run.instrument,
    started_at: work.clock.now(),
    by_hand: false,
    override_reason: null,
    adds_to_earlier: true,
  });
  await logReview(work, tx, experiment, null, { action: 'run_repeated', version: null });
  return next;
}

/** Returns the names of the sequences that a run has to measure again; undefined for a whole run. */
export async function findRepeated(
  sql: Sql,
  experiment: ExperimentRow,
  run: RunRow,
): Promise<ReadonlySet<string> | undefined> {
  if (!run.adds_to_earlier) return undefined;
  const decisions = await selectDecisions(
    createOrganizationScope(experiment.organization_id),
    sql,
    experiment.id,
  );
  return new Set(decisions.filter(({ decision }) => decision === 'repeat').map(({ sequence }) => sequence));
}

/** Whether released results are still to be amended. */
export async function isAmendmentDue(sql: Sql, experiment: ExperimentRow): Promise<boolean> {
  const events = await readEvents(sql, experiment);
  return !events.some(({ action }) => action === 'amended' || action === 'discarded');
}

/** After the release: first leaves a measurement out and asks for another analysis, then releases it. */
export async function amend(
  work: Work,
  tx: Transaction,
  scope: OrganizationScope,
  experiment: ExperimentRow,
): Promise<undefined> {
  const events = await readEvents(tx, experiment);
  const released = await selectReleasedVersion(scope, tx, experiment.id);
  const version = await selectPresentVersion(scope, tx, experiment.id);
  if (version > released && !isAnalysisOpen(events)) {
    await releaseAmendment(work, tx, experiment, { version, reason: AMENDMENT_REASON }, null);
    return;
  }
  if (!events.some(({ action }) => action === 'analysis_asked')) {
    const key = await findMeasured(tx, scope, experiment);
    if (key === undefined) return;
    await decide(work, tx, experiment, { key, decision: 'exclude', reason: EXCLUSION_REASON });
    await askForReanalysis({ ...work, tx, principal: null }, experiment, {
      settings: null,
      reason: 'The lab decided which replicates count.',
    });
  }
  if (!events.some(({ action }) => action === 'analysis_failed')) await scheduleLab(work, tx, experiment);
}

async function findMeasured(
  tx: Transaction,
  scope: OrganizationScope,
  experiment: ExperimentRow,
): Promise<ReplicateKey | undefined> {
  const version = await selectPresentVersion(scope, tx, experiment.id);
  const sequences = await selectSequencesOfExperiment(scope, tx, experiment.id);
  const of = { experimentId: experiment.id, version };
  for (const { name, is_control: isControl } of sequences) {
    if (isControl) continue;
    const [first] = await selectMeasuredReplicates(scope, tx, of, [name]);
    if (first === undefined) continue;
    const { sequence, plate, replicate, well } = first;
    return { sequence, plate: plate ?? '', replicate, well };
  }
  return undefined;
}

async function decide(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
  {
    key,
    decision,
    reason,
  }: { readonly key: ReplicateKey; readonly decision: DecisionName; readonly reason: string },
): Promise<void> {
  const scope = createOrganizationScope(experiment.organization_id);
  const version = await selectLatestVersion(scope, tx, experiment.id);
  await insertDecision(scope, tx, {
    ...key,
    id: work.ids.createUuid(),
    experiment_id: experiment.id,
    decision,
    reason,
    decided_by: BY,
    after_version: version,
    created_at: work.clock.now(),
  });
  await logReview(work, tx, experiment, null, { action: 'decided', version, reason });
}
