/**
 * Payments that race each other and what else may happen to an invoice, through the doors that people and programs use:
 * one takes the money, the rest are told so, and what moved outside is what the books say.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import type { MachineRail } from '#features/payments/machine-rail.ts';
import { createRandomSource } from '#sandbox/models/random.ts';
import { fakeRail } from '#testing/fake-rail.ts';
import { createMachineOrders } from '#testing/machine-orders.ts';
import { assertRefusals, PAID_OR_ENDED } from '#testing/refusals.ts';
import { testService, getText, type TestAnswer } from '#testing/service.ts';

const ROUNDS = Number(process.env.ASSAYER_PAYMENT_RACES ?? '15');
const CROWDS = Math.ceil(ROUNDS / 3);
const random = createRandomSource('pay races', 1);
const chain = fakeRail('x402-exact');
const cards = fakeRail('mpp-spt');

/** An outside that takes a moment, now and then a longer one. */
function slowDown(rail: MachineRail): MachineRail {
  async function awaitMoment(): Promise<void> {
    for (let turns = Math.floor(random.drawUniform() * 20); turns > 0; turns -= 1) await nextTurn();
  }
  return {
    ...rail,
    verify: (attempt) => awaitMoment().then(() => rail.verify(attempt)),
    settle: (attempt) => awaitMoment().then(() => rail.settle(attempt)),
    reconcile: (attempt) => awaitMoment().then(() => rail.reconcile(attempt)),
  };
}

// So slow a lab that what was paid is not measured while the races go on.
const service = await testService(
  { SANDBOX_SPEED: '1' },
  { rails: [slowDown(chain), { ...slowDown(cards), paysAnewOn402: true }] },
);
const { ask, clock } = service;
const { database, worker, work } = service.service;
const { createOrder, payWith, createInvoiced } = await createMachineOrders(service);

const RAILS = [
  { fake: chain, method: 'x402-exact' },
  { fake: cards, method: 'mpp-spt' },
] as const;
const because = { reason: 'race' };

type Question = () => Promise<TestAnswer>;

/** Starts the questions in an order that changes with the round. */
function askTogether(round: number, questions: readonly Question[]): Promise<TestAnswer[]> {
  const shift = round % questions.length;
  return Promise.all([...questions.slice(shift), ...questions.slice(0, shift)].map((question) => question()));
}

const createPayingQuestion = (id: string, method: string, credential?: string): Question => {
  const headers = { 'x-service-payment-method': method };
  return () => payWith(id, credential, { headers });
};
const createStaffQuestion =
  (path: string): Question =>
  () =>
    ask('POST', `/lab/${path}`, { body: because });
const createTransferQuestion =
  (id: string): Question =>
  () =>
    ask('POST', `/lab/invoices/${id}/bank-transfer`);

const readInvoice = async (id: string) => (await ask('GET', `/invoices/${id}`)).body;
const readStatus = async (id: string) => getText((await readInvoice(id)).status);

/** How often money moved at the outside of any rail for these credentials. */
function countMoved(credentials: readonly string[]): number {
  const times = RAILS.flatMap(({ fake }) => credentials.map((credential) => fake.moved.get(credential) ?? 0));
  return times.reduce((sum, one) => sum + one, 0);
}

/** Whatever is still in flight comes to rest, the chores of other processes included. */
async function runToRest(): Promise<void> {
  if ((await listLive()).length > 0) {
    clock.advance(10_000);
    await worker.runChores();
  }
  for (let left = 5; left > 0 && (await worker.runDue()) > 0; left -= 1);
}

const assertHealthy = async () => assert.deepEqual(await checkLedger(labScope, database.read), []);

const listLive = async () =>
  database.read.query(`select id from payment_attempts where state in ('prepared', 'settling')`);

test(`races: payments on one rail, ${ROUNDS} rounds → the money moves once, and all others learn it`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { method } = RAILS[round % 2 === 0 ? 0 : 1];
    const id = await createOrder({ headers: { 'x-service-payment-method': method } });
    const credentials = [`one:${round}`, `two:${round}`];
    const answers = await askTogether(round, [
      ...[...credentials, ...credentials].map((credential) => createPayingQuestion(id, method, credential)),
      createPayingQuestion(id, method),
    ]);
    // A payer that answers 402 with new money is told to come back; any other is shown the challenge again.
    assertRefusals(
      answers,
      method === 'mpp-spt'
        ? ['402 payment_required', '503 payment_outcome_unknown']
        : ['402 payment_required', '402 payment_in_progress', '402 payment_not_settled'],
    );
    assert.ok(answers.some(({ status }) => status === 200));
    assert.equal(await readStatus(id), 'paid');
    assert.equal(countMoved(credentials), 1);
    const late = await createPayingQuestion(id, method, credentials[1])();
    assert.deepEqual([late.status, late.body.already_paid], [200, true]);
  }
  assert.deepEqual(await listLive(), []);
  await assertHealthy();
});

