/** Quotes, invoices and what they say about an experiment. */
import { fail } from '#core/failures.ts';
import type { ReadContext, Site } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import { labScope } from '#core/scope.ts';
import { findExperiment, type ExperimentRow } from '#domain/experiments/store.ts';
import type { getInvoice, getInvoiceMetadata } from '#domain/invoices/contract.ts';
import type { getAnyInvoice } from '#domain/invoices/lab-contract.ts';
import { findInvoice, findInvoiceOfExperiment } from '#domain/invoices/store.ts';
import { hostedUrl, invoiceInfo } from '#domain/invoices/wire.ts';
import { organizationName } from '#domain/organizations/store.ts';
import { UNTAXED } from '#domain/pricing/totals.ts';
import type { getQuoteInfo, getQuoteMetadata } from '#domain/quotes/contract.ts';
import { isShownToClients, quoteNotReady } from '#domain/quotes/rules.ts';
import { findQuote, latestQuote, type QuoteRow } from '#domain/quotes/store.ts';
import { refundsOfInvoice } from '#domain/refunds/store.ts';

/** `GET /lab/invoices/{invoice_id}`. */
export async function readAnyInvoice(input: Input<typeof getAnyInvoice>, context: ReadContext) {
  const invoice = await findInvoice(labScope, context.sql, input.params.invoice_id);
  if (invoice === undefined) throw fail('invoice_not_found');
  return invoiceInfo(context.site, invoice, await refundsOfInvoice(labScope, context.sql, invoice.id));
}

async function requireExperiment(context: ReadContext, idOrCode: string): Promise<ExperimentRow> {
  const experiment = await findExperiment(scopeOf(context.principal), context.sql, idOrCode);
  if (experiment === undefined) throw fail('experiment_not_found');
  return experiment;
}

/** The quote a client may see: a draft is the lab's own until it is opened. */
async function requireQuoteOf(context: ReadContext, experiment: ExperimentRow): Promise<QuoteRow> {
  const quote = await latestQuote(scopeOf(context.principal), context.sql, experiment.id);
  if (quote === undefined || quote.status === 'draft' || !isShownToClients(quote))
    throw quoteNotReady(experiment.status);
  return quote;
}

export async function readQuoteOfExperiment(input: Input<typeof getQuoteMetadata>, context: ReadContext) {
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

export async function readQuote(input: Input<typeof getQuoteInfo>, context: ReadContext) {
  const scope = scopeOf(context.principal);
  const quote = await findQuote(scope, context.sql, input.params.quote_id);
  if (quote === undefined || !isShownToClients(quote)) throw fail('quote_not_found');
  const experiment = await requireExperiment(context, quote.experiment_id);
  return quoteInfo(context.site, quote, experiment.code, await organizationName(scope, context.sql));
}

export function quoteInfo(site: Site, quote: QuoteRow, experimentCode: string, organization: string) {
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

export async function readInvoice(input: Input<typeof getInvoice>, context: ReadContext) {
  const scope = scopeOf(context.principal);
  const invoice = await findInvoice(scope, context.sql, input.params.invoice_id);
  if (invoice === undefined) throw fail('invoice_not_found');
  return invoiceInfo(context.site, invoice, await refundsOfInvoice(scope, context.sql, invoice.id));
}

export async function readInvoiceOfExperiment(input: Input<typeof getInvoiceMetadata>, context: ReadContext) {
  const experiment = await requireExperiment(context, input.params.experiment_id);
  const invoice = await findInvoiceOfExperiment(scopeOf(context.principal), context.sql, experiment.id);
  return {
    experiment_id: experiment.id,
    invoice_id: invoice?.id ?? null,
    status: invoice?.status ?? null,
    provider_invoice_url: invoice === undefined ? null : hostedUrl(context.site, invoice),
  };
}
