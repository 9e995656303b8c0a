/**
 * The operations of the step "quote", each with what carries it out.
 *
 * This folder: what settles an offer: its acceptance, and the lab's answer about the target it waits for. Not here:
 * prices (`features/pricing`), the quote itself (`features/quotes`).
 */
import { bindRead, bindWrite, type Binding } from '#features/binding.ts';
import * as targetsAnswerContract from '#features/targets/answer-contract.ts';
import * as quotesContract from '#features/quotes/contract.ts';
import {
  approveTargetRequest,
  requireTargetRequestJson,
  lockPendingRequest,
  refuseField,
  tellAnswer,
} from './approve-target-request.ts';
import type { ReadContext, WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/reply.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { answerTargetRequest } from '#features/targets/request-store.ts';
import { addUpdate } from '#features/experiments/transition-experiment.ts';
import { fail } from '#core/failures.ts';
import { getScope } from '#core/principal.ts';
import { lockExperiment } from '#features/experiments/store.ts';
import { acceptQuote, readAcceptance } from './accept-quote.ts';
import { requireShownQuote, holdQuote } from '#features/quotes/named-quote.ts';
import { createQuoteNotFoundFailure } from '#features/quotes/rules.ts';

export const quoteOperations: readonly Binding[] = [
  bindRead(targetsAnswerContract.getLabTargetRequest, getLabTargetRequest),
  bindWrite(targetsAnswerContract.approveTargetRequest, approveTargetRequest),
  bindWrite(targetsAnswerContract.declineTargetRequest, declineTargetRequest),
  bindWrite(quotesContract.confirmQuote, confirmQuote),
  bindWrite(quotesContract.confirmExperimentQuote, confirmExperimentQuote),
];

/** `GET /lab/target-requests/{request_id}`: a target request of any organization. */
function getLabTargetRequest(
  input: Input<typeof targetsAnswerContract.getLabTargetRequest>,
  context: ReadContext,
): Promise<RawJson> {
  return requireTargetRequestJson(context.sql, input.params.request_id);
}

/** `POST /lab/target-requests/{request_id}/decline`. */
async function declineTargetRequest(
  input: Input<typeof targetsAnswerContract.declineTargetRequest>,
  context: WriteContext,
) {
  const { tx } = context;
  const reason = input.body.reason.trim();
  if (reason === '') refuseField('reason', 'must not be blank');
  const { request, experiment } = await lockPendingRequest(context, input.params.request_id);
  await answerTargetRequest(createOrganizationScope(request.organization_id), tx, request.id, {
    status: 'rejected',
    target_id: null,
    lead_time_days: null,
    answer: reason,
    user_id: context.principal.userId,
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

/** `POST /quotes/{quote_id}/confirm`. */
export async function confirmQuote(input: Input<typeof quotesContract.confirmQuote>, context: WriteContext) {
  const scope = getScope(context.principal);
  const heldQuote = await holdQuote(scope, context.tx, input.params.quote_id);
  if (heldQuote === undefined || !heldQuote.quote.is_shown)
    throw createQuoteNotFoundFailure(input.params.quote_id, quotesContract.confirmExperimentQuote);
  const accepted = await acceptQuote(context, scope, heldQuote, readAcceptance(input.body));
  return accepted.response;
}

/** `POST /experiments/{experiment_id}/quote/confirm`. */
async function confirmExperimentQuote(
  input: Input<typeof quotesContract.confirmExperimentQuote>,
  context: WriteContext,
) {
  const scope = getScope(context.principal);
  const experiment = await lockExperiment(scope, context.tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const quote = await requireShownQuote(scope, context.tx, experiment);
  const accepted = await acceptQuote(context, scope, { experiment, quote }, readAcceptance(input.body));
  return accepted.response;
}
