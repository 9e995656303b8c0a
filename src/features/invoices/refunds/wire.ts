/** The wire form of a refund. */
import type { RefundRow } from './store.ts';

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
