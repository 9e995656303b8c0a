/**
 * The service, the card processor or both are killed at random while people pay hosted invoices and by shared payment
 * tokens. After each kill, and at most a minute for the reconciler, the processor holds the money of the paid invoices.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Challenge, Credential } from 'mppx';
import { createRandomSource } from '#sandbox/models/random.ts';
import { VHH } from '#testing/builders.ts';
import { describeRound, workUntilKill, type KilledOrder } from '#testing/kill-rounds.ts';
import { processBench } from '#testing/process-bench.ts';
import { UNCOMPRESSED, type ServiceProcess } from '#testing/process.ts';
import { listSeeds } from '#testing/seeds.ts';
import { fakeAddress, type FakeProcess } from '#testing/stripe/process.ts';
import { buildStripeVariables } from '#testing/stripe/service.ts';
import { toItems, toRecord } from '#testing/stripe/values.ts';

const ROUNDS = Number(process.env.ASSAYER_PAYMENT_KILLS ?? '5');
const CLIENTS = 4;
const REST_LIMIT_MS = 120_000;
const VICTIMS = ['service', 'processor', 'both'] as const;

interface Order extends KilledOrder {
  readonly rail: 'async_invoice' | 'mpp-spt';
  readonly key: string;
  invoiceId: string | null;
}

interface World {
  readonly service: ServiceProcess;
  readonly targetId: string;
}

const directory = mkdtempSync(join(tmpdir(), 'assayer-fake-'));
const stripe = await fakeAddress(join(directory, 'stripe.json'));
const bench = await processBench({ ...buildStripeVariables(stripe.url), STRIPE_TIMEOUT_MS: '2000' });
const running: { fake?: FakeProcess } = {};
after(async () => {
  await running.fake?.kill();
  await bench.close();
  rmSync(directory, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

async function ask(
  { url, token }: ServiceProcess,
  method: string,
  path: string,
  options: { readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown } = {},
): Promise<Answer> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      ...UNCOMPRESSED,
      authorization: `Bearer ${token}`,
      'x-service-api-key': token,
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    signal: AbortSignal.timeout(60_000),
  });
  return { status: response.status, headers: response.headers, body: toRecord(await response.json()) };
}

/** One step of an order; a repeat of any of them is harmless. */
async function takeStep(world: World, order: Order): Promise<void> {
  const { service } = world;
  if (order.invoiceId === null) {
    const spec = {
      experiment_type: 'screening',
      method: 'bli',
      target_id: world.targetId,
      n_replicates: 1,
      sequences: { design: VHH },
    };
    const body = { name: order.key, experiment_spec: spec, auto_accept_quote: true };
    const headers = { 'x-service-payment-method': order.rail, 'idempotency-key': order.key };
    const created = await ask(service, 'POST', '/experiments', { body, headers });
    assert.ok(created.status === 200 || created.status === 201, JSON.stringify(created.body));
    if (order.rail === 'mpp-spt') order.invoiceId = String(created.body.invoice_id);
    else order.invoiceId = await sendDraft(service, String(created.body.experiment_id));
  } else if (order.rail === 'async_invoice') {
    await stripe.askControl(`pay?invoice=${order.invoiceId}`);
    order.isPaid = (await ask(service, 'GET', `/invoices/${order.invoiceId}`)).body.status === 'paid';
  } else order.isPaid = await payByToken(world, order.invoiceId);
}

async function sendDraft(service: ServiceProcess, experimentId: string): Promise<string> {
  const { body } = await ask(service, 'GET', `/experiments/${experimentId}/invoice`);
  await ask(service, 'POST', `/lab/invoices/${String(body.invoice_id)}/send`);
  return String(body.invoice_id);
}

/** A careless payer: every try has a token of its own. */
async function payByToken({ service }: World, invoiceId: string): Promise<boolean> {
  const path = `/invoices/${invoiceId}/pay`;
  const unpaid = await ask(service, 'POST', path, { headers: MPP });
  assert.ok([200, 402, 503].includes(unpaid.status), `${unpaid.status} ${JSON.stringify(unpaid.body)}`);
  if (unpaid.status !== 402) return unpaid.status === 200;
  const challenge = Challenge.deserialize(unpaid.headers.get('www-authenticate') ?? '');
  const { token } = await stripe.askControl('mint');
  const payload = { spt: String(token), externalId: invoiceId };
  const authorization = Credential.serialize({ challenge, payload });
  const paid = await ask(service, 'POST', path, { headers: { ...MPP, authorization } });
  assert.ok([200, 422, 503].includes(paid.status), `${paid.status} ${JSON.stringify(paid.body)}`);
  return paid.status === 200;
}

const MPP = { 'x-service-payment-method': 'mpp-spt' } as const;

/** Everybody pays what is left, and Stripe sends its notifications again. */
async function settleAll(world: World, orders: readonly Order[]): Promise<void> {
  const deadline = performance.now() + REST_LIMIT_MS;
  for (;;) {
    const open = orders.filter(({ isPaid }) => !isPaid);
    const [first] = open;
    if (first === undefined) return;
    assert.ok(
      performance.now() < deadline,
      `${open.length} are not settled, such as ${first.rail} ${first.invoiceId}`,
    );
    for (const order of open) {
      await takeStep(world, order);
      if (!order.isPaid && order.invoiceId !== null) await notify(world, order.invoiceId);
    }
    await wait(500);
  }
}

