/**
 * The quote that a request names: held until the transaction ends, found among those that clients see, and as they read
 * it.
 */
import type { Scope, OrganizationScope } from '#core/scope.ts';
import type { Transaction, Sql } from '#core/sql.ts';
import { lockExperimentOfQuote, type ExperimentRow } from '../experiments/store.ts';
import { findQuote, type QuoteRow, findShownQuote } from './store.ts';
import { createQuoteNotReadyFailure } from './rules.ts';
import type { Site } from '#core/context.ts';
import { UNTAXED } from '../pricing/totals.ts';

export interface HeldQuote {
  readonly experiment: ExperimentRow;
  readonly quote: QuoteRow;
}

export async function holdQuote(
  scope: Scope,
  tx: Transaction,
  quoteId: string,
): Promise<HeldQuote | undefined> {
  const experiment = await lockExperimentOfQuote(scope, tx, quoteId);
  if (experiment === undefined) return undefined;
  const quote = await findQuote(scope, tx, quoteId);
  return quote === undefined ? undefined : { experiment, quote };
}

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

/** The wire form of a quote. */
export function describeQuote(
  site: Site,
  quote: QuoteRow,
  experiment: Pick<ExperimentRow, 'code' | 'eta'>,
  organization: string,
) {
  const isStanding = quote.status === 'open' || quote.status === 'accepted';
  return {
    id: quote.id,
    quote_number: quote.quote_number,
    organization_id: quote.organization_id,
    organization_name: organization,
    experiment_id: quote.experiment_id,
    experiment_code: experiment.code,
    status: quote.status,
    amount_cents: quote.total_cents,
    currency: quote.currency,
    created_at: quote.created_at,
    valid_until: quote.valid_until,
    eta: isStanding ? experiment.eta : null,
    provider_quote_url: `${site.baseUrl}/quotes/${quote.id}`,
    notes: quote.notes,
    acceptance_notes: quote.acceptance_notes,
    terms_and_conditions: quote.terms_and_conditions,
    line_items: quote.line_items,
    subtotal_cents: quote.subtotal_cents,
    tax_cents: quote.tax_cents,
    total_cents: quote.total_cents,
    tax: quote.tax ?? UNTAXED,
    pricing_version: quote.pricing_version,
  };
}
