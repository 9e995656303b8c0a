import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { getAnyQuote as operation } from './lab-contract.ts';
import { showAnyQuote } from './custom-quote.ts';

/** `GET /lab/quotes/{quote_id}`. */
export async function getAnyQuote(input: Input<typeof operation>, context: ReadContext) {
  return showAnyQuote(context, context.sql, input.params.quote_id);
}
