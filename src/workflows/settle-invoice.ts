/** The built-in processor's notification of a payment. */
import { fail } from '#core/failures.ts';
import type { Work } from '#core/context.ts';
import { labScope, organizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { findInvoice } from '#domain/invoices/store.ts';
import type { PaymentNotification } from '#domain/payments/notification.ts';
import { BUILTIN_RAIL } from '#domain/payments/rails.ts';
import { markNotified, rememberNotification } from '#domain/payments/store.ts';
import type { Origin } from './record-change.ts';
import { settlePayment } from './settle-payment.ts';

/** Takes a verified notification of the built-in processor in. Duplicates, late and reordered ones change nothing. */
export async function settleFromNotification(
  work: Work,
  tx: Transaction,
  notification: PaymentNotification,
  origin?: Origin,
): Promise<void> {
  const { payment } = notification;
  const known = await findInvoice(labScope, tx, payment.invoice_id);
  if (known === undefined) throw fail('invoice_not_found');
  await settlePayment(work, tx, known.id, {
    rail: BUILTIN_RAIL,
    externalReference: payment.id,
    amountCents: payment.amount_cents,
    currency: payment.currency,
    reference: { type: 'provider_payment', payment_id: payment.id },
    details: { payment_id: payment.id, kind: payment.kind, amount_cents: payment.amount_cents },
    origin,
  });
  const scope = organizationScope(known.organization_id);
  const at = work.clock.now();
  const { id, type } = notification;
  await rememberNotification(scope, tx, { id, type, payload: notification, at });
  await markNotified(scope, tx, payment.id, at);
}
