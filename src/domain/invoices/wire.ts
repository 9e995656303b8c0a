/** An invoice as the wire shows it. */
import type { Site } from '#core/context.ts';
import type { InvoiceRow } from './store.ts';

/** The payment page while the invoice is unpaid, a receipt afterwards; null while it is a draft. */
export function hostedUrl(site: Site, invoice: Pick<InvoiceRow, 'hosted_key'>): string | null {
  return invoice.hosted_key === null ? null : `${site.baseUrl}/pay/${invoice.hosted_key}`;
}

export function invoiceInfo(site: Site, invoice: InvoiceRow) {
  const url = hostedUrl(site, invoice);
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
    hosted_invoice_url: url,
    provider_invoice_id: invoice.external_id,
    provider_invoice_url: url,
    quote_id: invoice.quote_id,
    purchase_order_number: invoice.purchase_order_number,
    line_items: invoice.line_items,
    subtotal_cents: invoice.subtotal_cents,
    tax_cents: invoice.tax_cents,
    total_cents: invoice.total_cents,
    amount_paid_cents: invoice.amount_paid_cents,
    paid_at: invoice.paid_at,
    already_paid: invoice.status === 'paid',
    settlement_reference: invoice.settlement_reference,
    payment_method: invoice.payment_method,
  };
}
