/** The wire form of an invoice. */
import type { Site } from '#core/context.ts';
import { fail, type Failure } from '#core/failures.ts';
import { UNTAXED } from '../pricing/totals.ts';
import type { InvoiceRow } from './store.ts';
import type { RefundRow } from './refunds/store.ts';

/** Address of the payment page while the invoice is unpaid, of the receipt afterwards; null while it is a draft. */
export function findHostedUrl(site: Site, invoice: Pick<InvoiceRow, 'hosted_key'>): string | null {
  return invoice.hosted_key === null ? null : `${site.baseUrl}/pay/${invoice.hosted_key}`;
}

/** Builds the costs of an experiment that has an invoice. */
export function buildInvoicedCosts(
  site: Site,
  invoice: Pick<InvoiceRow, 'total_cents' | 'currency' | 'status' | 'hosted_key'>,
) {
  return {
    type: 'invoiced' as const,
    amount_cents: invoice.total_cents,
    currency: invoice.currency,
    status: invoice.status,
    provider_invoice_url: findHostedUrl(site, invoice),
  };
}

/** Address at which a program pays the invoice. */
export function formatPayUrl(site: Site, { id }: Pick<InvoiceRow, 'id'>): string {
  return `${site.baseUrl}/api/v1/invoices/${id}/pay`;
}

/**
 * Creates the failure of an invoice that cannot be paid: names its status, the invoice to pay instead, and what becomes
 * of a payment that was made all the same (`payment` is a sentence).
 */
export function createNotPayableFailure(
  site: Site,
  {
    status,
    replaced_by: next,
    payment_method: method,
  }: Pick<InvoiceRow, 'status' | 'replaced_by' | 'payment_method'>,
  payment = '',
): Failure {
  const code = payment === '' ? 'invoice_not_payable' : 'payment_owed_back';
  if (next === null) return fail(code, { status, payment });
  const number = next.invoice_number ?? next.id;
  const url = method === 'async_invoice' ? findHostedUrl(site, next) : formatPayUrl(site, next);
  const problems = [
    { path: 'invoice_id', message: `is replaced by ${next.id}: pay ${number} at ${url ?? site.baseUrl}` },
  ];
  const parameters = { status: `${status}, replaced by ${number},`, payment };
  return fail(code, parameters, { problems });
}

interface CreditNoteRow {
  readonly id: string;
  readonly credit_note_number: string;
  readonly status: 'pending' | 'refunded' | 'action_required';
  readonly amount_cents: number;
  readonly tax_cents: number;
  readonly reason: string;
  readonly is_credit: boolean;
  readonly send_to: {
    readonly network: string;
    readonly address: string;
    readonly asset: string;
    readonly token: string;
    readonly base_units: string;
  } | null;
  readonly created_at: string;
  readonly refunded_at: string | null;
}

export function buildInvoiceInfo(site: Site, invoice: InvoiceRow, creditNotes: readonly CreditNoteRow[]) {
  const url = findHostedUrl(site, invoice);
  return {
    id: invoice.id,
    invoice_number: invoice.invoice_number,
    organization_id: invoice.organization_id,
    experiment_id: invoice.experiment_id,
    experiment_code: invoice.experiment_code,
    status: invoice.status,
    amount_cents: invoice.total_cents,
    currency: invoice.currency,
    created_at: invoice.created_at,
    due_date: invoice.due_date,
    eta: invoice.eta,
    hosted_invoice_url: url,
    provider_invoice_id: invoice.external_id,
    provider_invoice_url: url,
    quote_id: invoice.quote_id,
    purchase_order_number: invoice.purchase_order_number,
    line_items: invoice.line_items,
    subtotal_cents: invoice.subtotal_cents,
    tax_cents: invoice.tax_cents,
    total_cents: invoice.total_cents,
    tax: invoice.tax ?? UNTAXED,
    amount_paid_cents: invoice.amount_paid_cents,
    amount_refunded_cents: invoice.amount_refunded_cents,
    credit_notes: creditNotes.map((note) => buildCreditNote(note)),
    closed_reason: invoice.closed_reason,
    replaces: invoice.replaces,
    replaced_by: invoice.replaced_by === null ? null : buildInvoiceReference(site, invoice.replaced_by),
    paid_at: invoice.paid_at,
    already_paid: invoice.status === 'paid',
    settlement_reference: invoice.settlement_reference,
    payment_method: invoice.payment_method,
  };
}

function buildInvoiceReference(site: Site, next: NonNullable<InvoiceRow['replaced_by']>) {
  return { id: next.id, invoice_number: next.invoice_number, hosted_invoice_url: findHostedUrl(site, next) };
}

function buildCreditNote(note: CreditNoteRow) {
  return {
    refund_id: note.id,
    credit_note_number: note.credit_note_number,
    status: note.status,
    amount_cents: note.amount_cents,
    tax_cents: note.tax_cents,
    reason: note.reason,
    is_credit: note.is_credit,
    send_to: note.send_to,
    created_at: note.created_at,
    refunded_at: note.refunded_at,
  };
}

/** The wire form of a refund. */
export function buildRefundInfo(refund: RefundRow) {
  return {
    id: refund.id,
    organization_id: refund.organization_id,
    invoice_id: refund.invoice_id,
    credit_note_number: refund.credit_note_number,
    status: refund.status,
    rail: refund.rail,
    amount_cents: refund.amount_cents,
    tax_cents: refund.tax_cents,
    currency: refund.currency,
    is_credit: refund.is_credit,
    reason: refund.reason,
    reference: refund.reference,
    problem: refund.problem,
    send_to: refund.send_to,
    created_at: refund.created_at,
    refunded_at: refund.refunded_at,
  };
}
