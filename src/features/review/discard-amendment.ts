import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import { discardVersionsAfter } from '../results/release-store.ts';
import type { discardAmendment as operation } from './contract.ts';
import { isAnalysisOpen } from './rules.ts';
import { takeBackDecisions } from './store.ts';
import { holdExperiment } from '../runs/raw-files/lab-step.ts';
import { readAmendment } from './pending-amendment.ts';
import { logReview } from './review-log.ts';

/** `POST /lab/experiments/{experiment_id}/amend/discard`: clients learn nothing, so the lab's own trail has it. */
export async function discardAmendment(input: Input<typeof operation>, context: WriteContext) {
  const { tx, clock, principal } = context;
  const experiment = await holdExperiment(context, input.params.experiment_id);
  context.setAuditOrganization(INSTALLATION_ID);
  const { releasedVersion: version, events } = await readAmendment(context, experiment, 'be amended');
  if (isAnalysisOpen(events)) throw fail('analysis_pending');
  const scope = createOrganizationScope(experiment.organization_id);
  const of = { experimentId: experiment.id, version };
  const discarded = await discardVersionsAfter(scope, tx, of, clock.now());
  const decisions = await takeBackDecisions(scope, tx, experiment.id, version);
  if (discarded + decisions === 0) throw fail('nothing_to_amend');
  const { reason } = input.body;
  await logReview(context, tx, experiment, principal, { action: 'discarded', version, reason });
  return { experiment_id: experiment.id, experiment_code: experiment.code, version, discarded };
}
