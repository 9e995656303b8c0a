import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import type { editCustomQuote as operation } from './lab-contract.ts';
import { rewriteDraft } from './store.ts';
import { composeContent, holdQuoteForStaff, showAnyQuote } from './custom-quote.ts';

/** `PATCH /lab/quotes/{quote_id}`. */
export async function editCustomQuote(input: Input<typeof operation>, context: WriteContext) {
  const { experiment, quote, scope } = await holdQuoteForStaff(context, input.params.quote_id);
  if (quote.origin !== 'custom' || quote.status !== 'draft')
    throw fail('quote_not_editable', { status: quote.status });
  const content = await composeContent(context, experiment, input.body, quote);
  await rewriteDraft(scope, context.tx, quote.id, content, context.clock.now());
  return showAnyQuote(context, context.tx, quote.id);
}
