/**
 * This folder: transactions about a quote, from its price to its acceptance. Not here: prices (`domain/pricing`).
 */
import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { confirmExperimentQuote, type confirmQuote as operation } from '#domain/quotes/contract.ts';
import { createQuoteNotFoundFailure } from '#domain/quotes/rules.ts';
import { acceptQuote, readAcceptance } from './accept-quote.ts';
import { holdQuote } from './hold-quote.ts';

/** `POST /quotes/{quote_id}/confirm`. */
export async function confirmQuote(input: Input<typeof operation>, context: WriteContext) {
  const scope = getScope(context.principal);
  const heldQuote = await holdQuote(scope, context.tx, input.params.quote_id);
  if (heldQuote === undefined || !heldQuote.quote.is_shown)
    throw createQuoteNotFoundFailure(input.params.quote_id, confirmExperimentQuote);
  const accepted = await acceptQuote(context, scope, heldQuote, readAcceptance(input.body));
  return accepted.response;
}
