import type { Work, WriteContext } from '#core/context.ts';
import { formatCount } from '#core/words.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import type { Principal } from '#core/principal.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { setResultsStatus, type ExperimentRow } from '#features/experiments/store.ts';
import type { releaseResults as operation } from '#features/runs/raw-files/run-contract.ts';
import {
  releaseVersion,
  selectPresentVersion,
  selectReleaseState,
  type ReleaseState,
} from '#features/results/release-store.ts';
import { formatNamedShortfall, formatShortfall, sumOrderCounts } from '#features/results/against-order.ts';
import { describeResults } from '#features/updates/details.ts';
import { transitionExperiment, addUpdate } from '#features/experiments/transition-experiment.ts';
import { recognizeExperimentRevenue } from '#features/invoices/recognize-revenue.ts';
import { requestReleasedPackage } from '#features/results/package/request-package.ts';
import {
  logReview,
  requireAnalyzed,
  selectReview,
  requireSecondPerson,
} from '#features/review/review-log.ts';
import {
  createShortfallFailure,
  findShortfall,
  formatMissing,
  selectCounts,
} from '#features/review/shortfall.ts';
import { describeMove, holdExperiment } from '#features/runs/raw-files/lab-step.ts';

/** What is released less than ordered; `reason` is for staff alone. */
interface Shortfall {
  readonly missing: string | null;
  readonly reason: string | null;
}

const SIMULATED_REASON =
  'The simulated instrument recorded no more, and the simulated lab does not measure it again.';
const NOTHING_MISSING: Shortfall = { missing: null, reason: null };

interface ReleaseOptions {
  readonly by: Principal | null;
  readonly version?: number;
  /** Absent: the simulated lab releases, in its own words. */
  readonly told?: Shortfall;
}

function describeTold(missing: string | null, reason: string): Shortfall {
  return missing === null ? NOTHING_MISSING : { missing, reason: `${missing}: ${reason}` };
}

/** What the simulated lab says of a version, or of some of its sequences, that has less than was ordered. */
async function describeSimulatedShortfall(
  tx: Transaction,
  of: { readonly experimentId: string; readonly version: number },
  names?: readonly string[],
): Promise<Shortfall> {
  return describeTold(await findShortfall(tx, of, names), SIMULATED_REASON);
}

/**
 * Ends the review: all results of a version become final and visible to the client. `by` is null for the simulated lab,
 * which releases the current version.
 */
export async function releaseExperiment(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
  { by, version: known, told: toldByStaff }: ReleaseOptions = { by: null },
): Promise<ExperimentRow> {
  const scope = createOrganizationScope(experiment.organization_id);
  const version = known ?? (await selectPresentVersion(scope, tx, experiment.id));
  const of = { experimentId: experiment.id, version };
  const told = toldByStaff ?? (await describeSimulatedShortfall(tx, of));
  const released = await releaseVersion(scope, tx, of, null, work.clock.now());
  await setResultsStatus(scope, tx, experiment.id, 'all');
  await addUpdate(work, tx, experiment, {
    event: 'results.released',
    name: 'Results available',
    description: `${formatCount(released.length, 'result')} released.${formatMissing(told.missing)}`,
    details: describeResults(released, version),
    actor: 'lab',
  });
  await logReview(work, tx, experiment, by, { action: 'released', version, reason: told.reason });
  await recognizeExperimentRevenue(work, tx, experiment);
  const after = await transitionExperiment(work, tx, scope, experiment, {
    trigger: 'release',
    actor: 'lab',
    action: 'be released',
  });
  await requestReleasedPackage(work, tx, { ...after, results_status: 'all' });
  return after;
}

/** `POST /lab/experiments/{experiment_id}/release`: all that waits, or the results of some sequences. */
export async function releaseResults(input: Input<typeof operation>, context: WriteContext) {
  const { tx, principal, site } = context;
  const experiment = await holdExperiment(context, input.params.experiment_id);
  const { status } = experiment;
  if (status !== 'in_review') throw fail('move_not_allowed', { status, action: 'be released' });
  const scope = createOrganizationScope(experiment.organization_id);
  const version = await selectPresentVersion(scope, tx, experiment.id);
  const events = await selectReview(tx, experiment);
  await requireAnalyzed(tx, experiment, version, events);
  const state = await selectReleaseState(scope, tx, { experimentId: experiment.id, version });
  const { sequences: chosen, reason } = input.body ?? {};
  if (chosen !== undefined) requireKnown(chosen, state);
  const counts = await selectCounts(tx, { experimentId: experiment.id, version }, chosen);
  const missing = formatNamedShortfall(counts);
  if (missing !== null && reason === undefined) throw createShortfallFailure(missing, 'measure');
  const told = describeTold(formatShortfall(sumOrderCounts(counts)), reason ?? '');
  const waiting = state.filter(({ name, isReleased }) => !isReleased && chosen?.includes(name) === false);
  if (chosen !== undefined && waiting.length > 0) {
    requireControls(chosen, state);
    await releasePart(context, tx, experiment, { version, chosen, waiting: waiting.length, told }, principal);
    return { ...describeMove(experiment, status), waiting: waiting.length };
  }
  requireSecondPerson(site, principal, events);
  const after = await releaseExperiment(context, tx, experiment, { by: principal, version, told });
  return { ...describeMove(experiment, after.status), waiting: 0 };
}

function requireKnown(chosen: readonly string[], state: readonly { readonly name: string }[]): void {
  const sequenceNames = new Set(state.map(({ name }) => name));
  const problems = chosen.flatMap((name, index) =>
    sequenceNames.has(name)
      ? []
      : [{ path: `sequences.${index}`, message: `no result has the name ${name}` }],
  );
  if (problems.length > 0) throw fail('sequence_not_found', {}, { problems });
}

/** What refers to a control, such as a difference of Tm, tells its value: so a control is not released after it. */
function requireControls(chosen: readonly string[], state: readonly ReleaseState[]): void {
  const refers = state.some(({ name, isControl }) => !isControl && chosen.includes(name));
  const missing = state.filter(
    ({ name, isControl, isShown }) => isControl && !isShown && !chosen.includes(name),
  );
  if (refers && missing.length > 0)
    throw fail('controls_not_released', { controls: missing.map(({ name }) => name).join(', ') });
}

/** Releases the results of some sequences; the experiment stays in review. Throws `nothing_to_release`. */
export async function releasePart(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
  {
    version,
    chosen,
    waiting,
    told: toldByStaff,
  }: { version: number; chosen: readonly string[]; waiting: number; told?: Shortfall },
  by: Principal | null,
): Promise<void> {
  const scope = createOrganizationScope(experiment.organization_id);
  const of = { experimentId: experiment.id, version };
  const told = toldByStaff ?? (await describeSimulatedShortfall(tx, of, chosen));
  const released = await releaseVersion(scope, tx, of, chosen, work.clock.now());
  if (released.length === 0) throw fail('nothing_to_release');
  await setResultsStatus(scope, tx, experiment.id, 'partial');
  await addUpdate(work, tx, experiment, {
    event: 'results.partly_released',
    name: 'Some results available',
    details: describeResults(released, version),
    actor: 'lab',
    description: `${formatCount(released.length, 'result')} released; ${waiting} still to come.${formatMissing(told.missing)}`,
  });
  await logReview(work, tx, experiment, by, { action: 'released_part', version, reason: told.reason });
  await requestReleasedPackage(work, tx, { ...experiment, results_status: 'partial' });
}