async function notify({ service }: World, invoiceId: string): Promise<void> {
  const { payload, signature } = await stripe.askControl(`notice?invoice=${invoiceId}`);
  if (typeof payload !== 'string' || typeof signature !== 'string') return;
  await fetch(`${service.url}/processor/notifications`, {
    method: 'POST',
    headers: { 'stripe-signature': signature, 'content-type': 'application/json' },
    body: payload,
  });
}

async function findTarget(service: ServiceProcess): Promise<string> {
  const { body } = await ask(service, 'GET', '/targets?selfservice_only=true&limit=1');
  return String(toItems(body.items)[0]?.id);
}

async function beginFake(): Promise<void> {
  running.fake ??= await stripe.start();
}

async function begin(): Promise<World> {
  const [service] = await Promise.all([bench.process(), beginFake()]);
  return { service, targetId: await findTarget(service) };
}

/** Answers how many payments were in doubt after the kill. */
async function round(books: readonly Order[][], seed: number): Promise<number> {
  const random = createRandomSource('processor kills', seed);
  const victim = VICTIMS[Math.floor(random.drawUniform() * VICTIMS.length)] ?? 'both';
  const world = await begin();
  let begun = 0;
  await workUntilKill<Order>({
    books,
    begin: (book) => ({
      rail: book.length % 2 === 0 ? 'mpp-spt' : 'async_invoice',
      key: `${seed}-${(begun += 1)}`,
      invoiceId: null,
      isPaid: false,
    }),
    step: (order) => takeStep(world, order),
    random,
    async kill() {
      if (victim !== 'service') {
        await running.fake?.kill();
        delete running.fake;
      }
      if (victim !== 'processor') await bench.kill();
    },
  });
  const inDoubt = await bench.countInDoubt();
  await (seed % 2 === 0 ? resumePayers(books) : beginFake());
  // What was paid is found; then whoever still has a page to pay on pays, and that is found as well.
  await bench.runToRest(describeRound(seed), findOpen, async () => {
    await stripe.askControl('pay-all');
    return findOpen();
  });
  await expectWhole(describeRound(seed));
  return inDoubt;
}

/** Payers ask the restarted service at once, while what they asked of the killed one is in doubt. */
async function resumePayers(books: readonly Order[][]): Promise<void> {
  const world = await begin();
  const asking = books
    .flat()
    .filter(({ isPaid, rail, invoiceId }) => !isPaid && rail === 'mpp-spt' && invoiceId);
  await Promise.all(asking.map((order) => takeStep(world, order)));
}

/** What the processor and the books do not agree on yet, or a payment that may still be made. */
async function findOpen(): Promise<string | undefined> {
  const inDoubt = await bench.countInDoubt();
  if (inDoubt > 0) return `${inDoubt} payments are in doubt`;
  const { collected } = await stripe.askControl('books');
  const paid = await bench.readPaidCents();
  return Number(collected) === paid
    ? undefined
    : `${String(collected)} cents are collected, ${paid} are paid`;
}

/** The money outside is that of the paid invoices, and nothing was charged or made twice; once all is settled, nothing is left. */
async function expectWhole(story: string, isSettled = false): Promise<void> {
  assert.equal(await findOpen(), undefined, story);
  const books = await stripe.askControl('books');
  const charged = Object.values(toRecord(books.intents))
    .map(toRecord)
    .filter(({ status, token }) => status === 'succeeded' && token !== null)
    .map(({ metadata }) => String(toRecord(metadata).invoice_id));
  const byToken = await bench.database.read.query<{ id: string }>(
    `select id from invoices where status = 'paid' and payment_method = 'mpp-spt'`,
  );
  assert.deepEqual(charged.sort(), byToken.map(({ id }) => id).sort(), `one charge each, ${story}`);
  const made = Object.values(toRecord(books.invoices)).map(
    (invoice) => toRecord(toRecord(invoice).metadata).invoice_id,
  );
  // What came of an accepted quote carries our id when our invoice is sent.
  const named = made.filter((id) => id !== undefined);
  assert.equal(new Set(named).size, named.length, `no invoice was made twice, ${story}`);
  if (isSettled) assert.equal(named.length, made.length, `no invoice is left over, ${story}`);
  await bench.expectHealthyLedger(story);
}

test(
  `kill -9: ${ROUNDS} kills of service and card processor while people pay → no payment is lost or doubled`,
  { timeout: 3_600_000 },
  async () => {
    const books = Array.from({ length: CLIENTS }, (): Order[] => []);
    let inDoubt = 0;
    for (const seed of listSeeds(ROUNDS)) inDoubt += await round(books, seed);
    const world = await begin();
    const orders = books.flat();
    await settleAll(world, orders);
    for (const { invoiceId } of orders) {
      const { body } = await ask(world.service, 'GET', `/invoices/${String(invoiceId)}`);
      assert.equal(body.status, 'paid');
    }
    await expectWhole('at the end', true);
    assert.equal(await world.service.stop(), 0);
    const hosted = orders.filter(({ rail }) => rail === 'async_invoice').length;
    console.log(
      `card processor: ${ROUNDS} kills, ${inDoubt} payments in doubt after them, ${orders.length} orders paid (${hosted} hosted)`,
    );
    assert.ok(Math.min(hosted, orders.length - hosted) >= ROUNDS / 4, 'both rails have their share');
  },
);
