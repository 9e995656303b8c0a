/**
 * This folder: what settles an offer: its acceptance, and the lab's answer about the target it waits for. Not here:
 * prices (`features/pricing`), the quote itself (`features/quotes`).
 */
import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { confirmExperimentQuote, type confirmQuote as operation } from '#features/quotes/contract.ts';
import { createQuoteNotFoundFailure } from '#features/quotes/rules.ts';
import { acceptQuote, readAcceptance } from './accept-quote.ts';
import { holdQuote } from '#features/quotes/named-quote.ts';

/** `POST /quotes/{quote_id}/confirm`. */
export async function confirmQuote(input: Input<typeof operation>, context: WriteContext) {
  const scope = getScope(context.principal);
  const heldQuote = await holdQuote(scope, context.tx, input.params.quote_id);
  if (heldQuote === undefined || !heldQuote.quote.is_shown)
    throw createQuoteNotFoundFailure(input.params.quote_id, confirmExperimentQuote);
  const accepted = await acceptQuote(context, scope, heldQuote, readAcceptance(input.body));
  return accepted.response;
}
