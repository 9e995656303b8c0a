/**
 * Documents that a processor makes of its quotes and invoices, requested each time. When it makes none, or the
 * operator prefers ours, our document is used. While the processor's document is not ready, no document is shown, so
 * that two documents never have one number.
 */
import type { OutsideDocuments } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { labScope } from '#core/scope.ts';
import { findInvoice } from '../invoices/store.ts';
import { findProcessorQuote, findProcessorInvoice } from './processor-store.ts';
import { ProcessorRefusedError, type ProcessorDocuments } from './processor.ts';
import type { HostedParts } from './hosted-parts.ts';

const RETRY_AFTER_S = 5;

/** `source` is `ours` where the operator prefers our documents to the processor's. */
export function createOutsideDocuments(
  { database, processors }: HostedParts,
  source: 'ours' | 'processor',
): OutsideDocuments {
  const getDocuments = (processor: string): ProcessorDocuments | null =>
    source === 'ours' ? null : (processors.byName.get(processor)?.documents ?? null);

  async function findInvoiceDocument(invoiceId: string) {
    const row = await findProcessorInvoice(labScope, database.read, invoiceId);
    const documents = row === undefined ? null : getDocuments(row.processor);
    if (row === undefined || documents === null) return null;
    // The invoice was void before it was made there.
    if (row.provider_id === null && row.status === 'void') return null;
    const outsideDocument =
      row.provider_id === null ? null : await awaitOrNotReady(documents.getInvoice(row.provider_id));
    const invoice = await findInvoice(labScope, database.read, invoiceId);
    // Staff finalized it at the processor under another number, so its document does not belong to our invoice.
    if (
      outsideDocument !== null &&
      outsideDocument.number !== null &&
      outsideDocument.number !== invoice?.invoice_number
    )
      return null;
    if (outsideDocument === null || outsideDocument.address === null) throw createNotReadyFailure();
    return { documents, address: outsideDocument.address };
  }

  return {
    async getInvoiceAddress(invoiceId) {
      return (await findInvoiceDocument(invoiceId))?.address ?? null;
    },
    async fetchInvoice(invoiceId) {
      const invoiceDocument = await findInvoiceDocument(invoiceId);
      if (invoiceDocument === null) return null;
      const { documents, address } = invoiceDocument;
      return { address, bytes: await awaitOrNotReady(documents.fetchInvoice(address)) };
    },
    async getQuoteBytes(quoteId) {
      const row = await findProcessorQuote(labScope, database.read, quoteId);
      const documents = row === undefined ? null : getDocuments(row.processor);
      if (row === undefined || documents === null) return null;
      if (row.status === 'refused' || (row.provider_id === null && row.status !== 'wanted')) return null;
      if (row.provider_id === null) throw createNotReadyFailure();
      try {
        return await documents.getQuote(row.provider_id);
      } catch (error) {
        if (error instanceof ProcessorRefusedError) return null;
        throw createNotReadyFailure(error);
      }
    },
  };
}

async function awaitOrNotReady<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw createNotReadyFailure(error);
  }
}

function createNotReadyFailure(cause?: unknown) {
  return fail('document_not_ready', {}, { headers: { 'retry-after': String(RETRY_AFTER_S) }, cause });
}
