import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '#testing/properties.ts';
import { DAY_MS, addMs } from '#core/clock.ts';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import { computePrice } from '#features/pricing/rules.ts';
import { UNTAXED } from '#features/pricing/totals.ts';
import { seedPriceList } from '#sandbox/seed/prices.ts';
import { createBuilders, expectStatus, createSequences } from '#testing/builders.ts';
import { getItems, getNumber, testService, getText, type Json } from '#testing/service.ts';

const harness = await testService();
const { ask, clock } = harness;
const { read } = harness.service.database;
const { createBody, targets, create, createQuoted, createInvoiced } = await createBuilders(harness);

async function estimateCost(spec: Readonly<Record<string, unknown>>): Promise<Json> {
  const { experiment_spec } = createBody(spec);
  const answer = await ask('POST', '/experiments/cost-estimate', { body: { experiment_spec } });
  return expectStatus(answer, 200).body.breakdown;
}

test('price: the example of the contract → equal to the cent', async () => {
  const breakdown = await estimateCost({ sequences: createSequences(5), n_replicates: 3 });
  assert.equal(breakdown.assay.subtotal_cents, 103_500);
  assert.equal(breakdown.materials.subtotal_cents, 2_500);
  assert.equal(breakdown.total_cents, 106_000);
  assert.equal(breakdown.pricing_version, 'v1_2026-01-20');
});

test('price: a control beside a sequence, one replicate → both are charged the price of a first replicate', async () => {
  const control = { aa_string: 'ACDEFGHIK', control: true };
  const one = await estimateCost({ sequences: { a: 'ACDEFGHIKL' }, n_replicates: 1 });
  const two = await estimateCost({ sequences: { a: 'ACDEFGHIKL', c: control }, n_replicates: 1 });
  assert.equal(one.assay.subtotal_cents, 14_900);
  assert.equal(two.assay.subtotal_cents, 29_800);
});

test('price: an assay without a target → no materials', async () => {
  const noTarget = { method: undefined, target_id: undefined, n_replicates: 2 };
  for (const entry of seedPriceList.prices) {
    const { experiment_type: type, unit_price_cents: unit, replicate_price_cents: more } = entry;
    if (type === 'screening' || type === 'affinity') continue;
    const breakdown = await estimateCost({ ...noTarget, experiment_type: type });
    assert.equal(breakdown.total_cents, unit + more);
    assert.ok(!('materials' in breakdown));
  }
});

test('cost_estimate: a target without an immediate price → incomplete, without a total', async () => {
  const { experiment_spec } = createBody({ target_id: targets.byHand });
  const answer = await ask('POST', '/experiments/cost-estimate', { body: { experiment_spec } });
  const { incomplete, breakdown } = expectStatus(answer, 200).body;
  assert.equal(breakdown, undefined);
  assert.equal(incomplete?.total_cents, null);
  assert.equal(incomplete?.materials_unavailable.target_id, targets.byHand);
});

/** The cheapest cover by trying every number of every lot. */
function computeByBruteForce(
  count: number,
  tiers: readonly { num_sequences: number; price_usdcent: number }[],
): number {
  const [tier, ...rest] = tiers;
  if (tier === undefined) return count > 0 ? Number.POSITIVE_INFINITY : 0;
  let best = Number.POSITIVE_INFINITY;
  for (let lots = 0; lots <= Math.ceil(count / tier.num_sequences); lots++) {
    const left = Math.max(0, count - lots * tier.num_sequences);
    best = Math.min(best, lots * tier.price_usdcent + computeByBruteForce(left, rest));
  }
  return best;
}

const tier = fc.record({
  num_sequences: fc.integer({ min: 1, max: 12 }),
  price_usdcent: fc.integer({ min: 0, max: 5_000 }),
});

test('price: lots for any number of sequences → the cheapest combination that covers them', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.array(tier, { minLength: 1, maxLength: 4 }),
      (count, tiers) => {
        const pricing = { type: 'per_broken_lot' as const, lot_prices: tiers };
        const target = { reference: { name: 'antigen' }, pricing };
        const request = {
          experiment_type: 'screening',
          method: 'spr',
          sequence_count: count,
          n_replicates: 1,
          target,
        };
        const price = computePrice(request, { ...seedPriceList, version: 'v1' }, UNTAXED);
        assert.ok(price?.kind === 'complete' && price.breakdown.materials?.type === 'per_broken_lot');
        const { lots, subtotal_cents: subtotal } = price.breakdown.materials;
        const covered = lots.reduce((total, lot) => total + lot.quantity * lot.num_sequences, 0);
        const paid = lots.reduce((total, lot) => total + lot.quantity * lot.lot_price_cents, 0);
        assert.ok(covered >= count);
        assert.ok(lots.every((lot) => lot.quantity > 0));
        assert.equal(subtotal, paid);
        assert.equal(subtotal, computeByBruteForce(count, tiers));
      },
    ),
    { numRuns: 400 },
  );
});

