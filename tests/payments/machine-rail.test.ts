/** The seam between invoices and rails for machines, over a rail whose outside is a map. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import { createSingleFlight } from '#core/single-flight.ts';
import { selectLiveAttempt } from '#features/payments/attempt-store.ts';
import { indexMachineRails } from '#features/payments/machine-rail.ts';
import { driveAttempt, examineAttempt, reconcilePayments } from '#features/payments/drive-attempt.ts';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import { fakeRail } from '#testing/fake-rail.ts';
import { holdFirstDrive } from '#testing/held-drive.ts';
import { createMachineOrders } from '#testing/machine-orders.ts';
import { testService, getText, type TestAnswer } from '#testing/service.ts';

const rail = fakeRail();
const service = await testService({}, { rails: [rail] });
const { ask, clock } = service;
const { database, work } = service.service;
const { createOrder, payWith, createBody } = await createMachineOrders(service);

const listAttempts = (id: string) =>
  database.read.query<{ n: number; state: string }>(
    'select n, state from payment_attempts where invoice_id = $1 order by n',
    [id],
  );
const readStatus = async (id: string) => getText((await ask('GET', `/invoices/${id}`)).body.status);

/** As another process would: it shares the database and nothing else. */
const reconcile = () =>
  reconcilePayments({
    work,
    database,
    payments: { rails: indexMachineRails([rail]), flights: createSingleFlight() },
  });

