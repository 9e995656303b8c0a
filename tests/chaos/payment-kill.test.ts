/** The service and the processor are killed at random while people pay; no money is lost, and none is taken twice. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startEmbedded } from '#adapters/postgres/embedded.ts';
import { createDatabase } from '#adapters/postgres/pool.ts';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#domain/ledger/check-store.ts';
import { VHH } from '#testing/builders.ts';
import { startProcess, type ServiceProcess } from '#testing/process.ts';
import { fakeAddress, type FakeAddress, type FakeProcess } from '#testing/stripe/process.ts';
import { stripeVariables } from '#testing/stripe/service.ts';
import { itemsOf, recordOf } from '#testing/stripe/values.ts';
import { Challenge, Credential } from 'mppx';

const ROUNDS = Number(process.env.ASSAYER_PAYMENT_KILLS ?? '4');
const CLIENTS = 4;
const ORDERS_PER_CLIENT_MAX = 8;
const REST_LIMIT_MS = 180_000;

interface Order {
  readonly rail: 'async_invoice' | 'mpp-spt';
  readonly key: string;
  invoiceId: string | null;
  isPaid: boolean;
}

interface World {
  readonly service: ServiceProcess;
  readonly stripe: FakeAddress;
  readonly targetId: string;
}

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
      authorization: `Bearer ${token}`,
      'x-service-api-key': token,
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    signal: AbortSignal.timeout(20_000),
  });
  return { status: response.status, headers: response.headers, body: recordOf(await response.json()) };
}

/** One step of an order; a repeat of any of them is harmless. */
async function step(world: World, order: Order): Promise<void> {
  const { service, stripe } = world;
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
    await stripe.control(`pay?invoice=${order.invoiceId}`);
    order.isPaid = (await ask(service, 'GET', `/invoices/${order.invoiceId}`)).body.status === 'paid';
  } else order.isPaid = await payByToken(world, order.invoiceId);
}

async function sendDraft(service: ServiceProcess, experimentId: string): Promise<string> {
  const { body } = await ask(service, 'GET', `/experiments/${experimentId}/invoice`);
  await ask(service, 'POST', `/lab/invoices/${String(body.invoice_id)}/send`);
  return String(body.invoice_id);
}

/** A careless payer: every try has a token of its own. */
async function payByToken({ service, stripe }: World, invoiceId: string): Promise<boolean> {
  const path = `/invoices/${invoiceId}/pay`;
  const asked = await ask(service, 'POST', path, { headers: MPP });
  if (asked.status !== 402) return asked.status === 200;
  const challenge = Challenge.deserialize(asked.headers.get('www-authenticate') ?? '');
  const { token } = await stripe.control('mint');
  const payload = { spt: String(token), externalId: invoiceId };
  const authorization = Credential.serialize({ challenge, payload });
  const paid = await ask(service, 'POST', path, { headers: { ...MPP, authorization } });
  assert.ok([200, 422, 503].includes(paid.status), `${paid.status} ${JSON.stringify(paid.body)}`);
  return paid.status === 200;
}

const MPP = { 'x-service-payment-method': 'mpp-spt' } as const;

async function client(world: World, book: Order[]): Promise<void> {
  for (let steps = 0; ; steps++) {
    let order = book.find(({ isPaid }) => !isPaid);
    const mayBegin = book.length < ORDERS_PER_CLIENT_MAX * ROUNDS;
    if (order === undefined && !mayBegin) return;
    if (order === undefined || (steps % 5 === 4 && mayBegin)) {
      const rail = book.length % 2 === 0 ? 'mpp-spt' : 'async_invoice';
      order = { rail, key: crypto.randomUUID(), invoiceId: null, isPaid: false };
      book.push(order);
    }
    await step(world, order);
  }
}

/** The kill is the expected end of a client; an answer that was wrong is not. */
function onlyLostConnections(error: unknown): void {
  if (error instanceof assert.AssertionError) throw error;
}

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
      await step(world, order);
      if (!order.isPaid && order.invoiceId !== null) await notify(world, order.invoiceId);
    }
    await wait(500);
  }
}

