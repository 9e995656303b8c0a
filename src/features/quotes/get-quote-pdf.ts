import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Answer, Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { findExperiment } from '../experiments/store.ts';
import type { getQuotePdf as operation } from './contract.ts';
import { linkDocument } from '../billing/link-document.ts';
import { requireShownQuote } from './require-shown-quote.ts';

/** `GET /experiments/{experiment_id}/quote/pdf`. */
export async function getQuotePdf(input: Input<typeof operation>, context: ReadContext): Promise<Answer> {
  const scope = getScope(context.principal);
  const experiment = await findExperiment(scope, context.sql, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const quote = await requireShownQuote(scope, context.sql, experiment);
  return linkDocument(context, 'quotes', quote.id);
}
