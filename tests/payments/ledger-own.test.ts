/** The ledger check against the built-in processor and the test tokens, and its daily run by the worker. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMs, HOUR_MS, MINUTE_MS } from '#core/clock.ts';
import type { Database } from '#core/sql.ts';
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

/** Nothing listens there. */
const DEAD_URL = 'http://127.0.0.1:9';
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

async function mintTestToken(): Promise<string> {
  const minted = await ask('POST', '/sandbox/payment-tokens', { body: { max_amount_cents: 99_999 } });
  return getText(minted.body.spt);
}

const hosted = await payer.createPaid();
await refundInvoice(hosted.invoiceId, 200);
const tokenInvoiceId = await payer.orderByToken();
expectStatus(await payer.payByToken(tokenInvoiceId, await mintTestToken()), 200);
await refundInvoice(tokenInvoiceId, 300);

test('ledger check: payments and refunds at the built-in processor and by test tokens → both hold what the books say', async () => {
  const report = await check();
  expectWholeLedger(report);
  const getPaidCents = async (id: string) =>
    getNumber((await ask('GET', `/invoices/${id}`)).body.total_cents);
  assert.equal(sumHeldOutside(report, 'hosted'), (await getPaidCents(hosted.invoiceId)) - 200);
  assert.equal(sumHeldOutside(report, 'mpp-spt'), (await getPaidCents(tokenInvoiceId)) - 300);
});

test('ledger check: each disagreement with a built-in processor → is named', async () => {
  const [charge] = await database.read.query<{ id: string }>('select id from test_charges');
  const faults: readonly (readonly [statement: string, kinds: readonly string[]])[] = [
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
  for (const [statement, kinds] of faults)
    await assert.rejects(
      database.runTransaction(async (tx) => {
        await tx.query(statement);
        // The check reads the fault within the transaction that is rolled back afterwards.
        const inside: Database = {
          read: tx,
          runTransaction: (fn) => fn(tx),
          isHealthy: () => database.isHealthy(),
          isDiskFull: () => database.isDiskFull(),
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

async function readLedgerChecks(): Promise<ReturnType<typeof getItems>> {
  const answer = await ask('GET', '/lab/audit?filter=eq(operation,check_ledger)');
  return getItems(answer.body.items);
}

test('daily ledger check: each day → one check in the audit trail, and a fault is logged', async () => {
  /** Runs the worker twice after some hours: the second time must not check again. */
  const passHours = async (hours: number): Promise<void> => {
    clock.advance(hours * HOUR_MS);
    await worker.runChores();
    await worker.runDue();
    await worker.runChores();
    await worker.runDue();
  };
  await passHours(0);
  const [clean] = await readLedgerChecks();
  assert.equal(getText(clean?.details?.outcome), 'clean');
  assert.equal(clean?.actor_kind, 'worker');
  await passHours(1);
  assert.equal((await readLedgerChecks()).length, 1);
  await database.read.query(
    `insert into test_charges select 'pi_test_more', organization_id, invoice_id, token, 'another', 1, currency, status,
       reason, $1 from test_charges limit 1`,
    [addMs(clock.now(), HOUR_MS)],
  );
  await passHours(24);
  const [wrong] = await readLedgerChecks();
  assert.equal(getText(wrong?.details?.outcome), 'findings');
  assert.match(JSON.stringify(wrong?.details), /collected_and_not_posted/);
  assert.ok(logLines.some((line) => /the books have errors/.test(line) && /pi_test_more/.test(line)));
  await database.read.query(`delete from test_charges where id = 'pi_test_more'`);
});

test('daily ledger check: a processor does not answer → the check is repeated after an hour and the failure logged', async () => {
  const other = await testService(
    buildChainVariables({
      options: { rpcUrl: DEAD_URL, facilitatorUrl: DEAD_URL },
      payTo: `0x${'1'.repeat(40)}`,
    }),
  );
  const { database: otherDatabase, worker: otherWorker } = other.service;
  await (await createBuilders(other)).createPaid();
  const countChecksAfter = async (minutes: number): Promise<number> => {
    other.clock.advance(minutes * MINUTE_MS);
    await otherWorker.runChores();
    while ((await otherWorker.runDue()) > 0);
    const rows = await otherDatabase.read.query<{ outcome: string }>(
      `select details->>'outcome' as outcome from audit_log where operation_id = 'check_ledger'`,
    );
    assert.ok(rows.every(({ outcome }) => outcome === 'not compared'));
    return rows.length;
  };
  assert.equal(await countChecksAfter(0), 1);
  assert.equal(await countChecksAfter(50), 1);
  assert.equal(await countChecksAfter(11), 2);
  assert.ok(
    other.logLines.some((line) => /the books could not be compared/.test(line) && /x402-exact/.test(line)),
  );
});