test('price: a target sold by lots → the cheapest combination of its own lots', async () => {
  const { body: target } = await ask('GET', `/targets/${targets.perLot}`);
  const tiers = getItems(target.pricing.lot_prices).map((lot) => ({
    num_sequences: getNumber(lot.num_sequences),
    price_usdcent: getNumber(lot.price_usdcent),
  }));
  for (const count of [1, 7, 23, 60]) {
    const breakdown = await estimateCost({ target_id: targets.perLot, sequences: createSequences(count) });
    assert.equal(breakdown.materials.type, 'per_broken_lot');
    assert.equal(breakdown.materials.subtotal_cents, computeByBruteForce(count, tiers));
  }
});

interface Order {
  readonly type: 'screening' | 'affinity' | 'thermostability' | 'expression' | 'fluorescence';
  readonly target: 'perSequence' | 'perLot';
  readonly count: number;
  readonly replicates: number;
}

const order: fc.Arbitrary<Order> = fc.record({
  type: fc.constantFrom('screening', 'affinity', 'thermostability', 'expression', 'fluorescence'),
  target: fc.constantFrom('perSequence', 'perLot'),
  count: fc.integer({ min: 1, max: 40 }),
  replicates: fc.integer({ min: 1, max: 5 }),
});

function createSpec({ type, target, count, replicates }: Order): Readonly<Record<string, unknown>> {
  const isBinding = type === 'screening' || type === 'affinity';
  return {
    experiment_type: type,
    n_replicates: replicates,
    sequences: createSequences(count),
    method: isBinding ? 'spr' : undefined,
    target_id: isBinding ? targets[target] : undefined,
  };
}

/** Lines that multiply and add up to the subtotal, and that with tax to the total. */
function assertAddsUp(document: Json, total: number): void {
  const lines = getItems(document.line_items);
  for (const line of lines)
    assert.equal(getNumber(line.quantity) * getNumber(line.unit_price_cents), line.total_cents);
  const subtotal = lines.reduce((sum, line) => sum + getNumber(line.total_cents), 0);
  assert.equal(document.subtotal_cents, subtotal);
  assert.equal(document.total_cents, subtotal + getNumber(document.tax_cents));
  assert.equal(document.total_cents, total);
  assert.equal(document.amount_cents, total);
}

async function readReceivable(invoiceId: string): Promise<number> {
  const [row] = await read.query<{ cents: number }>(
    `select coalesce(sum(e.debit_cents - e.credit_cents), 0)::bigint as cents from ledger_entries e
     join ledger_transactions t on t.id = e.transaction_id where t.invoice_id = $1 and e.account = 'receivable'`,
    [invoiceId],
  );
  return row?.cents ?? 0;
}

test('price: estimate, quote, invoice and ledger of one order → the same cents', async () => {
  await fc.assert(
    fc.asyncProperty(order, async (drawn) => {
      const spec = createSpec(drawn);
      const total = getNumber((await estimateCost(spec)).total_cents);
      const open = await createInvoiced(createBody(spec));
      assertAddsUp((await ask('GET', `/quotes/${open.quoteId}`)).body, total);
      assertAddsUp((await ask('GET', `/invoices/${open.invoiceId}`)).body, total);
      assert.equal((await ask('GET', `/experiments/${open.id}/quote`)).body.amount_total, total);
      assert.equal((await ask('GET', `/experiments/${open.id}`)).body.costs.amount_cents, total);
      assert.equal(await readReceivable(open.invoiceId), total);
    }),
    { numRuns: 25 },
  );
  assert.deepEqual(await checkLedger(labScope, read), []);
});

test('price: a new price list takes effect → an earlier quote keeps its version', async () => {
  const open = await createQuoted();
  const draft = await create();
  const prices = seedPriceList.prices.map((entry) =>
    entry.experiment_type === 'screening'
      ? { ...entry, unit_price_cents: 20_000, replicate_price_cents: 5_000 }
      : entry,
  );
  const body = { effective_from: addMs(clock.now(), DAY_MS).toISOString(), prices };
  const list = expectStatus(await ask('POST', '/lab/price-lists', { body }), 201);
  expectStatus(await ask('POST', `/lab/price-lists/${getText(list.body.id)}/publish`), 200);
  assert.equal((await estimateCost({})).pricing_version, 'v1_2026-01-20');
  clock.advance(DAY_MS);
  assert.equal((await estimateCost({})).pricing_version, 'v2_2026-03-03');

  const confirmed = await ask('POST', `/quotes/${open.quoteId}/confirm`, { body: {} });
  const invoice = await ask('GET', `/invoices/${getText(confirmed.body.invoice_id)}`);
  assert.equal(invoice.body.total_cents, 14_900 + 2 * 2_900 + 500);
  assert.equal((await ask('GET', `/quotes/${open.quoteId}`)).body.pricing_version, 'v1_2026-01-20');

  // A draft is priced when it is submitted.
  expectStatus(await ask('POST', `/experiments/${draft.id}/submit`), 200);
  const quote = await ask('GET', `/experiments/${draft.id}/quote`);
  assert.equal(quote.body.amount_total, 20_000 + 2 * 5_000 + 500);
});
