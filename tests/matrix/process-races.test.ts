/**
 * What happens to one quote or invoice at once through two processes of the service: one question wins, the rest are
 * told so plainly, and afterwards the chain and the card processor hold the money of the paid invoices.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createRandomSource, type RandomSource } from '#sandbox/models/random.ts';
import { buildChainVariables } from '#testing/ledger.ts';
import { testChain } from '#testing/chain.ts';
import { serializeCredential, MPP, createTokenPayer } from '#testing/payment-client.ts';
import { processBench } from '#testing/process-bench.ts';
import { createAsker } from '#testing/process.ts';
import { listSeeds } from '#testing/seeds.ts';
import { assertRefusals, PAID_OR_ENDED } from '#testing/refusals.ts';
import { getItems, getText, type TestAnswer, type TestService } from '#testing/service.ts';
import { fakeStripe } from '#testing/stripe/server.ts';
import { listEvents, buildStripeVariables } from '#testing/stripe/service.ts';
import { sign, decodeTerms } from '#testing/x402-bench.ts';

/** Of each kind of race. */
const ROUNDS = Number(process.env.ASSAYER_PROCESS_RACES ?? '3');
const X402 = { 'x-service-payment-method': 'x402-exact' } as const;
const because = { reason: 'race' };

const chain = await testChain();
const fake = await fakeStripe();
const bench = await processBench({
  ...buildStripeVariables(fake.url),
  // A busy machine is no fault of the processor here.
  STRIPE_TIMEOUT_MS: '20000',
  ...buildChainVariables(chain),
});
after(() => bench.close());
const one = await bench.process();
const two = await bench.startAnother();
after(() => two.kill());
const doors = [createAsker(one), createAsker(two)] as const;
const [ask] = doors;
const service = await bench.startBystander();
const payer = await createTokenPayer({ ask, service, token: one.token, runLab: async () => undefined });

type Ask = TestService['ask'];
type Question = (ask: Ask) => Promise<TestAnswer>;

const post =
  (path: string, body: unknown = {}): Question =>
  (door) =>
    door('POST', path, { body });

/** All at once, in an order that the seed says, every other one through the other process. */
function askTogether(random: RandomSource, questions: readonly Question[]): Promise<TestAnswer[]> {
  const order = questions
    .map((question) => ({ question, at: random.drawUniform() }))
    .sort((a, b) => a.at - b.at);
  return Promise.all(order.map(({ question }, index) => question(doors[index % 2 === 0 ? 0 : 1])));
}

/** Each of them through both processes. */
const repeatTwice = (questions: readonly Question[]): Question[] => [...questions, ...questions];

const selectWon = (answers: readonly TestAnswer[]) => answers.filter(({ status }) => status < 300);
const readInvoice = async (id: string) => (await ask('GET', `/invoices/${id}`)).body;
const readStatus = async (id: string) => getText((await readInvoice(id)).status);
const listInvoices = async (experimentId: string) => {
  const filter = encodeURIComponent(`eq(experiment_id,${experimentId})`);
  return getItems((await ask('GET', `/invoices?filter=${filter}`)).body.items);
};

const payX402 =
  (id: string, signature?: string): Question =>
  (door) =>
    door('POST', `/invoices/${id}/pay`, {
      headers: { ...X402, ...(signature === undefined ? {} : { 'payment-signature': signature }) },
    });
const payToken =
  (id: string, authorization: string): Question =>
  (door) =>
    door('POST', `/invoices/${id}/pay`, {
      token: null,
      headers: { ...MPP, authorization, 'x-service-api-key': one.token },
    });

/** Rival authorizations of one payer. */
async function createSignatures(id: string, count: number): Promise<string[]> {
  const answer = await payX402(id)(ask);
  const terms = decodeTerms(answer.headers['payment-required'] ?? '');
  return Promise.all(Array.from({ length: count }, () => sign(chain.payer, terms)));
}

/** Answers of one payer with rival tokens. */
async function createTokens(id: string, count: number): Promise<string[]> {
  const challenge = await payer.readChallenge(id);
  return Array.from({ length: count }, () =>
    serializeCredential(challenge, fake.mint({ maxAmount: 99_999 }), id),
  );
}

const countCharges = (id: string): number =>
  Object.values(fake.state.books.intents).filter(
    ({ status, metadata }) => status === 'succeeded' && metadata.invoice_id === id,
  ).length;
const countTransfers = async (): Promise<number> => (await chain.listReceived()).length;

