import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import { lockExperiment } from '#domain/experiments/store.ts';
import type { confirmQuote as operation } from '#domain/quotes/contract.ts';
import { isShownToClients } from '#domain/quotes/rules.ts';
import { findQuote } from '#domain/quotes/store.ts';
import { acceptQuote, readAcceptance } from './accept-quote.ts';

/** `POST /quotes/{quote_id}/confirm`. */
export async function confirmQuote(input: Input<typeof operation>, context: WriteContext) {
  const scope = scopeOf(context.principal);
  const quote = await findQuote(scope, context.tx, input.params.quote_id);
  if (quote === undefined || !isShownToClients(quote)) throw fail('quote_not_found');
  const experiment = await lockExperiment(scope, context.tx, quote.experiment_id);
  if (experiment === undefined) throw fail('quote_not_found');
  const accepted = await acceptQuote(context, scope, experiment, quote.id, readAcceptance(input.body));
  return accepted.response;
}
