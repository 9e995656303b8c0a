import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import type { withdrawQuote as operation } from './lab-contract.ts';
import { setQuoteStatus } from './store.ts';
import { describeQuote } from '../updates/details.ts';
import { transitionExperiment, addUpdate } from '../experiments/transition-experiment.ts';
import { withdrawQuoteAtProcessor } from '../payments/order-at-processor.ts';
import { holdQuoteForStaff, showAnyQuote } from './custom-quote.ts';

/** `POST /lab/quotes/{quote_id}/withdraw`. */
export async function withdrawQuote(input: Input<typeof operation>, context: WriteContext) {
  const { tx } = context;
  const { experiment, quote, scope } = await holdQuoteForStaff(context, input.params.quote_id);
  const isOwnDraft = quote.status === 'draft' && quote.origin === 'custom';
  if (quote.status !== 'open' && !isOwnDraft) throw fail('quote_not_withdrawable', { status: quote.status });
  const at = context.clock.now();
  await setQuoteStatus(scope, tx, quote.id, { from: quote.status, to: 'canceled', at });
  if (quote.status === 'open') {
    await withdrawQuoteAtProcessor(context, tx, quote);
    const description = input.body.reason ?? quote.quote_number;
    await addUpdate(context, tx, experiment, {
      event: 'quote.withdrawn',
      name: 'Quote withdrawn',
      description,
      details: describeQuote(quote, { previous: 'open', current: 'canceled' }),
      actor: 'lab',
    });
    if (experiment.status === 'quote_sent')
      await transitionExperiment(context, tx, scope, experiment, {
        trigger: 'withdraw_quote',
        actor: 'lab',
        action: 'be quoted again',
      });
  }
  return showAnyQuote(context, tx, quote.id);
}