test(`races: 20 programs pay one invoice, ${CROWDS} rounds → the first is paid, also while others read it`, async () => {
  for (let round = 0; round < CROWDS; round += 1) {
    const id = await createOrder();
    const credentials = Array.from({ length: 20 }, (_, index) => `crowd:${round}:${index}`);
    const answers = await Promise.all(
      credentials.map((credential) => createPayingQuestion(id, 'x402-exact', credential)()),
    );
    assert.ok(answers.some(({ status }) => status === 200));
    assert.equal(countMoved(credentials), 1);
  }
  await assertHealthy();
});

test(`races: payments on two rails, ${ROUNDS} rounds → the rail of the invoice takes it, the other is refused`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const [own, other] = round % 2 === 0 ? RAILS : [RAILS[1], RAILS[0]];
    const id = await createOrder({ headers: { 'x-service-payment-method': own.method } });
    const page = getText((await readInvoice(id)).hosted_invoice_url).replace(work.site.baseUrl, '/');
    const credential = `rails:${round}`;
    const click: Question = () =>
      ask('POST', `${page}/test-payment`, { token: null, headers: { accept: 'application/json' } });
    const answers = await askTogether(round, [
      createPayingQuestion(id, own.method, credential),
      createPayingQuestion(id, other.method, `other:${round}`),
      createPayingQuestion(id, 'async_invoice'),
      createTransferQuestion(id),
      click,
    ]);
    // The page answers people, in a page; what it did is in the books.
    assertRefusals(
      answers.filter(({ headers }) => headers['content-type']?.includes('json')),
      ['409 method_rail_mismatch', '409 transfer_needs_reference'],
    );
    assert.equal(countMoved([credential]), 1);
    assert.equal(countMoved([`other:${round}`]), 0);
    assert.equal(await readStatus(id), 'paid');
    const [collected] = await database.read.query<{ count: number }>(
      'select count(*) as count from processor_payments where invoice_id = $1',
      [id],
    );
    assert.equal(collected?.count, 0);
  }
  await assertHealthy();
});

test(`races: page, bank transfer and programs at a hosted invoice, ${ROUNDS} rounds → collected once`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { invoiceId: id } = await createInvoiced();
    const page = getText((await readInvoice(id)).hosted_invoice_url).replace(work.site.baseUrl, '/');
    const click: Question = () => ask('POST', `${page}/test-payment`, { token: null });
    const [answers] = await Promise.all([
      askTogether(round, [
        click,
        click,
        createTransferQuestion(id),
        createPayingQuestion(id, 'x402-exact', `hosted:${round}`),
        createPayingQuestion(id, 'mpp-spt', `hosted:${round}`),
      ]),
      worker.runDue(),
    ]);
    // Whoever comes when it is paid is told so, by whatever rail; a transfer then needs its reference.
    assertRefusals(answers, ['409 method_rail_mismatch', '409 transfer_needs_reference']);
    await runToRest();
    assert.equal(await readStatus(id), 'paid');
    assert.equal(countMoved([`hosted:${round}`]), 0);
    const [collected] = await database.read.query<{ count: number }>(
      'select count(*) as count from processor_payments where invoice_id = $1',
      [id],
    );
    assert.equal(collected?.count, 1);
    const again = await ask('POST', `/invoices/${id}/pay`, { body: {} });
    assert.deepEqual([again.status, again.body.already_paid], [200, true]);
  }
  await assertHealthy();
});

test(`races: refund, void and cancel against pay, ${ROUNDS} rounds → the money is kept once or owed back once`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { fake, method } = RAILS[round % 2 === 0 ? 0 : 1];
    const id = await createOrder({ headers: { 'x-service-payment-method': method } });
    const credential = `back:${round}`;
    // Now and then the answer is lost, and the chore finds the money.
    if (round % 5 === 0) fake.next = 'answer lost';
    const experimentId = getText((await readInvoice(id)).experiment_id);
    const answers = await askTogether(round, [
      createPayingQuestion(id, method, credential),
      createStaffQuestion(`invoices/${id}/refunds`),
      round % 3 === 0
        ? createStaffQuestion(`experiments/${experimentId}/cancel`)
        : createStaffQuestion(`invoices/${id}/void`),
      createPayingQuestion(id, method, credential),
    ]);
    fake.next = 'works';
    assertRefusals(answers, PAID_OR_ENDED);
    await runToRest();
    const invoice = await readInvoice(id);
    assert.match(getText(invoice.status), /^(?:paid|void)$/);
    const refunds = await database.read.query<{ amount_cents: number }>(
      'select amount_cents from refunds where invoice_id = $1',
      [id],
    );
    const times = countMoved([credential]);
    assert.ok(times <= 1);
    // A void invoice owes back all that moved; a paid one at most what a member of staff gave back.
    if (getText(invoice.status) === 'void') assert.equal(refunds.length, times);
    else assert.ok(times === 1 && refunds.length <= 1);
    assert.deepEqual(
      refunds.map(({ amount_cents: cents }) => cents),
      refunds.map(() => invoice.total_cents),
    );
  }
  assert.deepEqual(await listLive(), []);
  await assertHealthy();
});
