/** An open invoice as the document of it is built from, in the name of a lab with a bank account. */
import type { InvoiceDocument } from '#features/billing/document.ts';

const seller = { name: 'A lab', address_lines: [], tax_id: null, email: null, bank_lines: ['IBAN XX00'] };

/** What stands around an invoice in its document. */
export const documentSurroundings = { isSandbox: false, seller };

export const openInvoice: InvoiceDocument = {
  invoice_number: 'INV-2026-00001',
  status: 'open',
  finalized_at: '2026-01-20T09:00:00.000Z',
  due_date: '2026-02-19T09:00:00.000Z',
  paid_at: null,
  payment_method: 'async_invoice',
  purchase_order_number: null,
  experiment_code: 'DEMO-001-001',
  quote_number: 'Q-2026-00001',
  settlement_reference: null,
  hosted_url: 'https://lab.example/pay/key',
  pay_url: 'https://lab.example/api/v1/invoices/1/pay',
  credit_notes: [],
  replaces: null,
  replaced_by: null,
  parties: {
    seller,
    buyer: { name: 'A buyer', address_lines: [], country: null, tax_id: null },
    paper: 'a4',
  },
  currency: 'usd',
  line_items: [{ description: 'Assay', quantity: 1, unit_price_cents: 100, total_cents: 100 }],
  subtotal_cents: 100,
  tax_cents: 0,
  total_cents: 100,
  tax: { name: 'Tax', rate_basis_points: 0, note: '' },
};
