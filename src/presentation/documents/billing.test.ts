import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildInvoiceDocument, type InvoiceDocument } from './billing.ts';

const seller = { name: 'A lab', address_lines: [], tax_id: null, email: null, bank_lines: ['IBAN XX00'] };
const around = { isSandbox: false, seller };
const open: InvoiceDocument = {
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
const getText = (changes: Partial<InvoiceDocument>): string =>
  JSON.stringify(buildInvoiceDocument({ ...open, ...changes }, around).blocks);

test('invoice PDF: paid by a program → names the method and its address, no page or account', () => {
  const hosted = getText({});
  assert.match(hosted, /lab\.example\/pay\/key/);
  assert.match(hosted, /IBAN XX00/);
  for (const method of ['x402-exact', 'mpp-spt']) {
    const text = getText({ payment_method: method });
    assert.ok(text.includes(method));
    assert.match(text, /POST https:\/\/lab\.example\/api\/v1\/invoices\/1\/pay/);
    assert.doesNotMatch(text, /pay\/key|IBAN/);
  }
});

test('invoice PDF: void → not to be paid; uncollectible → still owed', () => {
  assert.match(getText({ status: 'void' }), /void\. Do not pay it/);
  const text = getText({ status: 'uncollectible' });
  assert.match(text, /still owed: write to the lab/);
  assert.doesNotMatch(text, /Do not pay/);
});

test('invoice PDF: a receipt with a credit note → names what was credited', () => {
  const paid = { status: 'paid', paid_at: '2026-01-21T09:00:00.000Z' } as const;
  const note = { credit_note_number: 'CN-2026-00001', amount_cents: 50, refunded_at: null };
  assert.match(getText({ ...paid, credit_notes: [note] }), /CN-2026-00001: \$0\.50 is being refunded/);
  const sent = { ...note, refunded_at: '2026-01-22T09:00:00.000Z' };
  assert.match(getText({ ...paid, credit_notes: [sent] }), /was refunded on 22 January 2026/);
  assert.doesNotMatch(getText(paid), /Credit note/);
});
