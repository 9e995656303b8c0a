import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import { lockExperiment } from '#domain/experiments/store.ts';
import type { confirmExperimentQuote as operation } from '#domain/quotes/contract.ts';
import { isShownToClients, quoteNotReady } from '#domain/quotes/rules.ts';
import { latestQuote } from '#domain/quotes/store.ts';
import { acceptQuote, readAcceptance } from './accept-quote.ts';

/** `POST /experiments/{experiment_id}/quote/confirm`. */
export async function confirmExperimentQuote(input: Input<typeof operation>, context: WriteContext) {
  const scope = scopeOf(context.principal);
  const experiment = await lockExperiment(scope, context.tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const quote = await latestQuote(scope, context.tx, experiment.id);
  if (quote === undefined || quote.status === 'draft' || !isShownToClients(quote))
    throw quoteNotReady(experiment.status);
  const accepted = await acceptQuote(context, scope, { experiment, quote }, readAcceptance(input.body));
  return accepted.response;
}
