import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { lockExperiment } from '#features/experiments/store.ts';
import type { confirmExperimentQuote as operation } from '#features/quotes/contract.ts';
import { acceptQuote, readAcceptance } from './accept-quote.ts';
import { requireShownQuote } from '#features/quotes/require-shown-quote.ts';

/** `POST /experiments/{experiment_id}/quote/confirm`. */
export async function confirmExperimentQuote(input: Input<typeof operation>, context: WriteContext) {
  const scope = getScope(context.principal);
  const experiment = await lockExperiment(scope, context.tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const quote = await requireShownQuote(scope, context.tx, experiment);
  const accepted = await acceptQuote(context, scope, { experiment, quote }, readAcceptance(input.body));
  return accepted.response;
}
