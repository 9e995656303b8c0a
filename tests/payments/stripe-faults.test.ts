/**
 * People pay over the hosted rail and by shared payment tokens while a third of all requests to the card processor fail
 * at random. A minute later everything is known, and the money at Stripe is the money of the paid invoices.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFor } from '#sandbox/models/random.ts';
import { checkWithOutside, expectWholeLedger, heldOutside } from '#testing/ledger.ts';
import { credentialOf, MPP, tokenPayer } from '#testing/payment-client.ts';
import { seedsOf } from '#testing/seeds.ts';
import { numberOf } from '#testing/service.ts';
import { FAULTS, type Fault } from '#testing/stripe/server.ts';
import { eventsOf, stripeService, stripeVariables } from '#testing/stripe/service.ts';

const RANDOM_ROUNDS = Number(process.env.ASSAYER_PAYMENT_FAULTS ?? '10');
const REST_S = 60;
const STEP_S = 5;

const { service, fake, pass, deliver, atStripe, statusOf, build } = await stripeService();
const { ask, clock } = service;
const { database } = service.service;
const { read } = database;
const payer = await tokenPayer(service);

const mint = (): string => fake.mint({ maxAmount: 99_999 });

interface Round {
  readonly hostedId: string;
  readonly tokenId: string;
}

/** Fails requests of a round as the plan says, counted from its first one. */
function plan(faultAt: (index: number) => Fault | undefined): void {
  const begin = fake.log.length;
  fake.plan = (_request, index) => faultAt(index - begin);
}

/** A payer who does what careless payers do: repeats, then comes with another token. */
async function payByCarelessPayer(invoiceId: string): Promise<void> {
  for (const token of [mint(), mint()]) {
    const asked = await ask('POST', `/invoices/${invoiceId}/pay`, { headers: MPP });
    if (asked.status !== 402) continue;
    const challenge = await payer.challengeOf(invoiceId).catch(() => undefined);
    if (challenge === undefined) continue;
    const credential = credentialOf(challenge, token, invoiceId);
    for (let repeat = 0; repeat < 2; repeat++) {
      const { status, text } = await payer.answer(invoiceId, credential);
      assert.ok([200, 422, 503].includes(status), text);
      if (status === 200) return;
    }
  }
}

/** One invoice of each rail, paid by people who do not wait; then the faults end, and time passes. */
async function round(story: string): Promise<Round> {
  const { invoiceId: hostedId } = await build.invoiced();
  const tokenId = await payer.orderByToken();
  await Promise.all([service.service.worker.runDue(), payByCarelessPayer(tokenId)]);
  await pass(STEP_S);
  payOnPageIfOpen(hostedId);
  await pass(STEP_S);
  fake.plan = () => undefined;
  for (let waited = 0; waited < REST_S; waited += STEP_S) {
    await pass(STEP_S);
    payOnPageIfOpen(hostedId);
    // Half of the notifications never come.
    const paid = eventsOf(fake, 'invoice.paid').at(-1);
    if (paid !== undefined && waited % 10 === 0) await deliver(paid);
  }
  assert.deepEqual(await unsettled(), [], `everything is reconciled, ${story}`);
  // The careless payer of the token comes back once more.
  if ((await statusOf(tokenId)) !== 'paid') await payByCarelessPayer(tokenId);
  await pass(STEP_S);
  return { hostedId, tokenId };
}

/** What may still move money at the processor, or has not been looked at since it did. */
const unsettled = () =>
  read.query(
    `select id::text, state from payment_attempts where state in ('prepared', 'settling')
     union all select invoice_id::text, status from processor_invoices where status in ('wanted', 'open')`,
  );

function payOnPageIfOpen(invoiceId: string): void {
  const made = atStripe(invoiceId);
  if (made?.status === 'open') fake.pay(made.id);
}

async function expectWhole({ hostedId, tokenId }: Round, story: string): Promise<void> {
  assert.equal(await statusOf(hostedId), 'paid', `hosted, ${story}`);
  assert.equal(await statusOf(tokenId), 'paid', `by token, ${story}`);
  const [sums] = await read.query<{ paid: number }>(
    `select coalesce(sum(amount_paid_cents - amount_refunded_cents), 0)::bigint as paid from invoices`,
  );
  assert.equal(sums?.paid, fake.state.collectedCents(), `money at Stripe, ${story}`);
  assert.deepEqual(await unsettled(), [], story);
  const made = Object.values(fake.state.books.invoices).filter(
    ({ metadata }) => metadata.invoice_id === hostedId,
  );
  assert.equal(made.length, 1, `one invoice at Stripe, ${story}`);
  const nameless = Object.values(fake.state.books.invoices).filter(
    ({ metadata }) => metadata.invoice_id === undefined,
  );
  assert.deepEqual(nameless, [], `nothing that a quote became is forgotten, ${story}`);
  const quotes = Object.values(fake.state.books.quotes).map(({ metadata }) => metadata.quote_id);
  assert.equal(new Set(quotes).size, quotes.length, `no quote was made twice, ${story}`);
  const ours = numberOf((await ask('GET', `/invoices/${hostedId}`)).body.total_cents);
  assert.equal(made[0]?.amountPaid, ours, story);
  const report = await checkWithOutside({ database, clock }, stripeVariables(fake.url));
  expectWholeLedger(report, story);
  const held = heldOutside(report, 'stripe') + heldOutside(report, 'mpp-spt');
  assert.equal(held, sums.paid, `the check sees the money of the paid invoices, ${story}`);
}

test(`Stripe faults: ${RANDOM_ROUNDS} rounds in which a third of all requests fail → all payments are known a minute later`, async () => {
  for (const seed of seedsOf(RANDOM_ROUNDS)) {
    const random = randomFor('stripe faults', seed);
    plan(() => (random.uniform() < 0.33 ? FAULTS[Math.floor(random.uniform() * FAULTS.length)] : undefined));
    const story = `seed ${seed} (ASSAYER_SEED=${seed})`;
    await expectWhole(await round(story), story);
  }
});
