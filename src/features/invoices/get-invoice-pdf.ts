import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Answer, Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { getInvoicePdf as operation } from './contract.ts';
import { findInvoice } from './store.ts';
import { linkDocument, redirectToDocument } from '../billing/link-document.ts';

/** `GET /invoices/{invoice_id}/pdf`: redirects to our document or the processor's; 404 while it is a draft. */
export async function getInvoicePdf(input: Input<typeof operation>, context: ReadContext): Promise<Answer> {
  const invoice = await findInvoice(getScope(context.principal), context.sql, input.params.invoice_id);
  if (invoice === undefined) throw fail('invoice_not_found');
  if (invoice.status === 'draft' || invoice.invoice_number === null) throw fail('invoice_is_draft');
  const outsideDocument = await context.outsideDocuments.fetchInvoice(invoice.id);
  return outsideDocument === null
    ? linkDocument(context, 'invoices', invoice.id)
    : redirectToDocument(outsideDocument.address, {
        fileName: `${invoice.invoice_number}.pdf`,
        bytes: outsideDocument.bytes,
      });
}
