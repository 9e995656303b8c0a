import type { OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import type { ExperimentRow } from '#domain/experiments/store.ts';
import { createQuoteNotReadyFailure, isDiscarded, isShownToClients } from '#domain/quotes/rules.ts';
import { selectLatestQuote, type QuoteRow } from '#domain/quotes/store.ts';

/**
 * The quote of an experiment as a client may see it: a quote by hand is hidden until the lab opens it, and a draft
 * that a change of the experiment discarded is none.
 */
export async function requireShownQuote(
  scope: OrganizationScope,
  sql: Sql,
  experiment: ExperimentRow,
): Promise<QuoteRow> {
  const quote = await selectLatestQuote(scope, sql, experiment.id);
  const isShown = quote !== undefined && isShownToClients(quote) && !isDiscarded(quote, experiment.status);
  if (!isShown) throw createQuoteNotReadyFailure(experiment.status);
  return quote;
}
