import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { cancelExperiment as operation } from '#features/experiments/contract.ts';
import { lockExperiment } from '#features/experiments/store.ts';
import { selectLatestQuote, setQuoteStatus } from '#features/quotes/store.ts';
import { describeQuote } from '#features/updates/details.ts';
import { withdrawQuoteAtProcessor } from '#features/payments/order-at-processor.ts';
import { transitionExperiment, addUpdate } from '#features/experiments/transition-experiment.ts';

/**
 * `POST /experiments/{experiment_id}/cancel`: a client with `experiment:update` cancels until the quote is accepted.
 * There is no invoice before that, so no money moves. Until the run starts, staff cancel: see `cancel-order.ts`. The
 * states stand in `core/lifecycle.ts`.
 */
export async function cancelExperiment(input: Input<typeof operation>, context: WriteContext) {
  const { tx } = context;
  const scope = getScope(context.principal);
  const experiment = await lockExperiment(scope, tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const reason = input.body.reason ?? undefined;
  const canceled = await transitionExperiment(context, tx, scope, experiment, {
    trigger: 'cancel',
    actor: 'client',
    action: 'be canceled by you',
    ...(reason === undefined ? {} : { description: `Reason: ${reason}` }),
  });
  const quote = await selectLatestQuote(scope, tx, experiment.id);
  if (quote?.status === 'open' || quote?.status === 'draft') {
    await setQuoteStatus(scope, tx, quote.id, {
      from: quote.status,
      to: 'canceled',
      at: context.clock.now(),
    });
    if (quote.status === 'open') {
      await withdrawQuoteAtProcessor(context, tx, quote);
      await addUpdate(context, tx, experiment, {
        event: 'quote.canceled',
        name: 'Quote canceled',
        details: describeQuote(quote, { previous: 'open', current: 'canceled' }),
      });
    }
  }
  return {
    experiment_id: experiment.id,
    previous_status: experiment.status,
    status: canceled.status,
    canceled_at: context.clock.now().toISOString(),
  };
}
