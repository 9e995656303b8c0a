/**
 * People pay over the hosted rail and by shared payment tokens while a third of all requests to the card processor fail
 * at random. A minute later everything is known, and the money at Stripe is the money of the paid invoices.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandomSource } from '#sandbox/models/random.ts';
import { checkWithOutside, expectWholeLedger, sumHeldOutside } from '#testing/ledger.ts';
import { serializeCredential, MPP, createTokenPayer } from '#testing/payment-client.ts';
import { listSeeds } from '#testing/seeds.ts';
import { getNumber } from '#testing/service.ts';
import { FAULTS, type Fault } from '#testing/stripe/server.ts';
import { listEvents, createStripeService, buildStripeVariables } from '#testing/stripe/service.ts';

const RANDOM_ROUNDS = Number(process.env.ASSAYER_PAYMENT_FAULTS ?? '5');
const REST_S = 60;
const STEP_S = 5;

const { service, fake, pass, deliver, findAtStripe, readStatus, build } = await createStripeService();
const { ask, clock } = service;
const { database } = service.service;
const { read } = database;
const payer = await createTokenPayer(service);

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
    const unpaid = await ask('POST', `/invoices/${invoiceId}/pay`, { headers: MPP });
    if (unpaid.status !== 402) continue;
    const challenge = await payer.readChallenge(invoiceId).catch(() => undefined);
    if (challenge === undefined) continue;
    const credential = serializeCredential(challenge, token, invoiceId);
    for (let repeat = 0; repeat < 2; repeat++) {
      const { status, text } = await payer.answer(invoiceId, credential);
      assert.ok([200, 422, 503].includes(status), text);
      if (status === 200) return;
    }
  }
}

/** One invoice of each rail, paid by people who do not wait; then the faults end, and time passes. */
async function round(story: string): Promise<Round> {
  const { invoiceId: hostedId } = await build.createInvoiced();
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
    const paid = listEvents(fake, 'invoice.paid').at(-1);
    if (paid !== undefined && waited % 10 === 0) await deliver(paid);
  }
  assert.deepEqual(await listUnsettled(), [], `everything is reconciled, ${story}`);
  // The careless payer of the token comes back once more.
  if ((await readStatus(tokenId)) !== 'paid') await payByCarelessPayer(tokenId);
  await pass(STEP_S);
  return { hostedId, tokenId };
}

/** What may still move money at the processor, or has not been looked at since it did. */
const listUnsettled = () =>
  read.query(
    `select id::text, state from payment_attempts where state in ('prepared', 'settling')
     union all select invoice_id::text, status from processor_invoices where status in ('wanted', 'open')`,
  );

function payOnPageIfOpen(invoiceId: string): void {
  const made = findAtStripe(invoiceId);
  if (made?.status === 'open') fake.pay(made.id);
}

async function expectWhole({ hostedId, tokenId }: Round, story: string): Promise<void> {
  assert.equal(await readStatus(hostedId), 'paid', `hosted, ${story}`);
  assert.equal(await readStatus(tokenId), 'paid', `by token, ${story}`);
  const [sums] = await read.query<{ paid: number }>(
    `select coalesce(sum(amount_paid_cents - amount_refunded_cents), 0)::bigint as paid from invoices`,
  );
  assert.equal(sums?.paid, fake.state.sumCollectedCents(), `money at Stripe, ${story}`);
  assert.deepEqual(await listUnsettled(), [], story);
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
  const ours = getNumber((await ask('GET', `/invoices/${hostedId}`)).body.total_cents);
  assert.equal(made[0]?.amountPaid, ours, story);
  const report = await checkWithOutside({ database, clock }, buildStripeVariables(fake.url));
  expectWholeLedger(report, story);
  const held = sumHeldOutside(report, 'stripe') + sumHeldOutside(report, 'mpp-spt');
  assert.equal(held, sums.paid, `the check sees the money of the paid invoices, ${story}`);
}

test(`Stripe faults: ${RANDOM_ROUNDS} rounds in which a third of all requests fail → all payments are known a minute later`, async () => {
  for (const seed of listSeeds(RANDOM_ROUNDS)) {
    const random = createRandomSource('stripe faults', seed);
    plan(() =>
      random.drawUniform() < 0.33 ? FAULTS[Math.floor(random.drawUniform() * FAULTS.length)] : undefined,
    );
    const story = `seed ${seed} (ASSAYER_SEED=${seed})`;
    await expectWhole(await round(story), story);
  }
});