async function notify({ service, stripe }: World, invoiceId: string): Promise<void> {
  const { payload, signature } = await stripe.control(`notice?invoice=${invoiceId}`);
  if (typeof payload !== 'string' || typeof signature !== 'string') return;
  await fetch(`${service.url}/processor/notifications`, {
    method: 'POST',
    headers: { 'stripe-signature': signature, 'content-type': 'application/json' },
    body: payload,
  });
}

async function targetOf(service: ServiceProcess): Promise<string> {
  const { body } = await ask(service, 'GET', '/targets?selfservice_only=true&limit=1');
  return String(itemsOf(body.items)[0]?.id);
}

test(
  `kill -9 of the service and the processor: ${ROUNDS} kills while people pay`,
  { timeout: 3_600_000 },
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'assayer-payment-kill-'));
    const dataDir = join(directory, 'data');
    const stripe = await fakeAddress(join(directory, 'stripe.json'));
    const running: { service?: ServiceProcess; fake?: FakeProcess } = {};
    after(async () => {
      await running.service?.kill();
      await running.fake?.kill();
      rmSync(directory, { recursive: true, force: true });
    });
    const variables = {
      ...stripeVariables(stripe.url),
      STRIPE_TIMEOUT_MS: '2000',
      RATE_LIMIT_PER_SECOND: '0',
    };
    const begin = async (): Promise<World> => {
      running.fake ??= await stripe.start();
      running.service ??= await startProcess(dataDir, variables);
      return { service: running.service, stripe, targetId: await targetOf(running.service) };
    };
    const books = Array.from({ length: CLIENTS }, (): Order[] => []);
    for (let round = 0; round < ROUNDS; round++) {
      const world = await begin();
      const clients = books.map((book) => client(world, book).catch(onlyLostConnections));
      await wait(50 + Math.random() * 1_200);
      // In turn the processor, the service, and both.
      if (round % 3 !== 1) await running.fake?.kill();
      if (round % 3 !== 0) await running.service?.kill();
      if (round % 3 === 0) await wait(Math.random() * 500);
      await running.service?.kill();
      await Promise.all(clients);
      if (round % 3 !== 1) delete running.fake;
      delete running.service;
    }

    const world = await begin();
    const orders = books.flat();
    await settleAll(world, orders);
    await expectWhole(world, orders);
    assert.equal(await world.service.stop(), 0);
    delete running.service;
    assert.deepEqual(await findings(dataDir), []);
    console.log(`${orders.length} orders paid over ${ROUNDS} kills`);
  },
);

async function expectWhole({ service, stripe }: World, orders: readonly Order[]): Promise<void> {
  const books = await stripe.control('books');
  const intents = Object.values(recordOf(books.intents)).map(recordOf);
  let paidCents = 0;
  for (const { invoiceId, rail } of orders) {
    const { body } = await ask(service, 'GET', `/invoices/${String(invoiceId)}`);
    assert.equal(body.status, 'paid');
    paidCents += Number(body.amount_paid_cents);
    const charges = intents.filter(
      ({ status, metadata }) => status === 'succeeded' && recordOf(metadata).invoice_id === invoiceId,
    );
    assert.equal(charges.length, rail === 'mpp-spt' ? 1 : 0, `charges for ${String(invoiceId)}`);
  }
  assert.equal(Number(books.collected), paidCents, 'the money at the processor is that of the paid invoices');
  const perInvoice = Object.values(recordOf(books.invoices)).map(
    (made) => recordOf(recordOf(made).metadata).invoice_id,
  );
  assert.equal(new Set(perInvoice).size, perInvoice.length, 'no invoice was made twice');
}

async function findings(dataDir: string): Promise<unknown[]> {
  const embedded = await startEmbedded({
    dataDir: join(dataDir, 'postgres'),
    database: 'assayer_sandbox',
    log: () => undefined,
  });
  const database = createDatabase({ connection: embedded.connection });
  try {
    const live = await database.read.query(
      `select id from payment_attempts where state in ('prepared', 'settling')`,
    );
    return [...live, ...(await checkLedger(labScope, database.read))];
  } finally {
    await database.close();
    await embedded.stop();
  }
}
