import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Answer, Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import type { getAnyQuotePdf as operation } from './lab-contract.ts';
import { findQuote } from './store.ts';
import { linkDocument } from '../billing/link-document.ts';

/** `GET /lab/quotes/{quote_id}/pdf`: shows a draft as the client will see it. */
export async function getAnyQuotePdf(input: Input<typeof operation>, context: ReadContext): Promise<Answer> {
  const quote = await findQuote(labScope, context.sql, input.params.quote_id);
  if (quote === undefined) throw fail('quote_not_found');
  return linkDocument(context, 'quotes', quote.id);
}
