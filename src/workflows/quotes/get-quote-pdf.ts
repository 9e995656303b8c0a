import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Answer, Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import { findExperiment } from '#domain/experiments/store.ts';
import type { getQuotePdf as operation } from '#domain/quotes/contract.ts';
import { isShownToClients, quoteNotReady } from '#domain/quotes/rules.ts';
import { latestQuote } from '#domain/quotes/store.ts';
import { linkDocument } from '../billing/link-document.ts';

/** `GET /experiments/{experiment_id}/quote/pdf`. */
export async function getQuotePdf(input: Input<typeof operation>, context: ReadContext): Promise<Answer> {
  const scope = scopeOf(context.principal);
  const experiment = await findExperiment(scope, context.sql, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const quote = await latestQuote(scope, context.sql, experiment.id);
  if (quote === undefined || quote.status === 'draft' || !isShownToClients(quote))
    throw quoteNotReady(experiment.status);
  return linkDocument(context, 'quotes', quote.id);
}
