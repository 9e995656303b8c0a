import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { ExperimentRow } from '../experiments/store.ts';
import { selectPresentVersion, selectReleasedVersion } from '../results/release-store.ts';
import { findLastRelease, type ReviewEvent } from './rules.ts';
import { selectReview } from './review-log.ts';

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