/** Everything that may still move comes to rest, and what is outside is what the books say. */
async function expectWhole(story: string): Promise<void> {
  await bench.runToRest(story, async () => {
    const [open] = await bench.database.read.query<{ attempts: number; orders: number; refunds: number }>(
      `select (select count(*) from payment_attempts where state in ('prepared', 'settling')) as attempts,
         (select count(*) from processor_invoices where status = 'wanted') as orders,
         (select count(*) from refunds where status = 'pending') as refunds`,
    );
    const isQuiet = open?.attempts === 0 && open.orders === 0 && open.refunds === 0;
    return isQuiet ? undefined : JSON.stringify(open);
  });
  // Staff send money on the chain back by hand, so what is owed back is still there.
  const [books] = await bench.database.read.query<{ chain: number; cards: number }>(
    `select
       (select coalesce(sum(amount_paid_cents), 0)::bigint from invoices where payment_method = 'x402-exact')
         + (select coalesce(sum(amount_cents), 0)::bigint from refunds
            where rail = 'x402-exact' and not is_credit and status <> 'refunded') as chain,
       (select coalesce(sum(amount_paid_cents - amount_refunded_cents), 0)::bigint from invoices
          where payment_method <> 'x402-exact') as cards`,
  );
  assert.equal(await chain.readBalance(chain.payTo), BigInt(books?.chain ?? 0) * 10_000n, story);
  assert.equal(fake.state.sumCollectedCents(), books?.cards, story);
  await bench.expectHealthyLedger(story);
}

function testRace(
  name: string,
  round: (random: RandomSource, story: string, index: number) => Promise<void>,
): void {
  test(`two processes: ${name}, ${ROUNDS} rounds → the chain, the processor and the invoices agree`, async () => {
    for (const [index, seed] of listSeeds(ROUNDS).entries()) {
      const story = `${name}, ASSAYER_SEED=${seed}`;
      await round(createRandomSource('process races', name, seed), story, index);
    }
    await expectWhole(name);
  });
}

testRace('confirm against confirm', async (random, story, index) => {
  const method = (['x402-exact', 'mpp-spt', 'async_invoice'] as const)[index % 3] ?? 'mpp-spt';
  const { id, quoteId } = await payer.createQuoted(undefined, {
    headers: { 'x-service-payment-method': method },
  });
  const answers = await askTogether(
    random,
    repeatTwice([
      post(`/quotes/${quoteId}/confirm`),
      post(`/experiments/${id}/quote/confirm`),
      post(`/quotes/${quoteId}/confirm`, { purchase_order_number: 'PO-1' }),
    ]),
  );
  assert.equal(selectWon(answers).length, 1, story);
  assertRefusals(answers, ['409 quote_already_accepted'], story);
  assert.equal((await listInvoices(id)).length, 1, story);
});

testRace('confirm, reject, expiry, withdrawal and cancellation', async (random, story, index) => {
  const { id, quoteId } = await payer.createQuoted();
  // In every third round the quote is past its date: nothing but its expiry may win.
  if (index % 3 === 0)
    await bench.database.read.query(`update quotes set valid_until = $2 where id = $1`, [
      quoteId,
      new Date(),
    ]);
  const [answers] = await Promise.all([
    askTogether(
      random,
      repeatTwice([
        post(`/quotes/${quoteId}/confirm`),
        post(`/quotes/${quoteId}/reject`, { reason: 'price' }),
        post(`/lab/quotes/${quoteId}/withdraw`),
        post(`/lab/experiments/${id}/cancel`, because),
      ]),
    ),
    service.worker.runChores(),
  ]);
  assertRefusals(
    answers,
    [
      '409 quote_already_accepted',
      '409 quote_canceled',
      '409 quote_expired',
      '409 move_not_allowed',
      '409 quote_not_withdrawable',
    ],
    story,
  );
  const quote = getText((await ask('GET', `/quotes/${quoteId}`)).body.status);
  const accepted = selectWon(answers).filter(({ body }) => 'invoice_id' in body);
  assert.notEqual(quote, 'open', story);
  assert.equal(accepted.length, quote === 'accepted' ? 1 : 0, story);
  assert.equal((await listInvoices(id)).length, accepted.length, story);
});

testRace('pay against pay by x402', async (random, story) => {
  const id = await payer.createOrder({ headers: X402 });
  const before = await countTransfers();
  const rivals = (await createSignatures(id, 2)).map((signature) => payX402(id, signature));
  const answers = await askTogether(random, repeatTwice([...rivals, payX402(id)]));
  assertRefusals(
    answers,
    ['402 payment_required', '402 payment_in_progress', '402 payment_not_settled'],
    story,
  );
  const [again] = await Promise.all(rivals.map((question) => question(doors[1])));
  assert.equal(again?.status, 200, `${again?.text}, ${story}`);
  assert.equal(await readStatus(id), 'paid', story);
  assert.equal((await countTransfers()) - before, 1, story);
});

