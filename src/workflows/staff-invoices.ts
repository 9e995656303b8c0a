import { fail } from '#core/failures.ts';
import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { labScope, organizationScope } from '#core/scope.ts';
import { lockExperiment } from '#domain/experiments/store.ts';
import { findInvoice, lockInvoice } from '#domain/invoices/store.ts';
import { hostedUrl } from '#domain/invoices/wire.ts';
import type { sendInvoice } from '#domain/lab/contract.ts';
import { finalize } from './confirm-quote.ts';

/** `POST /lab/invoices/{invoice_id}/send`. */
export async function sendDraftInvoice(input: Input<typeof sendInvoice>, context: WriteContext) {
  const draft = await findInvoice(labScope, context.tx, input.params.invoice_id);
  if (draft === undefined) throw fail('invoice_not_found');
  context.concern(draft.organization_id);
  const experiment = await lockExperiment(labScope, context.tx, draft.experiment_id);
  const invoice = await lockInvoice(labScope, context.tx, draft.id);
  if (experiment === undefined || invoice === undefined) throw fail('invoice_not_found');
  if (invoice.status === 'draft') {
    await finalize(context, organizationScope(invoice.organization_id), experiment, invoice.id);
  } else if (invoice.status !== 'open') {
    throw fail('invoice_not_payable', { status: invoice.status });
  }
  const sent = await findInvoice(labScope, context.tx, invoice.id);
  if (sent === undefined) throw fail('invoice_not_found');
  return { id: sent.id, status: sent.status, hosted_invoice_url: hostedUrl(context.site, sent) };
}
