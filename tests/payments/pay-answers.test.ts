/** What each caller of `POST /invoices/{id}/pay` is told when several come, or come with the wrong thing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import { fakeRail } from '#testing/fake-rail.ts';
import { serializeCredential, createTokenPayer } from '#testing/payment-client.ts';
import { createMachineOrders } from '#testing/machine-orders.ts';
import { testService, getText, type TestAnswer } from '#testing/service.ts';

const ROUNDS = Number(process.env.ASSAYER_PAYMENT_RACES ?? '15');
const chain = fakeRail('x402-exact');
const service = await testService({}, { rails: [chain] });
const { ask } = service;
const { read } = service.service.database;
const { createOrder, payWith, createInvoiced } = await createMachineOrders(service);

const cards = await testService();
const payer = await createTokenPayer(cards);

async function mint(): Promise<string> {
  const body = { max_amount_cents: 99_999 };
  return getText(expectStatus(await cards.ask('POST', '/sandbox/payment-tokens', { body }), 201).body.spt);
}

/** One took the money; the other is told what it is told when it comes later. */
function assertOnePaid(answers: readonly TestAnswer[], otherwise: string): void {
  const outcomes = answers.map(({ status, body }) =>
    status === 200 ? '200' : `${status} ${getText(body.code)}`,
  );
  assert.deepEqual(outcomes.toSorted(), ['200', otherwise], JSON.stringify(answers.map(({ text }) => text)));
}

test(`payment_refused: one authorization for two invoices at once, ${ROUNDS} rounds → pays one of them`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const ids = await Promise.all([createOrder(), createOrder()]);
    const answers = await Promise.all(ids.map((id) => payWith(id, `one:${round}`)));
    assertOnePaid(answers, '402 payment_refused');
    const loser = ids[answers.findIndex(({ status }) => status !== 200)] ?? '';
    assert.match(
      getText(expectFailure(await payWith(loser, `one:${round}`), 402, 'payment_refused').body.error),
      /another invoice/,
    );
    assert.equal(chain.moved.get(`one:${round}`), 1);
    expectStatus(await payWith(loser, `two:${round}`), 200);
  }
});

test(`payment_declined: one shared token for two invoices at once, ${ROUNDS} rounds → pays one of them`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const ids = await Promise.all([payer.orderByToken(), payer.orderByToken()]);
    const token = await mint();
    const challenges = await Promise.all(
      ids.map(async (id) => ({
        id,
        credential: serializeCredential(await payer.readChallenge(id), token, id),
      })),
    );
    const answers = await Promise.all(challenges.map(({ id, credential }) => payer.answer(id, credential)));
    assertOnePaid(answers, '422 payment_declined');
    const refused = answers.find(({ status }) => status !== 200);
    assert.match(getText(refused?.body.error), /given for another invoice; mint a new one/);
  }
  const [charged] = await cards.service.database.read.query<{ count: number }>(
    `select count(*) as count from test_charges where status = 'charged'`,
  );
  assert.equal(charged?.count, ROUNDS);
});

test('already_paid: three callers at once → false for the credential that paid, true for the others', async () => {
  for (let round = 0; round < 20; round += 1) {
    const id = await createOrder();
    const keys = [`own:${round}`, `other:${round}`, `third:${round}`];
    const answers = await Promise.all(keys.map((key) => payWith(id, key)));
    for (const [at, key] of keys.entries()) {
      const { status, body } = answers[at] ?? assert.fail();
      if (status === 200) assert.equal(body.already_paid, !chain.moved.has(key), key);
      else assert.equal(chain.moved.has(key), false);
    }
  }
});

test('already_paid: a new credential finds that an earlier one has paid → true', async () => {
  const id = await createOrder();
  chain.next = 'answer lost';
  expectFailure(await payWith(id, 'lost:1'), 503, 'payment_outcome_unknown');
  assert.equal(expectStatus(await payWith(id, 'new:2'), 200).body.already_paid, true);
});

test('already_paid: the same credential after a lost answer → false, then true', async () => {
  const id = await createOrder();
  chain.next = 'answer lost';
  expectFailure(await payWith(id, 'kept:1'), 503, 'payment_outcome_unknown');
  assert.equal(expectStatus(await payWith(id, 'kept:1'), 200).body.already_paid, false);
  assert.equal(expectStatus(await payWith(id, 'kept:1'), 200).body.already_paid, true);
});

test('already_paid: a paid invoice gets any payment header → 200', async () => {
  const id = await createOrder();
  expectFailure(
    await payWith(id, undefined, { headers: { 'x-service-payment-method': 'mpp-spt' } }),
    409,
    'method_rail_mismatch',
  );
  expectStatus(await payWith(id, 'paid:1'), 200);
  const { invoiceId: hosted } = await createInvoiced();
  expectStatus(await ask('POST', `/lab/invoices/${hosted}/bank-transfer`), 201);
  await service.service.worker.runDue();
  for (const invoice of [id, hosted])
    for (const method of ['x402-exact', 'mpp-spt', 'async_invoice', 'bogus']) {
      const answer = await payWith(invoice, 'any:1', { headers: { 'x-service-payment-method': method } });
      assert.equal(expectStatus(answer, 200).body.already_paid, true);
    }
});

test('ledger: after all tests of this file → no finding on either rail', async () => {
  assert.deepEqual(await checkLedger(labScope, read), []);
  assert.deepEqual(await checkLedger(labScope, cards.service.database.read), []);
});
