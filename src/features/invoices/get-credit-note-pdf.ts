import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Answer, Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { getCreditNotePdf as operation } from './contract.ts';
import { findInvoice } from './store.ts';
import { findCreditNote } from './refunds/store.ts';
import { linkDocument } from '../billing/link-document.ts';

/** `GET /invoices/{invoice_id}/credit-notes/{credit_note_number}/pdf`. */
export async function getCreditNotePdf(
  input: Input<typeof operation>,
  context: ReadContext,
): Promise<Answer> {
  const scope = getScope(context.principal);
  const invoice = await findInvoice(scope, context.sql, input.params.invoice_id);
  if (invoice === undefined) throw fail('invoice_not_found');
  const note = await findCreditNote(scope, context.sql, input.params.credit_note_number);
  if (note?.invoice_id !== invoice.id) throw fail('credit_note_not_found');
  return linkDocument(context, 'credit-notes', note.credit_note_number);
}
