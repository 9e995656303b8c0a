/** The rail mpp-spt with Stripe behind it, held to §4 of its rules by a fake that fails as networks do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mppx, stripe } from 'mppx/client';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import { serializeCredential, MPP, createTokenPayer } from '#testing/payment-client.ts';
import { getNumber, getText } from '#testing/service.ts';
import type { Fault } from '#testing/stripe/server.ts';
import { listEvents, createStripeService } from '#testing/stripe/service.ts';

const { service, fake, pass, readStatus, deliver, findAtStripe } = await createStripeService();
const { ask, clock } = service;
const { read } = service.service.database;
const { orderByToken, readChallenge, answer, payByToken } = await createTokenPayer(service);

const CHARGE = 'POST /v1/payment_intents';
const SEARCH = 'GET /v1/payment_intents/search';
const READ_TOKEN = /granted_tokens/;

/** The SDK itself repeats a request whose connection was closed, once and under the same key. */
const LOST = ['lost', 'lost'] as const;

/** Fails the next requests to charge, in this order; then all is well again. */
function failCharges(...faults: readonly Fault[]): void {
  const left = [...faults];
  fake.plan = (request) => {
    // While charges fail, looking them up fails too.
    if (request === SEARCH) return left.length > 0 ? 'gateway' : undefined;
    return request === CHARGE ? left.shift() : undefined;
  };
}

const mint = (maxAmount = 99_999): string => fake.mint({ maxAmount });

function countCharges(invoiceId: string): number {
  return Object.values(fake.state.books.intents).filter(
    ({ metadata, status }) => metadata.invoice_id === invoiceId && status === 'succeeded',
  ).length;
}

async function expectOneCharge(invoiceId: string): Promise<void> {
  assert.equal(await readStatus(invoiceId), 'paid');
  assert.equal(countCharges(invoiceId), 1);
  assert.deepEqual(await checkLedger(labScope, read), []);
}

test('mppx: an unmodified client pays over HTTP with its token in the key header → one charge', async (context) => {
  // The client holds the expiry of a challenge against the clock of the machine, which here is the service's.
  context.mock.timers.enable({ apis: ['Date'], now: clock.now() });
  const url = await service.service.app.listen({ host: '127.0.0.1', port: 0 });
  const id = await orderByToken();
  const invoice = (await ask('GET', `/invoices/${id}`)).body;
  const requests: { amount: string; currency: string; networkId: string | undefined }[] = [];
  const charge = stripe.charge({
    paymentMethod: 'pm_card_visa',
    createToken: async ({ amount, currency, networkId }) => {
      requests.push({ amount, currency, networkId });
      return mint(Number(amount));
    },
  });
  const client = Mppx.create({ methods: [charge], polyfill: false });
  const headers = { ...MPP, 'X-Service-Api-Key': service.token, 'content-type': 'application/json' };
  const paid = await client.fetch(`${url}/api/v1/invoices/${id}/pay`, {
    method: 'POST',
    headers,
    body: '{}',
  });
  const text = await paid.text();
  assert.equal(paid.status, 200, text);
  assert.deepEqual(requests, [
    { amount: String(getNumber(invoice.total_cents)), currency: 'usd', networkId: 'profile_of_the_lab' },
  ]);
  assert.match(text, /provider_payment_intent/);
  assert.notEqual(paid.headers.get('payment-receipt'), null);
  await expectOneCharge(id);
});

test('mpp-spt with Stripe: a payment → one payment intent of the exact cents, under the key of its attempt', async () => {
  const id = await orderByToken();
  const invoice = (await ask('GET', `/invoices/${id}`)).body;
  const paid = expectStatus(await payByToken(id, mint()), 200);
  const intentId = getText(paid.body.settlement_reference.payment_intent_id);
  const intent = fake.state.books.intents[intentId];
  assert.equal(intent?.amount, getNumber(invoice.total_cents));
  assert.deepEqual(intent.metadata, {
    invoice_id: id,
    organization_id: service.service.founder.organizationId,
    attempt: '1',
  });
  assert.ok(fake.state.books.answers[`inv:${id}:attempt:1`] !== undefined);
  const [posting] = await read.query<{ external_reference: string }>(
    `select external_reference from ledger_transactions where invoice_id = $1 and kind = 'payment_settled'`,
    [id],
  );
  assert.equal(posting?.external_reference, intentId);
});

for (const fault of ['lost', 'hang', 'gateway', 'unclear', 'refused'] as const) {
  test(`payment_outcome_unknown: the answer to a charge is "${fault}" → 503, and a repeat finds the one charge`, async () => {
    const id = await orderByToken();
    const challenge = await readChallenge(id);
    const credential = serializeCredential(challenge, mint(), id);
    failCharges(...(fault === 'lost' ? LOST : [fault]));
    const unknown = expectFailure(await answer(id, credential), 503, 'payment_outcome_unknown');
    assert.notEqual(unknown.headers['retry-after'], undefined);
    expectStatus(await answer(id, credential), 200);
    await expectOneCharge(id);
  });
}

test('hazard: a charge never happened → given up only when it can no longer happen', async () => {
  const id = await orderByToken();
  const lost = mint();
  const credential = serializeCredential(await readChallenge(id), lost, id);
  fake.plan = (request) => (request === CHARGE ? 'refused' : undefined);
  expectFailure(await answer(id, credential), 503, 'payment_outcome_unknown');
  await pass(24 * 3_600);
  expectFailure(await ask('POST', `/invoices/${id}/pay`, { headers: MPP }), 503, 'payment_outcome_unknown');
  await pass(2 * 3_600);
  fake.plan = () => undefined;
  expectStatus(await payByToken(id, mint()), 200);
  assert.equal(fake.state.books.tokens[lost]?.deactivatedAt, null, 'the first token was never charged');
  await expectOneCharge(id);
});

