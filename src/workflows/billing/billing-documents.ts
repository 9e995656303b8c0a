/** The documents of quotes, invoices and credit notes: who may have a link to one, and what stands in it. */
import { after } from '#core/clock.ts';
import type { ReadContext, Site } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { Answer, type Input } from '#core/operation.ts';
import type { PdfDocument } from '#presentation/document.ts';
import { scopeOf } from '#core/principal.ts';
import { labScope, organizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import {
  creditNoteDocument,
  invoiceDocument,
  quoteDocument,
  type Surroundings,
} from '#presentation/documents/billing.ts';
import { findExperiment } from '#domain/experiments/store.ts';
import type { getCreditNotePdf, getInvoicePdf } from '#domain/invoices/contract.ts';
import { findInvoice, type InvoiceRow } from '#domain/invoices/store.ts';
import { hostedUrl, payUrl } from '#domain/invoices/wire.ts';
import { UNTAXED } from '#domain/pricing/totals.ts';
import type { getQuotePdf } from '#domain/quotes/contract.ts';
import type { getAnyQuotePdf } from '#domain/quotes/lab-contract.ts';
import { isShownToClients, quoteNotReady } from '#domain/quotes/rules.ts';
import { findQuote, latestQuote } from '#domain/quotes/store.ts';
import { findCreditNote, refundsOfInvoice } from '#domain/refunds/store.ts';
import { presentParties } from './billing-profile.ts';

/** Where documents are served: `/files/documents/{kind}/{id}`, behind a signed link. */
export const DOCUMENT_PATH = '/files/documents';
const LINK_LIFE_MS = 600_000;

const documentKinds = ['quotes', 'invoices', 'credit-notes'] as const;
type DocumentKind = (typeof documentKinds)[number];

type Linking = Pick<ReadContext, 'site' | 'links' | 'clock'>;

function linkTo({ site, links, clock }: Linking, kind: DocumentKind, id: string): Answer {
  const path = `${DOCUMENT_PATH}/${kind}/${encodeURIComponent(id)}`;
  const location = `${site.baseUrl}${links.sign(path, after(clock.now(), LINK_LIFE_MS))}`;
  return new Answer(307, null, { location });
}

/** `GET /experiments/{experiment_id}/quote/pdf`. */
export async function linkQuote(input: Input<typeof getQuotePdf>, context: ReadContext): Promise<Answer> {
  const scope = scopeOf(context.principal);
  const experiment = await findExperiment(scope, context.sql, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const quote = await latestQuote(scope, context.sql, experiment.id);
  if (quote === undefined || quote.status === 'draft' || !isShownToClients(quote))
    throw quoteNotReady(experiment.status);
  return linkTo(context, 'quotes', quote.id);
}

/** `GET /lab/quotes/{quote_id}/pdf`: a draft looks as the client will see it. */
export async function linkAnyQuote(
  input: Input<typeof getAnyQuotePdf>,
  context: ReadContext,
): Promise<Answer> {
  const quote = await findQuote(labScope, context.sql, input.params.quote_id);
  if (quote === undefined) throw fail('quote_not_found');
  return linkTo(context, 'quotes', quote.id);
}

/** `GET /invoices/{invoice_id}/pdf`: ours, or the processor's where it is at this moment; 404 while it is a draft. */
export async function linkInvoice(input: Input<typeof getInvoicePdf>, context: ReadContext): Promise<Answer> {
  const invoice = await findInvoice(scopeOf(context.principal), context.sql, input.params.invoice_id);
  if (invoice === undefined) throw fail('invoice_not_found');
  if (invoice.status === 'draft' || invoice.invoice_number === null) throw fail('invoice_is_draft');
  const location = await context.outsideDocuments.invoiceAddress(invoice.id);
  return location === null ? linkTo(context, 'invoices', invoice.id) : new Answer(307, null, { location });
}

/** `GET /invoices/{invoice_id}/credit-notes/{credit_note_number}/pdf`. */
export async function linkCreditNote(
  input: Input<typeof getCreditNotePdf>,
  context: ReadContext,
): Promise<Answer> {
  const scope = scopeOf(context.principal);
  const invoice = await findInvoice(scope, context.sql, input.params.invoice_id);
  if (invoice === undefined) throw fail('invoice_not_found');
  const note = await findCreditNote(scope, context.sql, input.params.credit_note_number);
  if (note?.invoice_id !== invoice.id) throw fail('credit_note_not_found');
  return linkTo(context, 'credit-notes', note.credit_note_number);
}

export interface FiledDocument {
  readonly fileName: string;
  readonly document: PdfDocument;
}

/** The document behind a link that has been checked; undefined when there is none of that kind and id. */
export async function documentAt(
  site: Site,
  sql: Sql,
  kind: string,
  id: string,
): Promise<FiledDocument | undefined> {
  if (kind === 'quotes') return quoteFile(site, sql, id);
  if (kind === 'invoices') return invoiceFile(site, sql, id);
  return kind === 'credit-notes' ? creditNoteFile(site, sql, id) : undefined;
}

function surroundings({ environment, letterhead }: Site): Surroundings {
  return { isSandbox: environment === 'sandbox', seller: letterhead.seller };
}

async function quoteFile(site: Site, sql: Sql, id: string): Promise<FiledDocument | undefined> {
  const quote = await findQuote(labScope, sql, id);
  if (quote === undefined) return undefined;
  const scope = organizationScope(quote.organization_id);
  const experiment = await findExperiment(scope, sql, quote.experiment_id);
  const parties = quote.parties ?? (await presentParties(site, scope, sql));
  const document = quoteDocument(
    { ...quote, parties, tax: quote.tax ?? UNTAXED, experiment_code: experiment?.code ?? '' },
    surroundings(site),
  );
  return { fileName: `${quote.quote_number}.pdf`, document };
}

async function invoiceFile(site: Site, sql: Sql, id: string): Promise<FiledDocument | undefined> {
  const invoice = await findInvoice(labScope, sql, id);
  return invoice === undefined ? undefined : invoiceFileOf(site, sql, invoice);
}

/** Undefined while the invoice is a draft. */
export async function invoiceFileOf(
  site: Site,
  sql: Sql,
  invoice: InvoiceRow,
): Promise<FiledDocument | undefined> {
  const { invoice_number: number, finalized_at: finalizedAt } = invoice;
  if (number === null || finalizedAt === null) return undefined;
  const scope = organizationScope(invoice.organization_id);
  const quote = await findQuote(scope, sql, invoice.quote_id);
  const parties = invoice.parties ?? (await presentParties(site, scope, sql));
  const document = invoiceDocument(
    {
      ...invoice,
      invoice_number: number,
      finalized_at: finalizedAt,
      tax: invoice.tax ?? UNTAXED,
      parties,
      quote_number: quote?.quote_number ?? '',
      hosted_url: hostedUrl(site, invoice),
      pay_url: payUrl(site, invoice),
      credit_notes: (await refundsOfInvoice(scope, sql, invoice.id)).filter((note) => note.is_credit),
    },
    surroundings(site),
  );
  return { fileName: `${number}.pdf`, document };
}

async function creditNoteFile(site: Site, sql: Sql, number: string): Promise<FiledDocument | undefined> {
  const note = await findCreditNote(labScope, sql, number);
  const invoice = note === undefined ? undefined : await findInvoice(labScope, sql, note.invoice_id);
  if (note === undefined || invoice === undefined) return undefined;
  const scope = organizationScope(note.organization_id);
  const parties = invoice.parties ?? (await presentParties(site, scope, sql));
  const document = creditNoteDocument(
    {
      ...note,
      invoice_number: invoice.invoice_number ?? invoice.external_id,
      experiment_code: invoice.experiment_code,
      tax: note.is_credit ? (invoice.tax ?? UNTAXED) : UNTAXED,
      parties,
    },
    surroundings(site),
  );
  return { fileName: `${number}.pdf`, document };
}
