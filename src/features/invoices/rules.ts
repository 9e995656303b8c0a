import { paymentMethods, type PaymentMethod } from '#core/capability.ts';
import { addMs, DAY_MS } from '#core/clock.ts';
import { fail } from '#core/failures.ts';
import type { Principal } from '#core/principal.ts';
import { toCents, computeShare, type Cents } from '#core/money.ts';
import { BANK_RAIL } from '../payments/rules.ts';

const PAYMENT_TERM_MS = 30 * DAY_MS;

export function computeDueDate(from: Date): Date {
  return addMs(from, PAYMENT_TERM_MS);
}

export function formatInvoiceNumber(year: number, number: number): string {
  return `INV-${year}-${number.toString().padStart(5, '0')}`;
}

/** Reads the payment method that a request names; without one the hosted invoice is used. */
export function chooseRail(named: string | undefined): PaymentMethod {
  if (named === undefined) return 'async_invoice';
  return parseRail(named);
}

function parseRail(text: string): PaymentMethod {
  const known = paymentMethods.find((method) => method === text);
  if (known === undefined)
    throw fail('unknown_payment_method', { asked: toPrintable(text), known: paymentMethods.join(', ') });
  return known;
}

/**
 * The rail is fixed at creation; a header that names another one is rejected. Throws `method_rail_mismatch`.
 */
export function refuseIfOtherRail(pinned: PaymentMethod, header: string | undefined): void {
  if (header === undefined) return;
  const rail = parseRail(header);
  if (rail !== pinned) throw fail('method_rail_mismatch', { pinned, asked: rail });
}

/** A token pays by no machine rail outside its payment policy. Throws `token_restricted`. */
export function refuseOutsidePolicy(rail: PaymentMethod, { restrictions }: Principal): void {
  const methods = restrictions.paymentMethods;
  if (methods !== null && rail !== 'async_invoice' && !methods.includes(rail))
    throw fail('token_restricted', { reason: `it does not pay by ${rail}` });
}

function toPrintable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 60);
}

/** Whether a bank transfer paid the invoice, so that people send its refunds. */
export function isPaidByTransfer({
  settlement_reference: reference,
}: {
  readonly settlement_reference?: { readonly type: string } | null;
}): boolean {
  return reference?.type === 'bank_transfer';
}

/** The amount of a refund, and the tax within it. */
export function formatCreditNoteNumber(year: number, number: number): string {
  return `CN-${year}-${number.toString().padStart(5, '0')}`;
}

interface Creditable {
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
