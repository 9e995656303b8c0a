/** The same cents everywhere: on the estimate, the quote, its document, the invoice, its document and in the books. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '#testing/properties.ts';
import { labScope } from '#core/scope.ts';
import { formatUsd, computeShare } from '#core/money.ts';
import { drawPdf } from '#documents/pdf/draw.ts';
import { checkLedger, selectInvoiceBalances } from '#features/ledger/store.ts';
import type { LineItem } from '#features/pricing/contract.ts';
import { computeTotals } from '#features/pricing/totals.ts';
import { toBaseUnits } from '#features/payments/x402-rules.ts';
import { composeQuote } from '#features/quotes/custom-quote.ts';
import { computeCreditAmount, computeTaxWithin } from '#features/invoices/rules.ts';
import { findDocument } from '#features/quotes/documents.ts';
import { createBuilders, createSequences, expectFailure, expectStatus } from '#testing/builders.ts';
import { findMisplaced, readPdf } from '#testing/pdf.ts';
import { getItems, getNumber, testService, getText } from '#testing/service.ts';

const service = await testService();
const { ask } = service;
const { database, work } = service.service;
const { createBody, createQuoted, createUnpriced } = await createBuilders(service);

const lineItems = fc.array(
  fc.record({
    description: fc.constantFrom('Assay', 'Antigen', 'Gene fragments'),
    quantity: fc.integer({ min: 1, max: 5_000 }),
    unit_price_cents: fc.integer({ min: 0, max: 10_000_000 }),
  }),
  { minLength: 1, maxLength: 12 },
);
const shares = fc.array(fc.integer({ min: 1, max: 2_500 }), { maxLength: 3 });
const rates = fc.record({
  name: fc.constant('VAT'),
  rate_basis_points: fc.integer({ min: 0, max: 10_000 }),
  note: fc.constant(''),
});
const createDiscounts = (parts: readonly number[]) =>
  parts.map((part, index) => ({ description: `Discount ${index + 1}`, basis_points: part }));
const sumLines = (lines: readonly Pick<LineItem, 'total_cents'>[]) =>
  lines.reduce((total, line) => total + line.total_cents, 0);

test('totals: random lines, discounts and taxes → lines add up to the subtotal, and with the tax to the total', () => {
  fc.assert(
    fc.property(lineItems, shares, rates, (line_items, parts, tax) => {
      const composed = composeQuote({ line_items, discounts: createDiscounts(parts) }, tax);
      assert.ok('lines' in composed);
      const { lines, totals } = composed;
      assert.equal(sumLines(lines), totals.subtotal_cents);
      assert.equal(totals.subtotal_cents + totals.tax_cents, totals.total_cents);
      const whole = BigInt(line_items.reduce((sum, item) => sum + item.quantity * item.unit_price_cents, 0));
      const part = BigInt(parts.reduce((sum, each) => sum + each, 0));
      assert.equal(BigInt(totals.subtotal_cents), whole - (2n * whole * part + 10_000n) / 20_000n);
      const exact = BigInt(totals.subtotal_cents) * BigInt(tax.rate_basis_points);
      assert.equal(BigInt(totals.tax_cents), (2n * exact + 10_000n) / 20_000n);
      for (const line of lines) assert.equal(line.quantity * line.unit_price_cents, line.total_cents);
      assert.deepEqual(computeTotals(lines, tax), totals);
      // What a challenge of a token with six decimals asks for.
      assert.equal(toBaseUnits(totals.total_cents, 6), String(BigInt(totals.total_cents) * 10_000n));
    }),
    { numRuns: 2_000 },
  );
});

test('credits: an invoice is credited in parts → exactly the paid tax is given back', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5_000_000 }),
      fc.integer({ min: 0, max: 10_000 }),
      fc.array(fc.integer({ min: 1, max: 400_000 }), { maxLength: 20 }),
      (subtotal, rate, parts) => {
        const tax = computeShare(subtotal, rate, 10_000);
        const total = subtotal + tax;
        let credited = 0;
        let taxCredited = 0;
        for (const part of [...parts, undefined]) {
          const invoice = {
            amount_paid_cents: total,
            total_cents: total,
            tax_cents: tax,
            credited_cents: credited,
          };
          if (part !== undefined && part >= total - credited) continue;
          const amount = computeCreditAmount(invoice, part);
          const within = computeTaxWithin(invoice, amount);
          assert.ok(within >= 0 && within <= amount);
          credited += amount;
          taxCredited += within;
        }
        assert.deepEqual([credited, taxCredited], [total, tax]);
      },
    ),
    { numRuns: 2_000 },
  );
});

async function readDocument(kind: string, id: string): Promise<string> {
  const found = await findDocument({ ...work, sql: database.read }, kind, id);
  assert.ok(found !== undefined);
  const read = await readPdf(await drawPdf(found.document));
  assert.deepEqual(findMisplaced(read), []);
  return read.text;
}

interface Sums {
  readonly subtotal_cents: number;
  readonly tax_cents: number;
  readonly total_cents: number;
}

/** Follows an open quote to its invoice, both documents and the books. */
async function assertSameCents(quoteId: string, expected: Sums): Promise<void> {
  const of = (json: { readonly [key: string]: unknown }) =>
    [json.subtotal_cents, json.tax_cents, json.total_cents].map(Number);
  const { subtotal_cents: subtotal, tax_cents: tax, total_cents: total } = expected;
  const quote = expectStatus(await ask('GET', `/quotes/${quoteId}`), 200).body;
  assert.deepEqual(of(quote), [subtotal, tax, total]);
  const printed = [subtotal, tax, total].map((amount) => formatUsd(amount));
  const order = new RegExp(printed.map((amount) => amount.replaceAll(/[$.]/g, String.raw`\$&`)).join('.*'));
  assert.match(await readDocument('quotes', quoteId), order);
  const accepted = expectStatus(await ask('POST', `/quotes/${quoteId}/confirm`, { body: {} }), 200);
  const invoiceId = getText(accepted.body.invoice_id);
  const invoice = (await ask('GET', `/invoices/${invoiceId}`)).body;
  assert.deepEqual(of(invoice), [subtotal, tax, total]);
  assert.equal(
    sumLines(getItems(invoice.line_items).map((line) => ({ total_cents: getNumber(line.total_cents) }))),
    subtotal,
  );
  assert.match(await readDocument('invoices', invoiceId), order);
  const books = await selectInvoiceBalances(labScope, database.read, invoiceId);
  if (total > 0) {
    const { receivable = 0, deferred_revenue: deferred = 0, tax: owed = 0 } = books;
    assert.deepEqual([receivable, 0 - deferred, 0 - owed], [total, subtotal, tax]);
  }
}

