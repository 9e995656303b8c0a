/** Issues a credit note and its refund: recorded in one transaction, sent later over the rail of the payment. */
import { toCents } from '#core/money.ts';
import type { Work, WriteContext } from '#core/context.ts';
import { createOrganizationScope, type OrganizationScope, labScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { takeDocumentNumber, type InvoiceRow } from '../store.ts';
import { SEND_REFUND } from '../../jobs/rules.ts';
import { enqueue } from '../../jobs/store.ts';
import { buildCreditedEntries, type Entry } from '../../ledger/rules.ts';
import { selectInvoiceBalances, insertPosting, selectRailOfPayment } from '../../ledger/store.ts';
import { formatCreditNoteNumber, computeCreditAmount, computeTaxWithin } from '../rules.ts';
import { insertRefund, findRefund } from './store.ts';
import { describeRefund } from '../../updates/details.ts';
import { addUpdate } from '../../experiments/transition-experiment.ts';
import { fail } from '#core/failures.ts';
import { buildRefundInfo } from '../wire.ts';
import type { HeldInvoice } from '../hold-invoice.ts';

interface Credit {
  readonly rail: string;
  /** The payment to return, as its rail names it. */
  readonly payment_reference: Readonly<Record<string, unknown>>;
  readonly amount_cents: number;
  readonly tax_cents: number;
  /** False for money that was never owed: it is posted as owed back already. */
  readonly is_credit: boolean;
  readonly reason: string;
  readonly requested_by: string;
}

/** Returns the id of the refund. The caller holds the locks of experiment and invoice. */
export async function issueCredit(
  work: Work,
  tx: Transaction,
  experiment: { readonly id: string; readonly code: string; readonly organization_id: string },
  invoice: InvoiceRow,
  credit: Credit,
): Promise<string> {
  const scope = createOrganizationScope(invoice.organization_id);
  const at = work.clock.now();
  const id = work.ids.createUuid();
  const number = formatCreditNoteNumber(
    at.getUTCFullYear(),
    await takeDocumentNumber(tx, 'credit_note', at.getUTCFullYear()),
  );
  const { currency } = invoice;
  await insertRefund(scope, tx, {
    ...credit,
    id,
    invoice_id: invoice.id,
    credit_note_number: number,
    currency,
    created_at: at,
  });
  if (credit.is_credit) {
    const balances = await selectInvoiceBalances(scope, tx, invoice.id);
    const net = toCents(credit.amount_cents - credit.tax_cents);
    await postCredit(
      work,
      tx,
      scope,
      invoice,
      number,
      buildCreditedEntries(net, toCents(credit.tax_cents), balances),
    );
  }
  await scheduleRefund(work, tx, scope, id);
  const name = credit.is_credit ? 'Credit note issued' : 'Surplus payment refunded';
  await addUpdate(work, tx, experiment, {
    event: credit.is_credit ? 'invoice.credited' : 'invoice.surplus_refunded',
    name,
    description: `${number}: ${credit.reason}`,
    details: {
      ...describeRefund({
        invoice_id: invoice.id,
        credit_note_number: number,
        amount_cents: credit.amount_cents,
        currency,
      }),
      invoice_number: invoice.invoice_number,
    },
    actor: 'lab',
  });
  return id;
}

async function postCredit(
  work: Work,
  tx: Transaction,
  scope: OrganizationScope,
  invoice: InvoiceRow,
  number: string,
  entries: readonly Entry[],
): Promise<void> {
  const isPosted = await insertPosting(scope, tx, {
    id: work.ids.createUuid(),
    invoice_id: invoice.id,
    kind: 'credit_issued',
    rail: 'invoice',
    external_reference: number,
    currency: invoice.currency,
    entries,
    posted_at: work.clock.now(),
  });
  if (!isPosted) throw new Error(`the credit note ${number} had been posted before`);
}

export async function scheduleRefund(
  work: Work,
  tx: Transaction,
  scope: OrganizationScope,
  refundId: string,
): Promise<void> {
  const at = work.clock.now();
  const uniqueKey = `${SEND_REFUND}:${refundId}`;
  await enqueue(scope, tx, { kind: SEND_REFUND, payload: { refund_id: refundId }, dueAt: at, uniqueKey }, at);
}

/** Starts the credit of a paid invoice: its amount and its rail. */
export async function creditInvoice(
  context: Work & Pick<WriteContext, 'tx'>,
  { experiment, invoice }: HeldInvoice,
  {
    requestedCents,
    reason,
    creditedCents,
    requestedBy,
  }: {
    /** Undefined: all that was paid and not credited yet. */
    readonly requestedCents: number | undefined;
    readonly reason: string;
    /** Cents of the invoice that were credited before. */
    readonly creditedCents: number;
    /** Who gives the credit: the e-mail address of a person, or the name of a part of the service. */
    readonly requestedBy: string;
  },
) {
  const { tx } = context;
  const creditable = { ...invoice, credited_cents: creditedCents };
  const amount = computeCreditAmount(creditable, requestedCents);
  const rail = await selectRailOfPayment(labScope, tx, invoice.id);
  if (rail === undefined) throw new Error(`the paid invoice ${invoice.id} has no posted payment`);
  const id = await issueCredit(context, tx, experiment, invoice, {
    rail,
    payment_reference: { ...invoice.settlement_reference },
    amount_cents: amount,
    tax_cents: computeTaxWithin(creditable, amount),
    is_credit: true,
    reason,
    requested_by: requestedBy,
  });
  const refund = await findRefund(labScope, tx, id);
  if (refund === undefined) throw fail('refund_not_found');
  return buildRefundInfo(refund);
}
