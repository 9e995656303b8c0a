import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentSurroundings, openInvoice } from '#testing/invoice-document.ts';
import { buildInvoiceDocument, type InvoiceDocument } from './document.ts';

const getText = (changes: Partial<InvoiceDocument>): string =>
  JSON.stringify(buildInvoiceDocument({ ...openInvoice, ...changes }, documentSurroundings).blocks);

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
