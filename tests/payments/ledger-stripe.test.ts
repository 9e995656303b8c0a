/** The ledger check against Stripe: every way in which the two can differ is named, and silence is not agreement. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import { checkWithOutside, expectWholeLedger, sumHeldOutside, listKinds } from '#testing/ledger.ts';
import { serializeCredential, createTokenPayer } from '#testing/payment-client.ts';
import { getText } from '#testing/service.ts';
import {
  listEvents,
  getLastEvent,
  createStripeService,
  buildStripeVariables,
} from '#testing/stripe/service.ts';
import type { FakePaymentIntent } from '#testing/stripe/state.ts';

const { service, fake, deliver, pass, open } = await createStripeService();
const { ask, clock } = service;
const { database } = service.service;
const payer = await createTokenPayer(service);
const { books } = fake.state;
const mint = (): string => fake.mint({ maxAmount: 99_999 });
const variables = buildStripeVariables(fake.url);
const check = (since?: Date) => checkWithOutside({ database, clock }, variables, since);

async function createPaidHosted(): Promise<{ readonly invoiceId: string; readonly stripeId: string }> {
  const opened = await open();
  fake.pay(opened.stripeId);
  expectStatus(await deliver(getLastEvent(fake, 'invoice.paid')), 200);
  return opened;
}

async function createPaidByToken(): Promise<{ readonly invoiceId: string; readonly intentId: string }> {
  const invoiceId = await payer.orderByToken();
  const paid = expectStatus(await payer.payByToken(invoiceId, mint()), 200);
  return { invoiceId, intentId: getText(paid.body.settlement_reference?.payment_intent_id) };
}

async function refundInvoice(invoiceId: string, cents: number): Promise<string> {
  const body = { amount_cents: cents, reason: 'late' };
  expectStatus(await ask('POST', `/lab/invoices/${invoiceId}/refunds`, { body }), 201);
  await pass(1);
  const [refund] = Object.values(books.refunds).slice(-1);
  assert.equal(refund?.amount, cents);
  return refund.id;
}

/** Puts another record in the place of one of the fake's while the check runs. */
async function checkDuring<Item>(
  table: Record<string, Item>,
  id: string,
  other: Item | undefined,
  check: () => Promise<void>,
): Promise<void> {
  const kept = { ...table };
  const replace = (items: Record<string, Item>): void => {
    for (const key of Object.keys(table)) delete table[key];
    Object.assign(table, items);
  };
  const { [id]: _gone, ...others } = kept;
  replace(other === undefined ? others : { ...others, [id]: other });
  try {
    await check();
  } finally {
    replace(kept);
  }
}

function createIntent(id: string, fields: Partial<FakePaymentIntent> = {}): FakePaymentIntent {
  const defaults = {
    created: fake.readNowS(),
    amount: 4_200,
    currency: 'usd',
    token: null,
    status: 'succeeded',
  } as const;
  return { id, metadata: {}, ...defaults, ...fields };
}

const hosted = await createPaidHosted();
const token = await createPaidByToken();
const hostedRefund = await refundInvoice(hosted.invoiceId, 500);
const tokenRefund = await refundInvoice(token.invoiceId, 700);

test('ledger check: Stripe collected and refunded → equal to the books, to the cent', async () => {
  const report = await check();
  expectWholeLedger(report);
  assert.equal(report.rails.length, 4);
  assert.equal(
    sumHeldOutside(report, 'stripe') + sumHeldOutside(report, 'mpp-spt'),
    fake.state.sumCollectedCents(),
  );
});

test('posted_and_not_collected: Stripe lacks a paid invoice or charge → a finding', async () => {
  await checkDuring(books.invoices, hosted.stripeId, undefined, async () => {
    const { findings } = await check();
    assert.deepEqual(
      findings.map(({ kind }) => kind),
      ['posted_and_not_collected'],
    );
    assert.match(findings[0]?.found ?? '', new RegExp(`^INV-.*no such payment under ${hosted.stripeId}`));
  });
  await checkDuring(books.intents, token.intentId, undefined, async () =>
    assert.ok(listKinds(await check()).includes('posted_and_not_collected')),
  );
});

