import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { getQuoteMetadata as operation } from './contract.ts';
import { requireExperiment } from '../experiments/require-experiment.ts';
import { requireShownQuote } from './require-shown-quote.ts';

/** `GET /experiments/{experiment_id}/quote`: the quote of an experiment. */
export async function getQuoteMetadata(input: Input<typeof operation>, context: ReadContext) {
  const experiment = await requireExperiment(context, input.params.experiment_id);
  const quote = await requireShownQuote(getScope(context.principal), context.sql, experiment);
  return {
    experiment_id: experiment.id,
    quote_id: quote.id,
    status: quote.status,
    amount_subtotal: quote.subtotal_cents,
    amount_total: quote.total_cents,
    currency: quote.currency,
    expires_at: quote.valid_until,
    updated_at: quote.updated_at,
    provider_quote_url: `${context.site.baseUrl}/quotes/${quote.id}`,
  };
}