test('hazard: three lost answers, then a new token → one charge', async () => {
  const id = await orderByToken();
  const challenge = await readChallenge(id);
  failCharges(...LOST, ...LOST, ...LOST, 'lost');
  const first = serializeCredential(challenge, mint(), id);
  for (let round = 0; round < 3; round++)
    expectFailure(await answer(id, first), 503, 'payment_outcome_unknown');
  fake.plan = () => undefined;
  const second = expectStatus(await answer(id, serializeCredential(challenge, mint(), id)), 200);
  assert.equal(second.body.status, 'paid');
  await expectOneCharge(id);
});

test('hazard: the first answer was lost and the payer asks without a credential → told that it has paid', async () => {
  const id = await orderByToken();
  failCharges(...LOST);
  expectFailure(await payByToken(id, mint()), 503, 'payment_outcome_unknown');
  const again = expectStatus(await ask('POST', `/invoices/${id}/pay`, { headers: MPP }), 200);
  assert.equal(again.body.status, 'paid');
  await expectOneCharge(id);
});

test('hazard: the first answer was lost and nobody asks again → the worker finds the charge within a minute', async () => {
  const id = await orderByToken();
  failCharges(...LOST);
  expectFailure(await payByToken(id, mint()), 503, 'payment_outcome_unknown');
  await pass(20);
  await expectOneCharge(id);
});

test('hazard: five clients with five tokens at once, the first answer lost → one charge', async () => {
  const id = await orderByToken();
  const challenge = await readChallenge(id);
  failCharges(...LOST);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => answer(id, serializeCredential(challenge, mint(), id))),
  );
  for (const { status, text } of answers) assert.ok(status === 200 || status === 503, text);
  await pass(20);
  await expectOneCharge(id);
});

test('hazard: a card is declined → final, and another card pays in attempt 2 under its own key', async () => {
  const id = await orderByToken();
  const bad = fake.mint({ maxAmount: 99_999, behavior: 'declines' });
  const refused = expectFailure(await payByToken(id, bad), 422, 'payment_declined');
  assert.match(refused.text, /card_declined/);
  expectStatus(await payByToken(id, mint()), 200);
  assert.ok(fake.state.books.answers[`inv:${id}:attempt:2`] !== undefined);
  await expectOneCharge(id);
});

test('hazard: a charge requires action of the card holder → canceled before another card is charged', async () => {
  const id = await orderByToken();
  const waiting = fake.mint({ maxAmount: 99_999, behavior: 'requires_action' });
  expectFailure(await payByToken(id, waiting), 422, 'payment_declined');
  const left = Object.values(fake.state.books.intents).filter(({ metadata }) => metadata.invoice_id === id);
  assert.deepEqual(
    left.map(({ status }) => status),
    ['canceled'],
  );
  expectStatus(await payByToken(id, mint()), 200);
  await expectOneCharge(id);
});

test('hazard: a token that is too small, expired, revoked or of another currency → never charged', async () => {
  const id = await orderByToken();
  const nowS = fake.readNowS();
  const tokens = [
    fake.mint({ maxAmount: 1 }),
    fake.mint({ maxAmount: 99_999, expiresAt: nowS - 1 }),
    fake.mint({ maxAmount: 99_999, deactivatedAt: nowS }),
    fake.mint({ maxAmount: 99_999, currency: 'eur' }),
    'spt_unknown',
    'not a token',
  ];
  const before = fake.log.filter((request) => request === CHARGE).length;
  for (const token of tokens) expectFailure(await payByToken(id, token), 422, 'payment_declined');
  assert.equal(fake.log.filter((request) => request === CHARGE).length, before);
});

test('payment_outcome_unknown: the token cannot be read at Stripe → 503, and the same credential pays later', async () => {
  const id = await orderByToken();
  const credential = serializeCredential(await readChallenge(id), mint(), id);
  fake.plan = (request) => (READ_TOKEN.test(request) ? 'gateway' : undefined);
  expectFailure(await answer(id, credential), 503, 'payment_outcome_unknown');
  assert.equal(countCharges(id), 0);
  fake.plan = () => undefined;
  expectStatus(await answer(id, credential), 200);
  await expectOneCharge(id);
});

test('hazard: an invoice of a machine rail → has no payment page at Stripe', async () => {
  const id = await orderByToken();
  await pass(0);
  assert.equal(findAtStripe(id), undefined);
  expectStatus(await payByToken(id, mint()), 200);
  // Stripe tells of the payment intent as well; it is no second payment.
  for (const event of listEvents(fake, 'payment_intent.succeeded')) expectStatus(await deliver(event), 200);
  await expectOneCharge(id);
});

test('refund_invoice: a charge by shared payment token → refunded through Stripe', async () => {
  const id = await orderByToken();
  expectStatus(await payByToken(id, mint()), 200);
  const before = fake.state.sumCollectedCents();
  const body = { amount_cents: 700, reason: 'late' };
  expectStatus(await ask('POST', `/lab/invoices/${id}/refunds`, { body }), 201);
  await pass(1);
  assert.equal(before - fake.state.sumCollectedCents(), 700);
  assert.deepEqual(await checkLedger(labScope, read), []);
});

test('secrets: a payment by token → the token is neither in the log nor in clear in the database', async () => {
  const id = await orderByToken();
  const token = mint();
  expectStatus(await payByToken(id, token), 200);
  assert.ok(!service.logLines.some((line) => line.includes(token)));
  const rows = await read.query<{ text: string }>(
    `select to_jsonb(a)::text as text from payment_attempts a where invoice_id = $1`,
    [id],
  );
  assert.equal(rows.length, 1);
  assert.ok(!rows[0]?.text.includes(token));
});
