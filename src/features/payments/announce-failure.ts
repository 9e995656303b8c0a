import type { Work } from '#core/context.ts';
import { labScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { findInvoice } from '../invoices/store.ts';
import { describeInvoice } from '../updates/details.ts';
import { addUpdate } from '../experiments/transition-experiment.ts';

/** Tells the client that a payment was refused, and that the invoice is still due. `sentence` says why. */
export async function announcePaymentFailure(
  work: Work,
  tx: Transaction,
  invoiceId: string,
  sentence: string,
): Promise<void> {
  const invoice = await findInvoice(labScope, tx, invoiceId);
  if (invoice === undefined) return;
  const { experiment_id: id, experiment_code: code, organization_id } = invoice;
  await addUpdate(
    work,
    tx,
    { id, code, organization_id },
    {
      event: 'invoice.payment_failed',
      actor: 'service',
      name: 'Payment failed',
      description: sentence,
      details: describeInvoice(invoice, { previous: invoice.status, current: invoice.status }),
    },
  );
}