test('posted_and_not_collected: Stripe no longer calls a payment paid → a finding', async () => {
  const made = books.invoices[hosted.stripeId];
  const charged = books.intents[token.intentId];
  assert.ok(made !== undefined && charged !== undefined);
  await checkDuring(books.invoices, made.id, { ...made, status: 'void' }, async () => {
    const { findings } = await check();
    assert.match(findings[0]?.found ?? '', /has failed/);
  });
  await checkDuring(books.intents, charged.id, { ...charged, status: 'canceled' }, async () =>
    assert.deepEqual(listKinds(await check()), ['posted_and_not_collected']),
  );
});

test('amount_differs_outside: Stripe has another amount or currency → a finding', async () => {
  const made = books.invoices[hosted.stripeId];
  const charged = books.intents[token.intentId];
  assert.ok(made !== undefined && charged !== undefined);
  const lines = [...made.lines, { description: 'one more', amount: 1 }];
  const dearer = { ...made, lines, amountPaid: made.amountPaid + 1 };
  await checkDuring(books.invoices, made.id, dearer, async () =>
    assert.deepEqual(listKinds(await check()), ['amount_differs_outside']),
  );
  for (const changed of [{ amount: charged.amount - 1 }, { currency: 'eur' }])
    await checkDuring(books.intents, charged.id, { ...charged, ...changed }, async () => {
      const report = await check();
      assert.deepEqual(listKinds(report), ['amount_differs_outside']);
      assert.match(report.findings[0]?.found ?? '', /the books say that \$[\d.]+ usd arrived/);
    });
});

test('posted_for_another_invoice: Stripe has the payment under another invoice → a finding', async () => {
  const charged = books.intents[token.intentId];
  assert.ok(charged !== undefined);
  const metadata = { ...charged.metadata, invoice_id: hosted.invoiceId };
  await checkDuring(books.intents, charged.id, { ...charged, metadata }, async () =>
    assert.deepEqual(listKinds(await check()), ['posted_for_another_invoice']),
  );
});

test('collected_and_not_posted: an extra charge with our metadata behind many pages → a finding', async () => {
  const metadata = { invoice_id: token.invoiceId, attempt: '7' };
  await checkDuring(books.intents, 'pi_extra', createIntent('pi_extra', { metadata }), async () => {
    for (let n = 0; n < 205; n++) books.intents[`pi_foreign${n}`] = createIntent(`pi_foreign${n}`);
    const report = await check();
    assert.deepEqual(
      report.findings.map(({ kind, subject }) => `${kind} ${subject}`),
      ['collected_and_not_posted pi_extra'],
    );
    assert.match(report.findings[0]?.found ?? '', /money outside that is not in the books: \$42\.00/);
    const row = report.rails.find(({ rail, direction }) => rail === 'mpp-spt' && direction === 'received');
    assert.equal((row?.outside_cents ?? 0) - (row?.books_cents ?? 0), 4_200);
  });
});

test('collected_and_not_posted: a payment was never booked → in flight first, a finding after a day', async () => {
  const { invoiceId, stripeId } = await open();
  fake.pay(stripeId);
  const young = await check();
  assert.deepEqual(listKinds(young), []);
  assert.ok(young.in_flight.some(({ subject }) => subject === invoiceId));
  clock.advance(27 * 3_600_000);
  assert.deepEqual(listKinds(await check()), ['collected_and_not_posted']);
  await pass(0);
  expectWholeLedger(await check());
});

test('in flight: the outcome of an attempt is unknown → no finding', async () => {
  const invoiceId = await payer.orderByToken();
  const credential = serializeCredential(await payer.readChallenge(invoiceId), mint(), invoiceId);
  fake.plan = (request) => (/payment_intents/.test(request) ? 'lost' : undefined);
  expectFailure(await payer.answer(invoiceId, credential), 503, 'payment_outcome_unknown');
  fake.plan = () => undefined;
  const report = await check();
  assert.deepEqual([listKinds(report), report.in_flight.map(({ rail }) => rail)], [[], ['mpp-spt']]);
  expectStatus(await payer.answer(invoiceId, credential), 200);
  expectWholeLedger(await check());
});

