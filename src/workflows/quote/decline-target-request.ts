import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { declineTargetRequest as operation } from '#features/targets/answer-contract.ts';
import { answerTargetRequest } from '#features/targets/answer-store.ts';
import { addUpdate } from '#features/experiments/transition-experiment.ts';
import {
  lockPendingRequest,
  refuseField,
  requireTargetRequestJson,
  tellAnswer,
} from './answer-target-request.ts';

/** `POST /lab/target-requests/{request_id}/decline`. */
export async function declineTargetRequest(input: Input<typeof operation>, context: WriteContext) {
  const { tx } = context;
  const reason = input.body.reason.trim();
  if (reason === '') refuseField('reason', 'must not be blank');
  const { request, experiment } = await lockPendingRequest(context, input.params.request_id);
  await answerTargetRequest(createOrganizationScope(request.organization_id), tx, request.id, {
    status: 'rejected',
    targetId: null,
    leadTimeDays: null,
    answer: reason,
    userId: context.principal.userId,
    at: context.clock.now(),
  });
  await tellAnswer(context, request, `It was declined: ${reason}`);
  if (experiment !== undefined)
    await addUpdate(context, tx, experiment, {
      event: 'target.declined',
      name: 'Target declined',
      actor: 'lab',
      description: `${request.name}: ${reason}`,
    });
  return requireTargetRequestJson(tx, request.id);
}
