import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { amendResults as releaseAmendment } from '#domain/results/release-store.ts';
import type { amendResults as operation } from '#domain/review/contract.ts';
import { describeResults } from '#domain/updates/details.ts';
import { addUpdate } from '../experiments/transition-experiment.ts';
import { holdExperiment } from '../lab/lab-step.ts';
import { readAmendment } from './pending-amendment.ts';
import { logReview, requireAnalyzed } from './review-log.ts';
import { requireSecondPerson } from './second-person.ts';

/** `POST /lab/experiments/{experiment_id}/amend`: the experiment stays done. */
export async function amendResults(input: Input<typeof operation>, context: WriteContext) {
  const { tx, clock, principal, site } = context;
  const { reason } = input.body;
  const experiment = await holdExperiment(context, input.params.experiment_id);
  const { version, releasedVersion, events } = await readAmendment(context, experiment, 'be amended');
  await requireAnalyzed(tx, experiment, version, events);
  if (version <= releasedVersion) throw fail('nothing_to_amend');
  requireSecondPerson(site, principal, events);
  const scope = createOrganizationScope(experiment.organization_id);
  const of = { experimentId: experiment.id, version };
  const released = await releaseAmendment(scope, tx, of, { reason, at: clock.now() });
  await addUpdate(context, tx, experiment, {
    event: 'results.amended',
    name: 'Results amended',
    actor: 'lab',
    description: `Version ${version} of ${released.length} results: ${reason}`,
    details: describeResults(released, version),
  });
  await logReview(context, tx, experiment, principal, { action: 'amended', version, reason });
  return {
    experiment_id: experiment.id,
    experiment_code: experiment.code,
    version,
    released: released.length,
  };
}
