/** The test payment on the payment page of an invoice. Whoever knows the address of the page may pay. */
import { fail } from '#core/failures.ts';
import type { Work } from '#core/context.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Sql, Transaction } from '#core/sql.ts';
import { findHostedInvoice, lockInvoice } from '../invoices/store.ts';
import { isPaymentCollected } from './store.ts';
import { selectRefundsOfInvoice } from '../invoices/refunds/store.ts';
import { recordChange, type Origin } from '../audit/record-change.ts';
import { collectPayment } from './collect-payment.ts';

const PAYER = 'payment page';

/**
 * Pays a test invoice from its page. The audit trail records the first payment alone. Throws `invoice_not_found`.
 */
export async function payTestInvoice(
  work: Work,
  tx: Transaction,
  hostedKey: string,
  origin: Origin,
): Promise<void> {
  const { id } = await requireInvoiceOfPage(tx, hostedKey);
  const isAlreadyCollected = await isPaymentCollected(labScope, tx, id);
  const invoice = await lockInvoice(labScope, tx, id);
  if (invoice === undefined) throw fail('invoice_not_found');
  await collectPayment(work, tx, invoice, { kind: 'test', recordedBy: PAYER });
  if (isAlreadyCollected) return;
  await recordChange(work, tx, createOrganizationScope(invoice.organization_id), {
    actorKind: 'processor',
    actor: PAYER,
    operation: 'collect_payment',
    subject: invoice.id,
    details: { kind: 'test', amount_cents: invoice.total_cents },
    origin,
  });
}

/** Returns the invoice of a payment page by the unguessable key in its address. Throws `invoice_not_found`. */
export async function requireInvoiceOfPage(sql: Sql, hostedKey: string) {
  const invoice = await findHostedInvoice(labScope, sql, hostedKey);
  if (invoice === undefined) throw fail('invoice_not_found');
  return { ...invoice, credit_notes: await selectRefundsOfInvoice(labScope, sql, invoice.id) };
}
