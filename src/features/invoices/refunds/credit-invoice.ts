/** Starts the credit of a paid invoice: its amount and its rail. */
import type { Work, WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { labScope } from '#core/scope.ts';
import { selectRailOfPayment } from '../../ledger/store.ts';
import { computeCreditAmount, computeTaxWithin } from './rules.ts';
import { findRefund } from './store.ts';
import { buildRefundInfo } from './wire.ts';
import type { HeldInvoice } from '../hold-invoice.ts';
import { issueCredit } from './issue-credit.ts';

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
    paymentReference: { ...invoice.settlement_reference },
    amountCents: amount,
    taxCents: computeTaxWithin(creditable, amount),
    isCredit: true,
    reason,
    requestedBy,
  });
  const refund = await findRefund(labScope, tx, id);
  if (refund === undefined) throw fail('refund_not_found');
  return buildRefundInfo(refund);
}
