/** The wire form of a quote. */
import type { Site } from '#core/context.ts';
import { UNTAXED } from '../pricing/totals.ts';
import type { QuoteRow } from './store.ts';

export function describeQuote(site: Site, quote: QuoteRow, experimentCode: string, organization: string) {
  return {
    id: quote.id,
    quote_number: quote.quote_number,
    organization_id: quote.organization_id,
    organization_name: organization,
    experiment_id: quote.experiment_id,
    experiment_code: experimentCode,
    status: quote.status,
    amount_cents: quote.total_cents,
    currency: quote.currency,
    created_at: quote.created_at,
    valid_until: quote.valid_until,
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