test('posted_and_not_sent_back: Stripe lacks a refund, or it failed there → a finding', async () => {
  for (const id of [hostedRefund, tokenRefund]) {
    const refund = books.refunds[id];
    assert.ok(refund !== undefined);
    await checkDuring(books.refunds, id, undefined, async () =>
      assert.deepEqual(listKinds(await check()), ['posted_and_not_sent_back']),
    );
    await checkDuring(books.refunds, id, { ...refund, status: 'failed' }, async () =>
      assert.deepEqual(listKinds(await check()), ['posted_and_not_sent_back']),
    );
    await checkDuring(books.refunds, id, { ...refund, amount: refund.amount + 1 }, async () =>
      assert.deepEqual(listKinds(await check()), ['amount_differs_outside']),
    );
    await checkDuring(books.refunds, id, { ...refund, status: 'pending' }, async () => {
      const report = await check();
      assert.deepEqual([listKinds(report), report.in_flight.length], [[], 1]);
    });
  }
});

test('sent_back_and_not_posted: somebody refunds at Stripe without our metadata → a finding', async () => {
  const hostedIntent = books.invoices[hosted.stripeId]?.paymentIntent ?? '';
  const made = {
    amount: 100,
    currency: 'usd',
    metadata: {},
    created: fake.readNowS(),
    status: 'succeeded',
  } as const;
  for (const [paymentIntent, rail] of [
    [hostedIntent, 'stripe'],
    [token.intentId, 'mpp-spt'],
  ] as const)
    await checkDuring(books.refunds, 're_byhand', { id: 're_byhand', paymentIntent, ...made }, async () => {
      const report = await check();
      assert.deepEqual(listKinds(report), ['sent_back_and_not_posted']);
      const row = report.rails.find((each) => each.rail === rail && each.direction === 'sent_back');
      assert.equal((row?.outside_cents ?? 0) - (row?.books_cents ?? 0), 100);
    });
});

test('ledger check: charges and refunds of other things in the account → no finding', async () => {
  const made = {
    amount: 100,
    currency: 'usd',
    metadata: {},
    created: fake.readNowS(),
    status: 'succeeded',
  } as const;
  await checkDuring(books.intents, 'pi_shop', createIntent('pi_shop'), async () =>
    checkDuring(books.refunds, 're_shop', { id: 're_shop', paymentIntent: 'pi_shop', ...made }, async () =>
      expectWholeLedger(await check()),
    ),
  );
});

test('ledger check: Stripe does not answer, or answers no list → not compared, never clean nor a finding', async () => {
  for (const fault of ['refused', 'gateway', 'hang'] as const) {
    fake.plan = () => fault;
    const report = await check();
    fake.plan = () => undefined;
    assert.deepEqual(listKinds(report), []);
    assert.deepEqual(
      report.not_compared.map(({ rail, outside }) => `${rail} ${outside}`),
      ['stripe Stripe', 'mpp-spt Stripe'],
    );
  }
  const half = await (async () => {
    fake.plan = (request) => (request === 'GET /v1/refunds' ? 'gateway' : undefined);
    return check().finally(() => (fake.plan = () => undefined));
  })();
  assert.match(half.not_compared[0]?.reason ?? '', /list refunds/);
});

test('ledger check: Stripe is not in the settings → its postings are not compared', async () => {
  const report = await checkWithOutside({ database, clock });
  assert.deepEqual(listKinds(report), []);
  assert.deepEqual(report.not_compared.map(({ rail }) => rail).sort(), ['mpp-spt', 'stripe']);
});

test('ledger check: since → older entries are left out on both sides, refunds of older payments are not', async () => {
  clock.advance(40 * 86_400_000);
  const since = clock.now();
  clock.advance(60_000);
  await refundInvoice(hosted.invoiceId, 300);
  const report = await check(since);
  expectWholeLedger(report);
  assert.deepEqual(
    report.rails.map(({ rail, direction, entries, books_cents: cents }) => [rail, direction, entries, cents]),
    [['stripe', 'sent_back', 1, 300]],
  );
  assert.ok(listEvents(fake, 'invoice.paid').length > 0);
});