async function setRate(basisPoints: number): Promise<void> {
  const rate = { country: 'DE', name: 'VAT', treatment: 'taxed', rate_basis_points: basisPoints };
  expectStatus(await ask('POST', '/lab/tax-rates', { body: rate }), 200);
  expectStatus(await ask('PATCH', '/billing/profile', { body: { country: 'DE' } }), 200);
}

test('totals: random orders of the price list → the same cents from the estimate to the books', async () => {
  const orders = fc.record({
    count: fc.integer({ min: 1, max: 7 }),
    replicates: fc.integer({ min: 1, max: 5 }),
    rate: fc.integer({ min: 0, max: 10_000 }),
  });
  await fc.assert(
    fc.asyncProperty(orders, async ({ count, replicates, rate }) => {
      await setRate(rate);
      const order = createBody({ sequences: createSequences(count), n_replicates: replicates });
      const request = { body: { experiment_spec: order.experiment_spec } };
      const { totals } = expectStatus(await ask('POST', '/experiments/cost-estimate', request), 200).body;
      const { quoteId } = await createQuoted(order);
      const sums = {
        subtotal_cents: getNumber(totals.subtotal_cents),
        tax_cents: getNumber(totals.tax_cents),
        total_cents: getNumber(totals.total_cents),
      };
      assert.equal(sums.tax_cents, computeShare(sums.subtotal_cents, rate, 10_000));
      await assertSameCents(quoteId, sums);
    }),
    { numRuns: 10 },
  );
  assert.deepEqual(await checkLedger(labScope, database.read), []);
});

test('totals: random custom quotes with discounts → the same cents from the quote to the books', async () => {
  await fc.assert(
    fc.asyncProperty(lineItems, shares, rates, async (line_items, parts, tax) => {
      await setRate(tax.rate_basis_points);
      const { id } = await createUnpriced();
      const discounts = createDiscounts(parts);
      const quote = { experiment_id: id, line_items, discounts };
      const made = expectStatus(await ask('POST', '/lab/quotes', { body: quote }), 201);
      const quoteId = getText(made.body.id);
      expectStatus(await ask('POST', `/lab/quotes/${quoteId}/open`), 200);
      const composed = composeQuote({ line_items, discounts }, tax);
      assert.ok('totals' in composed);
      await assertSameCents(quoteId, composed.totals);
    }),
    { numRuns: 15 },
  );
  assert.deepEqual(await checkLedger(labScope, database.read), []);
});

test('quote PDF: a quote of 1,000 lines → every line is in the document', async () => {
  const { id } = await createUnpriced();
  const line_items = Array.from({ length: 1_000 }, (_, index) => ({
    description: `Design ${index + 1}`,
    quantity: 1,
    unit_price_cents: 100 + index,
  }));
  const quote = { experiment_id: id, line_items };
  const made = expectStatus(await ask('POST', '/lab/quotes', { body: quote }), 201);
  const text = await readDocument('quotes', getText(made.body.id));
  for (const place of [1, 500, 1_000]) assert.match(text, new RegExp(`Design ${place} 1 \\$`));
});

test('total of zero: a quote with a discount of 100 % is accepted → paid at once, nothing is posted, and no transfer is taken', async () => {
  const { id } = await createUnpriced();
  const free = { description: 'Pilot', quantity: 1, unit_price_cents: 5_000 };
  const discounts = [{ description: 'On the house', basis_points: 10_000 }];
  const quote = { experiment_id: id, line_items: [free], discounts };
  const quoteId = getText(expectStatus(await ask('POST', '/lab/quotes', { body: quote }), 201).body.id);
  expectStatus(await ask('POST', `/lab/quotes/${quoteId}/open`), 200);
  const accepted = expectStatus(await ask('POST', `/quotes/${quoteId}/confirm`, { body: {} }), 200);
  const invoice = await ask('GET', `/invoices/${getText(accepted.body.invoice_id)}`);
  assert.equal(invoice.body.status, 'paid');
  const transfer = await ask('POST', `/lab/invoices/${getText(invoice.body.id)}/bank-transfer`, {
    body: { reference: 'SEPA for nothing' },
  });
  const refused = expectFailure(transfer, 422, 'invoice_not_payable');
  assert.equal(refused.body.error, 'The invoice is free (its total is 0) and cannot be paid.');
  assert.deepEqual(await checkLedger(labScope, database.read), []);
});
