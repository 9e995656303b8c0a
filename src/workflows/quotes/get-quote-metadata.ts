import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import type { ExperimentRow } from '#domain/experiments/store.ts';
import type { getQuoteMetadata as operation } from '#domain/quotes/contract.ts';
import { isShownToClients, quoteNotReady } from '#domain/quotes/rules.ts';
import { latestQuote, type QuoteRow } from '#domain/quotes/store.ts';
import { requireExperiment } from '../experiments/require-experiment.ts';

/** The quote a client may see: a draft is the lab's own until it is opened. */
async function requireQuoteOf(context: ReadContext, experiment: ExperimentRow): Promise<QuoteRow> {
  const quote = await latestQuote(scopeOf(context.principal), context.sql, experiment.id);
  if (quote === undefined || quote.status === 'draft' || !isShownToClients(quote))
    throw quoteNotReady(experiment.status);
  return quote;
}

export async function getQuoteMetadata(input: Input<typeof operation>, context: ReadContext) {
  const experiment = await requireExperiment(context, input.params.experiment_id);
  const quote = await requireQuoteOf(context, experiment);
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
