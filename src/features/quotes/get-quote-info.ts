import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { selectOrganizationName } from '../organizations/store.ts';
import { getQuoteMetadata, type getQuoteInfo as operation } from './contract.ts';
import { createQuoteNotFoundFailure } from './rules.ts';
import { findQuote } from './store.ts';
import { requireExperiment } from '../experiments/require-experiment.ts';
import { describeQuote } from './describe-quote.ts';

/** `GET /quotes/{quote_id}`: one quote; one by hand is not found before staff send it. */
export async function getQuoteInfo(input: Input<typeof operation>, context: ReadContext) {
  const scope = getScope(context.principal);
  const quote = await findQuote(scope, context.sql, input.params.quote_id);
  if (quote === undefined || !quote.is_shown)
    throw createQuoteNotFoundFailure(input.params.quote_id, getQuoteMetadata);
  const experiment = await requireExperiment(context, quote.experiment_id);
  return describeQuote(
    context.site,
    quote,
    experiment.code,
    await selectOrganizationName(scope, context.sql),
  );
}
