/** Documents as files: the processor's where that is the official one, otherwise ours, drawn at this moment. */
import type { Documents, OutsideDocuments, Site } from '#core/context.ts';
import type { Sql } from '#core/sql.ts';
import type { RenderPdf, PdfDocument } from '#documents/document.ts';
import { labScope, createOrganizationScope, type OrganizationScope } from '#core/scope.ts';
import { findExperiment, type ExperimentRow } from '../experiments/store.ts';
import { selectSequencesOfExperiment } from '../sequences/store.ts';
import { findKeptTarget } from '../targets/store.ts';
import { describeQuotedOrder } from './scope.ts';
import { findInvoice, type InvoiceRow } from '../invoices/store.ts';
import { findHostedUrl, formatPayUrl } from '../invoices/wire.ts';
import { UNTAXED } from '../pricing/totals.ts';
import { findQuote, type QuoteRow } from './store.ts';
import { formatLongDay } from '#core/words.ts';
import { findCreditNote, selectRefundsOfInvoice } from '../invoices/refunds/store.ts';
import {
  buildCreditNoteDocument,
  buildInvoiceDocument,
  buildQuoteDocument,
  type QuoteDocument,
  type Surroundings,
} from '../billing/document.ts';
import { findParties } from '../billing/billing-profile.ts';

interface Sources {
  readonly site: Site;
  readonly sql: Sql;
}

interface DocumentParts extends Sources {
  readonly renderPdf: RenderPdf;
  readonly outside: OutsideDocuments;
}

export function createDocuments({ renderPdf, outside, ...sources }: DocumentParts): Documents {
  return {
    async find(kind, id, signal) {
      const documentFile = await findDocument(sources, kind, id);
      if (documentFile === undefined) return undefined;
      const outsideBytes = kind === 'quotes' ? await outside.getQuoteBytes(id) : null;
      const { fileName, document, organizationId } = documentFile;
      return { fileName, bytes: outsideBytes ?? (await renderPdf(document, { organizationId, signal })) };
    },
  };
}

interface FiledDocument {
  readonly fileName: string;
  readonly document: PdfDocument;
  /** Whose document it is. */
  readonly organizationId: string;
}

/** Finds the document of a verified link; undefined when no document of that kind and id exists. */
export async function findDocument(
  { site, sql }: Sources,
  kind: string,
  id: string,
): Promise<FiledDocument | undefined> {
  if (kind === 'quotes') return prepareQuoteFile({ site, sql }, id);
  if (kind === 'invoices') return findInvoiceFile(site, sql, id);
  return kind === 'credit-notes' ? prepareCreditNoteFile(site, sql, id) : undefined;
}

function getSurroundings({ environment, letterhead }: Site): Surroundings {
  return { isSandbox: environment === 'sandbox', seller: letterhead.seller };
}

async function prepareQuoteFile({ site, sql }: Sources, id: string): Promise<FiledDocument | undefined> {
  const quote = await findQuote(labScope, sql, id);
  if (quote === undefined) return undefined;
  const scope = createOrganizationScope(quote.organization_id);
  const experiment = await findExperiment(scope, sql, quote.experiment_id);
  const parties = quote.parties ?? (await findParties(site, scope, sql));
  const document = buildQuoteDocument(
    {
      ...quote,
      parties,
      tax: quote.tax ?? UNTAXED,
      experiment_code: experiment?.code ?? '',
      scope: experiment === undefined ? [] : await readScope(scope, sql, experiment),
      results: formatResultsDate(quote, experiment?.eta ?? null),
    },
    getSurroundings(site),
  );
  return { fileName: `${quote.quote_number}.pdf`, document, organizationId: scope.organizationId };
}

async function readScope(
  scope: OrganizationScope,
  sql: Sql,
  experiment: ExperimentRow,
): Promise<QuoteDocument['scope']> {
  const { target_id: targetId, requested_target: requested } = experiment;
  const target = targetId === null ? undefined : await findKeptTarget(scope, sql, targetId);
  const sequences = await selectSequencesOfExperiment(scope, sql, experiment.id);
  return describeQuotedOrder({
    ...experiment,
    target_name: target?.name ?? requested?.name ?? null,
    control_count: sequences.filter(({ is_control: isControl }) => isControl).length,
  });
}

/** An open quote names the day that its date counts from, because the paper stays as it is. */
function formatResultsDate(
  { status, opened_at: openedAt, opened_eta: openedEta }: QuoteRow,
  eta: string | null,
): string | null {
  if (status === 'accepted') return eta === null ? null : `by ${formatLongDay(new Date(eta))}`;
  if (status !== 'open' || openedAt === null || openedEta === null) return null;
  return `by ${formatLongDay(new Date(openedEta))} if accepted on ${formatLongDay(new Date(openedAt))}`;
}

async function findInvoiceFile(site: Site, sql: Sql, id: string): Promise<FiledDocument | undefined> {
  const invoice = await findInvoice(labScope, sql, id);
  return invoice === undefined ? undefined : prepareInvoiceFile(site, sql, invoice);
}

/** Returns undefined while the invoice is a draft. */
async function prepareInvoiceFile(
  site: Site,
  sql: Sql,
  invoice: InvoiceRow,
): Promise<FiledDocument | undefined> {
  const { invoice_number, finalized_at } = invoice;
  if (invoice_number === null || finalized_at === null) return undefined;
  const scope = createOrganizationScope(invoice.organization_id);
  const quote = await findQuote(scope, sql, invoice.quote_id);
  const parties = invoice.parties ?? (await findParties(site, scope, sql));
  const document = buildInvoiceDocument(
    {
      ...invoice,
      invoice_number,
      finalized_at,
      tax: invoice.tax ?? UNTAXED,
      parties,
      quote_number: quote?.quote_number ?? '',
      hosted_url: findHostedUrl(site, invoice),
      pay_url: formatPayUrl(site, invoice),
      credit_notes: (await selectRefundsOfInvoice(scope, sql, invoice.id)).filter((note) => note.is_credit),
    },
    getSurroundings(site),
  );
  return { fileName: `${invoice_number}.pdf`, document, organizationId: scope.organizationId };
}

async function prepareCreditNoteFile(
  site: Site,
  sql: Sql,
  number: string,
): Promise<FiledDocument | undefined> {
  const note = await findCreditNote(labScope, sql, number);
  const invoice = note === undefined ? undefined : await findInvoice(labScope, sql, note.invoice_id);
  if (note === undefined || invoice === undefined) return undefined;
  const scope = createOrganizationScope(note.organization_id);
  const parties = invoice.parties ?? (await findParties(site, scope, sql));
  const document = buildCreditNoteDocument(
    {
      ...note,
      invoice_number: invoice.invoice_number ?? invoice.external_id,
      experiment_code: invoice.experiment_code,
      tax: note.is_credit ? (invoice.tax ?? UNTAXED) : UNTAXED,
      parties,
    },
    getSurroundings(site),
  );
  return { fileName: `${number}.pdf`, document, organizationId: scope.organizationId };
}
