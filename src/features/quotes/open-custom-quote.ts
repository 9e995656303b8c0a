import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import type { openCustomQuote as operation } from './lab-contract.ts';
import { isPast } from './rules.ts';
import { readCurrentTerms } from '../billing/billing-profile.ts';
import { holdQuoteForStaff, showAnyQuote } from './custom-quote.ts';
import { openQuote, sendQuote } from './prepare-quote.ts';

/** `POST /lab/quotes/{quote_id}/open`. */
export async function openCustomQuote(input: Input<typeof operation>, context: WriteContext) {
  const { tx } = context;
  const { experiment, quote, scope } = await holdQuoteForStaff(context, input.params.quote_id);
  if (quote.origin !== 'custom' || quote.status !== 'draft')
    throw fail('quote_not_editable', { status: quote.status });
  if (isPast(quote.valid_until, context.clock.now()))
    throw fail('quote_expired', { valid_until: quote.valid_until.slice(0, 10) });
  const terms = await readCurrentTerms(context.site, scope, tx);
  await openQuote(context, tx, scope, experiment, { quoteId: quote.id, terms });
  await sendQuote(context, tx, scope, experiment);
  return showAnyQuote(context, tx, quote.id);
}
