import type { Work, WriteContext } from '#core/context.ts';
import { formatCount } from '#core/words.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import type { Principal } from '#core/principal.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import type { ExperimentRow } from '../experiments/store.ts';
import {
  releaseAmendedVersion,
  selectPresentVersion,
  selectReleasedVersion,
} from '../results/release-store.ts';
import type { amendResults as operation } from './contract.ts';
import { describeResults } from '../updates/details.ts';
import { addUpdate } from '../experiments/transition-experiment.ts';
import { requestReleasedPackage } from '../results/package/request-package.ts';
import { holdExperiment } from '../runs/raw-files/lab-step.ts';
import { logReview, requireAnalyzed, selectReview, requireSecondPerson } from './review-log.ts';
import { findShortfall, formatMissing } from './shortfall.ts';
import { findLastRelease, type ReviewEvent } from './rules.ts';

/**
 * `POST /lab/experiments/{experiment_id}/amend`: releases the newest analysis of a released experiment in place of the
 * results that clients have. The experiment stays done.
 */
export async function amendResults(input: Input<typeof operation>, context: WriteContext) {
  const { tx, principal, site } = context;
  const { reason } = input.body;
  const experiment = await holdExperiment(context, input.params.experiment_id);
  const { version, releasedVersion, events } = await readAmendment(context, experiment, 'be amended');
  await requireAnalyzed(tx, experiment, version, events);
  if (version <= releasedVersion) throw fail('nothing_to_amend');
  requireSecondPerson(site, principal, events);
  const released = await releaseAmendment(context, tx, experiment, { version, reason }, principal);
  return { experiment_id: experiment.id, experiment_code: experiment.code, version, released };
}

/**
 * Releases a version as an amendment and tells the client why. Returns the number of its results. `by` is null for the
 * simulated lab.
 */
export async function releaseAmendment(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
  { version, reason }: { readonly version: number; readonly reason: string },
  by: Principal | null,
): Promise<number> {
  const scope = createOrganizationScope(experiment.organization_id);
  const amended = { experimentId: experiment.id, version };
  const missing = await findShortfall(tx, amended);
  const released = await releaseAmendedVersion(scope, tx, amended, { reason, at: work.clock.now() });
  await addUpdate(work, tx, experiment, {
    event: 'results.amended',
    name: 'Results amended',
    actor: 'lab',
    description: `Version ${version} of ${formatCount(released.length, 'result')}: ${formatAsSentence(reason)}${formatMissing(missing)}`,
    details: describeResults(released, version),
  });
  await logReview(work, tx, experiment, by, { action: 'amended', version, reason });
  await requestReleasedPackage(work, tx, experiment);
  return released.length;
}

function formatAsSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

interface Amendment {
  /** The newest version. */
  readonly version: number;
  /** The version that clients have; the same as the newest where no amendment waits. */
  readonly releasedVersion: number;
  readonly events: readonly ReviewEvent[];
}

/**
 * Reads the versions and the review of a released experiment. Throws `move_not_allowed` before the release; `action`
 * says in its message what cannot be done.
 */
export async function readAmendment(
  { tx }: Pick<WriteContext, 'tx'>,
  experiment: ExperimentRow,
  action: string,
): Promise<Amendment> {
  const { id, status, organization_id: organizationId } = experiment;
  if (status !== 'done') throw fail('move_not_allowed', { status, action });
  const scope = createOrganizationScope(organizationId);
  const events = await selectReview(tx, experiment);
  const last = findLastRelease(events)?.version;
  return {
    version: await selectPresentVersion(scope, tx, id),
    releasedVersion: last ?? (await selectReleasedVersion(scope, tx, id)),
    events,
  };
}