function tally(answers: readonly TestAnswer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test('already_paid: a paid invoice gets any credential → 200, and the rail is not asked again', async () => {
  const id = await createOrder();
  const first = expectStatus(await payWith(id, 'a:1'), 200);
  assert.equal(first.body.already_paid, false);
  const settlements = rail.calls.settle;
  for (const credential of [undefined, 'a:1', 'a:2', 'bad:3']) {
    const again = expectStatus(await payWith(id, credential), 200);
    assert.equal(again.body.already_paid, true);
    assert.deepEqual(again.body.settlement_reference, first.body.settlement_reference);
    assert.equal(again.headers['payment-response'], 'a:1');
  }
  assert.equal(rail.calls.settle, settlements);
});

test('one payment: 20 requests at once with one credential → the money moves once', async () => {
  const id = await createOrder();
  const answers = await Promise.all(Array.from({ length: 20 }, () => payWith(id, 'b:1')));
  assert.deepEqual(tally(answers), { 200: 20 });
  assert.equal(rail.moved.get('b:1'), 1);
});

test('one live attempt: 20 credentials at once → one pays, the others move nothing', async () => {
  const id = await createOrder();
  const keys = Array.from({ length: 20 }, (_, index) => `c:${index}`);
  const answers = await Promise.all(keys.map((key) => payWith(id, key)));
  assert.ok(answers.every(({ status }) => status === 200 || status === 402));
  assert.equal(keys.filter((key) => rail.moved.has(key)).length, 1);
  assert.equal(await readStatus(id), 'paid');
});

test('payment_outcome_unknown: the money moved and the answer was lost → the same or another credential finds it', async () => {
  for (const later of ['d:1', 'd:other']) {
    const id = await createOrder();
    rail.next = 'answer lost';
    const key = `${later}:first`;
    expectFailure(await payWith(id, key), 503, 'payment_outcome_unknown');
    const paid = expectStatus(await payWith(id, later === 'd:1' ? key : later), 200);
    assert.equal(paid.body.status, 'paid');
    assert.equal(rail.moved.get(key), 1);
    assert.equal(rail.moved.has(later), false);
  }
});

test('reconciliation: the request of an attempt died → the payment is found within 60 s', async () => {
  const id = await createOrder();
  rail.next = 'answer lost';
  expectFailure(await payWith(id, 'e:1'), 503, 'payment_outcome_unknown');
  assert.deepEqual(await listAttempts(id), [{ n: 1, state: 'settling' }]);
  for (let waited = 0; waited < 60_000 && (await readStatus(id)) !== 'paid'; waited += 10_000) {
    clock.advance(10_000);
    await reconcile();
  }
  assert.equal(await readStatus(id), 'paid');
  assert.deepEqual(await listAttempts(id), [{ n: 1, state: 'paid' }]);
});

test('lease: a process dies with an attempt → another process may take it after 40 s', async () => {
  const id = await createOrder();
  rail.next = 'answer lost';
  expectFailure(await payWith(id, 'f:1'), 503, 'payment_outcome_unknown');
  const until = new Date(clock.now().getTime() + 40_000);
  await database.read.query('update payment_attempts set lease_until = $2 where invoice_id = $1', [
    id,
    until,
  ]);
  expectFailure(await payWith(id, 'f:1'), 402, 'payment_not_settled');
  clock.advance(40_000);
  await reconcile();
  assert.equal(await readStatus(id), 'paid');
});

test('lease: a process is stopped for longer than its lease, and another one settles → it answers that the invoice is paid', async () => {
  for (const happens of ['unknown', 'nothing happens'] as const) {
    const id = await createOrder();
    rail.next = happens;
    rail.meanwhile = async () => {
      clock.advance(41_000);
      rail.moved.set(`t:${happens}`, 1);
      await reconcile();
      rail.moved.delete(`t:${happens}`);
    };
    const paid = expectStatus(await payWith(id, `t:${happens}`), 200);
    assert.equal(paid.body.status, 'paid', happens);
    assert.deepEqual(await listAttempts(id), [{ n: 1, state: 'paid' }]);
  }
});

test('reservation: its owner joins one who only looks → the owner drives all the same', async () => {
  const id = await createOrder();
  const parts = {
    work,
    database,
    payments: { rails: indexMachineRails([rail]), flights: createSingleFlight() },
  };
  const paid = await holdFirstDrive(
    database,
    () => payWith(id, 'r:1'),
    async () => {
      const live = (await selectLiveAttempt(labScope, database.read, id)) ?? assert.fail('no attempt');
      const looked = examineAttempt(parts, rail, live.id);
      const driven = await driveAttempt(parts, rail, live.id);
      assert.deepEqual([(await looked).kind, driven.kind], ['not_yet_settled', 'paid']);
    },
  );
  expectStatus(paid, 200);
  assert.equal(rail.moved.get('r:1'), 1);
});

test('reservation: its owner is gone → 5 s later the chore looks at the attempt', async () => {
  const id = await createOrder();
  await holdFirstDrive(
    database,
    () => payWith(id, 's:1'),
    async () => {
      const { reconcile: reconciled } = rail.calls;
      clock.advance(4_999);
      await reconcile();
      assert.equal(rail.calls.reconcile, reconciled);
      clock.advance(1);
      await reconcile();
      assert.equal(rail.calls.reconcile, reconciled + 1);
    },
  );
});

test('payment_refused: a credential of one invoice is sent for another → refused, and nothing moves', async () => {
  const [one, two] = [await createOrder(), await createOrder()];
  rail.next = 'nothing happens';
  expectFailure(await payWith(one, 'g:1'), 402, 'payment_not_settled');
  expectFailure(await payWith(two, 'g:1'), 402, 'payment_refused');
  expectStatus(await payWith(one, 'g:1'), 200);
  expectFailure(await payWith(two, 'g:1'), 402, 'payment_refused');
  assert.equal(await readStatus(two), 'open');
  assert.equal(rail.moved.get('g:1'), 1);
});

test('payment_in_progress: a second credential while the first may still move money → refused', async () => {
  const id = await createOrder();
  rail.next = 'nothing happens';
  expectFailure(await payWith(id, 'h:1'), 402, 'payment_not_settled');
  expectFailure(await payWith(id, 'h:2'), 402, 'payment_in_progress');
  assert.equal(rail.moved.has('h:2'), false);
});

test('repeated credential: the first outcome is unknown → the rail is asked what happened, and nothing is verified again', async () => {
  const id = await createOrder();
  rail.next = 'nothing happens';
  expectFailure(await payWith(id, 'i:1'), 402, 'payment_not_settled');
  const { verify, reconcile: reconciled } = rail.calls;
  expectStatus(await payWith(id, 'i:1'), 200);
  assert.equal(rail.calls.verify, verify);
  assert.equal(rail.calls.reconcile, reconciled + 1);
});

test('idempotency_key: 402, then a payment with the same key → the success is replayed', async () => {
  const id = await createOrder();
  const headers = { 'idempotency-key': 'one-key' };
  expectFailure(await payWith(id, undefined, { headers }), 402, 'payment_required');
  const paid = expectStatus(await payWith(id, 'j:1', { headers }), 200);
  const again = expectStatus(await payWith(id, 'j:1', { headers }), 200);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.equal(again.text, paid.text);
  expectFailure(await payWith(await createOrder(), 'j:2', { headers }), 422, 'idempotency_key_reused');
});

test('audit: a payment by machine → an entry of the caller and one of the settlement', async () => {
  const id = await createOrder();
  expectStatus(await payWith(id, 'k:1'), 200);
  const filter = encodeURIComponent(`eq(subject,'${id}')`);
  const { body: trail } = await ask('GET', `/audit?filter=${filter}`);
  const entries = JSON.stringify(trail.items);
  assert.match(entries, /"pay_invoice"/);
  assert.match(entries, /"settle_invoice"/);
});

test('payment_owed_back: money arrives for a void invoice → its payer is told of the credit note', async () => {
  const id = await createOrder();
  rail.next = 'answer lost';
  expectFailure(await payWith(id, 'l:1'), 503, 'payment_outcome_unknown');
  expectStatus(await ask('POST', `/lab/invoices/${id}/void`, { body: { reason: 'not wanted' } }), 200);
  const early = expectFailure(await payWith(id, 'l:1'), 422, 'payment_owed_back');
  assert.match(
    getText(early.body.error),
    /The invoice is void .* Do not pay it again: .* still on its way; if it arrives, it is owed back/,
  );
  clock.advance(10_000);
  await reconcile();
  assert.equal(await readStatus(id), 'void');
  assert.deepEqual(await listAttempts(id), [{ n: 1, state: 'returned' }]);
  const told = expectFailure(await payWith(id, 'l:1'), 422, 'payment_owed_back');
  assert.match(
    getText(told.body.error),
    /The invoice is void .* is owed back; credit note CN-\d{4}-\d{5} of/,
  );
});

test('payment policy: a token for machines → pays by its first method, or by invoice when asked', async () => {
  const policy = { name: 'm', role: 'member', expires_in: '7d', payment_policy: { methods: ['x402-exact'] } };
  const made = expectStatus(await ask('POST', '/tokens', { body: policy }), 201);
  const token = getText(made.body.token);
  const request = { ...createBody(), auto_accept_quote: true };
  const byMachine = expectStatus(await ask('POST', '/experiments', { token, body: request }), 200);
  const invoiceId = getText(byMachine.body.invoice_id);
  expectFailure(await ask('POST', `/invoices/${invoiceId}/pay`, { token }), 402, 'payment_required');
  const headers = { 'x-service-payment-method': 'async_invoice' };
  expectStatus(await ask('POST', '/experiments', { token, body: createBody(), headers }), 201);
});

test('races: two payments and a void at once → one wins and the ledger is right', async () => {
  for (let round = 0; round < 10; round++) {
    const id = await createOrder();
    const answers = await Promise.all([
      payWith(id, `m:${round}`),
      ask('POST', `/lab/invoices/${id}/void`, { body: { reason: 'race' } }),
      payWith(id, `n:${round}`),
    ]);
    assert.ok(
      answers.every(({ status }) => [200, 402, 409, 422].includes(status)),
      JSON.stringify(tally(answers)),
    );
    const paid = (await readStatus(id)) === 'paid';
    const moved = [`m:${round}`, `n:${round}`].filter((key) => rail.moved.has(key)).length;
    const [credit] = await database.read.query<{ count: number }>(
      `select count(*) as count from payment_attempts where invoice_id = $1 and state = 'returned'`,
      [id],
    );
    assert.equal(moved, (paid ? 1 : 0) + (credit?.count ?? 0));
  }
});

test('ledger: after all tests of this file → no finding', async () => {
  assert.deepEqual(await checkLedger(labScope, database.read), []);
});
