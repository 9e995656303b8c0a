/** The amount of a refund, and the tax within it. */
import { fail } from '#core/failures.ts';
import { toCents, computeShare, type Cents } from '#core/money.ts';
import { BANK_RAIL } from '../../payments/rails.ts';

export function formatCreditNoteNumber(year: number, number: number): string {
  return `CN-${year}-${number.toString().padStart(5, '0')}`;
}

export interface Creditable {
  readonly amount_paid_cents: number;
  readonly tax_cents: number;
  readonly total_cents: number;
  /** Sum of earlier credit notes, whether sent or not. */
  readonly credited_cents: number;
}

/**
 * The requested amount in cents, or all that is left. Throws `refund_exceeds_payment`.
 */
export function computeCreditAmount(invoice: Creditable, requestedCents: number | undefined): Cents {
  const left = invoice.amount_paid_cents - invoice.credited_cents;
  const amount = requestedCents ?? left;
  if (amount > left || amount <= 0) throw fail('refund_exceeds_payment', { left_cents: left });
  return toCents(amount);
}

/** Computes the tax within a credit. The shares of consecutive credits add up to the invoice's tax exactly. */
export function computeTaxWithin(invoice: Creditable, amount: Cents): Cents {
  const computeTaxUpTo = (credited: number): Cents =>
    computeShare(invoice.tax_cents, credited, invoice.total_cents);
  return toCents(computeTaxUpTo(invoice.credited_cents + amount) - computeTaxUpTo(invoice.credited_cents));
}

/** Whether people alone can send a refund over this rail. */
export function isSentByHand(rail: string): boolean {
  return rail === BANK_RAIL;
}
