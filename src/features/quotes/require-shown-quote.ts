import type { OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import type { ExperimentRow } from '../experiments/store.ts';
import { createQuoteNotReadyFailure } from './rules.ts';
import { findShownQuote, type QuoteRow } from './store.ts';

/** The quote of an experiment as a client may see it. */
export async function requireShownQuote(
  scope: OrganizationScope,
  sql: Sql,
  experiment: ExperimentRow,
): Promise<QuoteRow> {
  const quote = await findShownQuote(scope, sql, experiment.id);
  if (quote === undefined) throw createQuoteNotReadyFailure(experiment.status);
  return quote;
}
