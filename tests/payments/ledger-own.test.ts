/** The ledger check against processors of our own, and its daily round. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMs as instant, HOUR_MS, MINUTE_MS } from '#core/clock.ts';
import type { Database } from '#core/sql.ts';
import { toExactFromUnits, formatExact, toFractionalCents } from '#domain/ledger/outside-book.ts';
import { matchMovements } from '#domain/ledger/outside-rules.ts';
import type { BookEntry, Movement } from '#domain/ledger/outside-book.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import {
  buildChainVariables,
  checkWithOutside,
  expectWholeLedger,
  sumHeldOutside,
  listKinds,
} from '#testing/ledger.ts';
import { createTokenPayer } from '#testing/payment-client.ts';
import { getItems, getNumber, testService, getText } from '#testing/service.ts';

const NOBODY = 'http://127.0.0.1:9';
const service = await testService();
const { ask, clock, logLines } = service;
const { database, worker } = service.service;
const payer = await createTokenPayer(service);
const check = () => checkWithOutside({ database, clock });

async function refundInvoice(invoiceId: string, cents: number): Promise<void> {
  const body = { amount_cents: cents, reason: 'late' };
  expectStatus(await ask('POST', `/lab/invoices/${invoiceId}/refunds`, { body }), 201);
  await worker.runDue();
}

async function mint(): Promise<string> {
  const made = await ask('POST', '/sandbox/payment-tokens', { body: { max_amount_cents: 99_999 } });
  return getText(made.body.spt);
}

const hosted = await payer.createPaid();
await refundInvoice(hosted.invoiceId, 200);
const token = await payer.orderByToken();
expectStatus(await payer.payByToken(token, await mint()), 200);
await refundInvoice(token, 300);

test('ledger check: the built-in processor and the test tokens → hold what the books say', async () => {
  const report = await check();
  expectWholeLedger(report);
  const paidCents = async (id: string) => getNumber((await ask('GET', `/invoices/${id}`)).body.total_cents);
  assert.equal(sumHeldOutside(report, 'hosted'), (await paidCents(hosted.invoiceId)) - 200);
  assert.equal(sumHeldOutside(report, 'mpp-spt'), (await paidCents(token)) - 300);
});

test('ledger check: each disagreement with a built-in processor → is named', async () => {
  const [charge] = await database.read.query<{ id: string }>('select id from test_charges');
  const stories: readonly (readonly [string, readonly string[]])[] = [
    ['update processor_payments set amount_cents = amount_cents + 1', ['amount_differs_outside']],
    ['update processor_refunds set amount_cents = amount_cents + 1', ['amount_differs_outside']],
    ['delete from processor_refunds', ['posted_and_not_sent_back']],
    ['delete from test_refunds', ['posted_and_not_sent_back']],
    [`update test_charges set status = 'declined', reason = 'no'`, ['posted_and_not_collected']],
    [
      `insert into test_charges select 'pi_test_more', organization_id, invoice_id, token, 'another', 1, currency, status,
         reason, created_at from test_charges`,
      ['collected_and_not_posted'],
    ],
    [
      `insert into test_refunds select 're_test_more', organization_id, '${charge?.id}', 'refund:none:1', 1, created_at
       from test_refunds`,
      ['sent_back_and_not_posted'],
    ],
  ];
  for (const [statement, kinds] of stories)
    await assert.rejects(
      database.runTransaction(async (tx) => {
        await tx.query(statement);
        // Everything is asked within this transaction.
        const inside: Database = {
          read: tx,
          runTransaction: (fn) => fn(tx),
          isHealthy: () => database.isHealthy(),
          isOutOfSpace: () => database.isOutOfSpace(),
          close: async () => undefined,
        };
        const found = listKinds(await checkWithOutside({ database: inside, clock }));
        assert.deepEqual([...new Set(found)], kinds, statement);
        throw new Error('undo');
      }),
      /undo/,
    );
  expectWholeLedger(await check());
});

test('ledger check: a refund that staff recorded by hand → counted separately', async () => {
  const id = await payer.createRefusedRefund();
  const path = `/lab/refunds/${id}/record`;
  expectStatus(await ask('POST', path, { body: { reference: 'SEPA 2026 0017' } }), 200);
  const report = await check();
  expectWholeLedger(report);
  assert.equal(report.by_hand.entries, 1);
});

async function readTrail(): Promise<readonly (typeof entriesType)[]> {
  const answer = await ask('GET', '/lab/audit?filter=eq(operation,check_ledger)');
  return getItems(answer.body.items);
}
declare const entriesType: ReturnType<typeof getItems>[number];

test('daily ledger check: each day → one check in the audit log, and a fault is logged', async () => {
  const day = async (hours: number): Promise<void> => {
    clock.advance(hours * HOUR_MS);
    await worker.runChores();
    await worker.runDue();
    await worker.runChores();
    await worker.runDue();
  };
  await day(0);
  const [clean] = await readTrail();
  assert.equal(getText(clean?.details?.outcome), 'clean');
  assert.equal(clean?.actor_kind, 'worker');
  await day(1);
  assert.equal((await readTrail()).length, 1);
  await database.read.query(
    `insert into test_charges select 'pi_test_more', organization_id, invoice_id, token, 'another', 1, currency, status,
       reason, $1 from test_charges limit 1`,
    [instant(clock.now(), HOUR_MS)],
  );
  await day(24);
  const [wrong] = await readTrail();
  assert.equal(getText(wrong?.details?.outcome), 'findings');
  assert.match(JSON.stringify(wrong?.details), /collected_and_not_posted/);
  assert.ok(logLines.some((line) => /the books have errors/.test(line) && /pi_test_more/.test(line)));
  await database.read.query(`delete from test_charges where id = 'pi_test_more'`);
});

test('daily ledger check: a processor does not answer → asked again after an hour, and reported', async () => {
  const other = await testService(
    buildChainVariables({
      options: { rpcUrl: NOBODY, facilitatorUrl: NOBODY },
      payTo: `0x${'1'.repeat(40)}`,
    }),
  );
  const { database: books, worker: at } = other.service;
  await (await createBuilders(other)).createPaid();
  const checksAfter = async (minutes: number): Promise<number> => {
    other.clock.advance(minutes * MINUTE_MS);
    await at.runChores();
    while ((await at.runDue()) > 0);
    const rows = await books.read.query<{ outcome: string }>(
      `select details->>'outcome' as outcome from audit_log where operation_id = 'check_ledger'`,
    );
    assert.ok(rows.every(({ outcome }) => outcome === 'not compared'));
    return rows.length;
  };
  assert.equal(await checksAfter(0), 1);
  assert.equal(await checksAfter(50), 1);
  assert.equal(await checksAfter(11), 2);
  assert.ok(
    other.logLines.some((line) => /the books could not be compared/.test(line) && /x402-exact/.test(line)),
  );
});

test('exact amounts: tokens of any decimals beside cents → no rounding', () => {
  assert.equal(formatExact(toExactFromUnits(1_234_567n, 10_000n)), '$1.234567');
  assert.equal(formatExact(toExactFromUnits(1n, 10n ** 16n)), '$0.000000000000000001');
  assert.equal(formatExact(-toExactFromUnits(123_456_789n, 1n)), '-$1,234,567.89');
  assert.equal(toFractionalCents(toExactFromUnits(15_000n, 10_000n)), 1.5);
});

test('ledger matching: postings and movements of one payer → equal amounts first, one movement per posting', () => {
  const entry = (id: string, amountCents: number, payer: string): BookEntry => ({
    id,
    rail: 'x402-exact',
    direction: 'received',
    invoiceId: id,
    document: id,
    reference: '0xa',
    amountCents,
    currency: 'usd',
    postedAt: new Date(0),
    isByHand: false,
    transfer: { network: 'eip155:1', asset: '0x1', payTo: '0x2', payer },
  });
  const movement = (cents: number, party: string): Movement => ({
    rail: 'x402-exact',
    direction: 'received',
    reference: '0xa',
    party,
    amount: toExactFromUnits(BigInt(cents), 1n),
    currency: 'usd',
    at: new Date(0),
    state: 'settled',
    invoiceId: null,
    refundId: null,
  });
  const one = matchMovements(
    [entry('a', 5, 'p'), entry('b', 7, 'p'), entry('c', 7, 'p')],
    [movement(7, 'p'), movement(9, 'q')],
  );
  assert.deepEqual(
    [one.pairs.map((pair) => pair.entry.id), one.entries.map(({ id }) => id), one.movements.length],
    [['b'], ['a', 'c'], 1],
  );
  const two = matchMovements([entry('a', 5, 'p')], [movement(6, 'p'), movement(5, 'p')]);
  assert.deepEqual([two.pairs[0]?.movement.amount, two.movements.length], [toExactFromUnits(5n, 1n), 1]);
});
