/** Money arrives: the processor's notification is the one path that marks an invoice paid. */
import { cents } from '#core/money.ts';
import { fail } from '#core/failures.ts';
import type { Work } from '#core/context.ts';
import { labScope, organizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { lockExperiment, type ExperimentRow } from '#domain/experiments/store.ts';
import { findInvoice, lockInvoice, markPaid, type InvoiceRow } from '#domain/invoices/store.ts';
import { settledEntries } from '#domain/ledger/rules.ts';
import { post } from '#domain/ledger/store.ts';
import type { PaymentNotification } from '#domain/payments/notification.ts';
import { markNotified, rememberNotification } from '#domain/payments/store.ts';
import { announce } from './advance-experiment.ts';
import { recordChange, type Origin } from './record-change.ts';
import { scheduleLab } from './schedule-lab.ts';

const HOSTED_RAIL = 'hosted';

/** Takes a verified notification in. Duplicates, late and reordered ones change nothing. */
export async function settleFromNotification(
  work: Work,
  tx: Transaction,
  notification: PaymentNotification,
  origin?: Origin,
): Promise<void> {
  const { payment } = notification;
  const known = await findInvoice(labScope, tx, payment.invoice_id);
  if (known === undefined) throw fail('invoice_not_found');
  // Experiment first, then invoice: the order in which everything else takes these locks.
  const experiment = await lockExperiment(labScope, tx, known.experiment_id);
  const found = await lockInvoice(labScope, tx, known.id);
  if (experiment === undefined || found === undefined) throw fail('invoice_not_found');
  const scope = organizationScope(found.organization_id);
  const at = work.clock.now();
  const isNew = await rememberNotification(scope, tx, {
    id: notification.id,
    type: notification.type,
    payload: notification,
    at,
  });
  await markNotified(scope, tx, payment.id, at);
  if (!isNew || found.status === 'paid') return;
  refuseIfNotWhatIsOwed(found, payment);
  await settle(work, tx, experiment, found, payment.id);
  await recordChange(work, tx, scope, {
    actorKind: 'processor',
    actor: 'payment processor',
    operation: 'settle_invoice',
    subject: found.id,
    details: { payment_id: payment.id, kind: payment.kind, amount_cents: payment.amount_cents },
    origin,
  });
}

function refuseIfNotWhatIsOwed(invoice: InvoiceRow, payment: PaymentNotification['payment']): void {
  if (invoice.status !== 'open') throw fail('invoice_not_payable', { status: invoice.status });
  if (payment.amount_cents !== invoice.total_cents || payment.currency !== invoice.currency) {
    throw fail(
      'invoice_not_payable',
      { status: invoice.status },
      {
        detail: `collected ${payment.amount_cents} ${payment.currency}, owed ${invoice.total_cents} ${invoice.currency}`,
      },
    );
  }
}

async function settle(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
  invoice: InvoiceRow,
  paymentId: string,
): Promise<void> {
  const scope = organizationScope(invoice.organization_id);
  const at = work.clock.now();
  await markPaid(scope, tx, invoice.id, {
    amountCents: invoice.total_cents,
    reference: { type: 'provider_payment', payment_id: paymentId },
    at,
  });
  await post(scope, tx, {
    id: work.ids.uuid(),
    invoiceId: invoice.id,
    kind: 'payment_settled',
    rail: HOSTED_RAIL,
    externalReference: paymentId,
    currency: invoice.currency,
    entries: settledEntries(cents(invoice.total_cents)),
    postedAt: at,
  });
  await announce(work, tx, experiment, {
    type: 'invoice',
    name: 'Invoice paid',
    description: invoice.invoice_number ?? invoice.external_id,
  });
  await scheduleLab(work, tx, experiment);
}