testRace('pay against pay by mpp-spt', async (random, story) => {
  const id = await payer.orderByToken();
  const rivals = (await createTokens(id, 2)).map((credential) => payToken(id, credential));
  const answers = await askTogether(random, repeatTwice(rivals));
  // Somebody else is at it: never 402, which would be answered with new money.
  assertRefusals(answers, ['503 payment_outcome_unknown'], story);
  const again = await Promise.all(rivals.map((question) => question(doors[1])));
  assert.deepEqual([...new Set(again.map(({ status }) => status))], [200], story);
  assert.deepEqual([await readStatus(id), countCharges(id)], ['paid', 1], story);
});

testRace('pay on two rails', async (random, story, index) => {
  const before = await countTransfers();
  const [id, headers] =
    index % 2 === 0
      ? ([await payer.createOrder({ headers: X402 }), X402] as const)
      : ([await payer.orderByToken(), MPP] as const);
  const own =
    headers === X402
      ? (await createSignatures(id, 1)).map((signature) => payX402(id, signature))
      : (await createTokens(id, 1)).map((credential) => payToken(id, credential));
  const other = headers === X402 ? payToken(id, 'Payment e30') : payX402(id, 'e30=');
  const payHosted: Question = (door) =>
    door('POST', `/invoices/${id}/pay`, { headers: { 'x-service-payment-method': 'async_invoice' } });
  const transfer: Question = (door) => door('POST', `/lab/invoices/${id}/bank-transfer`);
  const answers = await askTogether(random, repeatTwice([...own, other, payHosted, transfer]));
  const busy = headers === X402 ? '402 payment_not_settled' : '503 payment_outcome_unknown';
  assertRefusals(answers, ['409 method_rail_mismatch', '409 transfer_needs_reference', busy], story);
  assert.ok(selectWon(answers).length >= 1, story);
  assert.equal(await readStatus(id), 'paid', story);
  assert.equal((await countTransfers()) - before + countCharges(id), 1, story);
});

testRace('page, notifications and programs at a hosted invoice', async (random, story) => {
  const { invoiceId: id } = await payer.createInvoiced();
  const there = () =>
    Object.values(fake.state.books.invoices).find(({ metadata }) => metadata.invoice_id === id);
  await bench.runToRest(story, async () =>
    there()?.status === 'open' ? undefined : 'no page at the processor',
  );
  const { payload, signature } = (() => {
    fake.pay(there()?.id ?? '');
    const paid = listEvents(fake, 'invoice.paid').at(-1);
    assert.ok(paid !== undefined, story);
    return fake.signEvent(paid);
  })();
  const notice: Question = (door) =>
    door('POST', '//processor/notifications', {
      token: null,
      payload,
      headers: { 'stripe-signature': signature },
    });
  const transfer: Question = (door) => door('POST', `/lab/invoices/${id}/bank-transfer`);
  const programs = [payX402(id, 'e30='), payToken(id, 'Payment e30')];
  const answers = await askTogether(random, repeatTwice([notice, notice, transfer, ...programs]));
  assertRefusals(
    answers,
    ['409 method_rail_mismatch', '409 collected_by_processor', '409 transfer_needs_reference'],
    story,
  );
  assert.equal(await readStatus(id), 'paid', story);
});

testRace('refund, voiding and cancellation against pay', async (random, story, index) => {
  const isX402 = index % 2 === 0;
  const before = await countTransfers();
  const id = isX402 ? await payer.createOrder({ headers: X402 }) : await payer.orderByToken();
  const pay = isX402
    ? (await createSignatures(id, 1)).map((signature) => payX402(id, signature))
    : (await createTokens(id, 1)).map((credential) => payToken(id, credential));
  const experimentId = getText((await readInvoice(id)).experiment_id);
  const close =
    index % 3 === 0
      ? post(`/lab/experiments/${experimentId}/cancel`, because)
      : post(`/lab/invoices/${id}/void`, because);
  const answers = await askTogether(
    random,
    repeatTwice([...pay, close, post(`/lab/invoices/${id}/refunds`, because)]),
  );
  assertRefusals(answers, PAID_OR_ENDED, story);
  await expectWhole(story);
  const refunds = await bench.database.read.query<{ amount_cents: number }>(
    'select amount_cents from refunds where invoice_id = $1',
    [id],
  );
  const invoice = await readInvoice(id);
  const moved = isX402 ? (await countTransfers()) - before : countCharges(id);
  assert.match(getText(invoice.status), /^(?:paid|void)$/, story);
  assert.ok(moved <= 1, story);
  // A void invoice owes back all that moved; a paid one at most what a member of staff gave back.
  if (getText(invoice.status) === 'void') assert.equal(refunds.length, moved, story);
  else assert.ok(moved === 1 && refunds.length <= 1, story);
});
