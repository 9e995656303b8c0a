/**
 * The service is killed again and again in the middle of orders. Whatever it had acknowledged must be there after the
 * next start, once, and every order must come to its end.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startEmbedded } from '#adapters/postgres/embedded.ts';
import { createDatabase } from '#adapters/postgres/pool.ts';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { createRandomSource } from '#sandbox/models/random.ts';
import { describeRound, workUntilKill, type KilledOrder } from '#testing/kill-rounds.ts';
import { startProcess, UNCOMPRESSED, type ServiceProcess } from '#testing/process.ts';
import { listSeeds } from '#testing/seeds.ts';

const ROUNDS = Number(process.env.ASSAYER_KILL_ROUNDS ?? '3');
const CLIENTS = 3;
const FINISH_LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 50;
/** One page of a list. */
const PAGE = 100;
const VHH =
  'QVQLVESGGGLVQAGGSLRLSCAASGRTFSSYAMGWFRQAPGKEREFVAAISWSGGSTYYADSVKGRFTISRDNAKNTVYLQMNSLKPEDTAVYYCAAGDY';

/** One order of one client, as far as the service has acknowledged it. */
interface Order extends KilledOrder {
  readonly key: string;
  code: string | null;
  isSubmitted: boolean;
  invoiceId: string | null;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function ask(
  service: ServiceProcess,
  method: string,
  path: string,
  options: { key?: string; body?: unknown } = {},
): Promise<Answer> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: {
      ...UNCOMPRESSED,
      authorization: `Bearer ${service.token}`,
      'content-type': 'application/json',
      ...(options.key === undefined ? {} : { 'idempotency-key': options.key }),
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(options.body ?? {}) }),
    signal: AbortSignal.timeout(60_000),
  });
  const body: unknown = await response.json();
  return { status: response.status, body: typeof body === 'object' && body !== null ? { ...body } : {} };
}

/** Takes the next step of an order; its keys make a repeat harmless. */
async function takeStep(service: ServiceProcess, targetId: string, order: Order): Promise<void> {
  if (order.code === null) {
    const spec = {
      experiment_type: 'screening',
      method: 'bli',
      target_id: targetId,
      n_replicates: 1,
      sequences: { design: VHH },
    };
    const body = { name: `order ${order.key}`, experiment_spec: spec };
    const created = await ask(service, 'POST', '/experiments', { key: `${order.key}-create`, body });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    order.code = String(created.body.experiment_code);
  } else if (!order.isSubmitted) {
    const submitted = await ask(service, 'POST', `/experiments/${order.code}/submit`, {
      key: `${order.key}-submit`,
    });
    assert.equal(submitted.status, 200, JSON.stringify(submitted.body));
    order.isSubmitted = true;
  } else if (order.invoiceId === null) {
    const path = `/experiments/${order.code}/quote/confirm`;
    const confirmed = await ask(service, 'POST', path, { key: `${order.key}-confirm` });
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
    order.invoiceId = String(confirmed.body.invoice_id);
  } else if (!order.isPaid) {
    const path = `/lab/invoices/${order.invoiceId}/bank-transfer`;
    const paid = await ask(service, 'POST', path, { key: `${order.key}-pay` });
    assert.equal(paid.status, 201, JSON.stringify(paid.body));
    order.isPaid = true;
  }
}

async function findTarget(service: ServiceProcess): Promise<string> {
  const [target] = await readItems(service, '/targets?selfservice_only=true&limit=1');
  return String(target?.id);
}

/** Lets the clients work until the service is killed at a moment that the seed says. */
async function killDuringOrders(
  service: ServiceProcess,
  books: readonly Order[][],
  seed: number,
): Promise<void> {
  const targetId = await findTarget(service);
  let begun = 0;
  await workUntilKill<Order>({
    books,
    begin: () => ({
      key: `${seed}-${(begun += 1)}`,
      code: null,
      isSubmitted: false,
      invoiceId: null,
      isPaid: false,
    }),
    step: (order) => takeStep(service, targetId, order),
    random: createRandomSource('kills of the service', seed),
    kill: () => service.kill(),
  });
}

async function finishAll(service: ServiceProcess, orders: readonly Order[]): Promise<void> {
  const targetId = await findTarget(service);
  for (const order of orders) while (!order.isPaid) await takeStep(service, targetId, order);
  const deadline = performance.now() + FINISH_LIMIT_MS;
  for (const order of orders) {
    for (;;) {
      const { body } = await ask(service, 'GET', `/experiments/${order.code}`);
      if (body.status === 'done') break;
      assert.ok(performance.now() < deadline, `${order.code} is still ${String(body.status)}`);
      await wait(LOOK_EVERY_MS);
    }
  }
}

type Item = Readonly<Record<string, unknown>>;

async function readItems(service: ServiceProcess, path: string): Promise<Item[]> {
  const { body } = await ask(service, 'GET', path);
  assert.ok(Array.isArray(body.items), `${path} is not a list`);
  return body.items.map((item: unknown) => (typeof item === 'object' && item !== null ? { ...item } : {}));
}

async function readAll(service: ServiceProcess, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (;;) {
    const page = await readItems(service, `${path}?limit=${PAGE}&offset=${items.length}`);
    items.push(...page);
    if (page.length < PAGE) return items;
  }
}

async function checkBooks(dataDir: string): Promise<unknown[]> {
  const embedded = await startEmbedded({
    dataDir: join(dataDir, 'postgres'),
    database: 'assayer_sandbox',
    log: () => undefined,
  });
  const database = createDatabase({ connection: embedded.connection });
  try {
    return await checkLedger(labScope, database.read);
  } finally {
    await database.close();
    await embedded.stop();
  }
}

/** Everything that was acknowledged is there after the kills. */
async function expectAcknowledged(service: ServiceProcess, orders: readonly Order[]): Promise<void> {
  for (const { code, invoiceId } of orders) {
    if (code !== null) {
      const { status } = await ask(service, 'GET', `/experiments/${code}`);
      assert.equal(status, 200, `${code} is lost`);
    }
    if (invoiceId !== null) {
      const { status } = await ask(service, 'GET', `/invoices/${invoiceId}`);
      assert.equal(status, 200, `the invoice ${invoiceId} is lost`);
    }
  }
}

/** Every order became one experiment with one paid invoice. */
async function expectOnce(service: ServiceProcess, orders: readonly Order[]): Promise<void> {
  const experiments = await readAll(service, '/experiments');
  const invoices = await readAll(service, '/invoices');
  assert.equal(experiments.length, orders.length, 'an order became two experiments');
  const invoiced = new Set(invoices.map((invoice) => invoice.experiment_id));
  assert.equal(invoiced.size, invoices.length, 'a quote has two invoices');
  assert.deepEqual(new Set(invoices.map((invoice) => invoice.status)), new Set(['paid']));
}

test(
  `kill -9: ${ROUNDS} kills in the middle of orders → nothing is lost and nothing is doubled`,
  { timeout: 3_600_000 },
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'assayer-kill-'));
    const variables = { SANDBOX_SPEED: '1000000000' };
    let running: ServiceProcess | undefined;
    after(async () => {
      await running?.kill();
      rmSync(dataDir, { recursive: true, force: true });
    });
    const start = async (): Promise<ServiceProcess> => {
      running = await startProcess(dataDir, variables);
      return running;
    };
    const books = Array.from({ length: CLIENTS }, (): Order[] => []);
    for (const seed of listSeeds(ROUNDS)) {
      const service = await start();
      await expectAcknowledged(service, books.flat()).catch((error: unknown) => {
        throw new Error(`after the kill before ${describeRound(seed)}`, { cause: error });
      });
      await killDuringOrders(service, books, seed);
    }
    const service = await start();
    const orders = books.flat();
    const acknowledged = orders.filter(({ code }) => code !== null);
    assert.ok(acknowledged.length >= ROUNDS, `only ${acknowledged.length} orders were acknowledged`);
    await expectAcknowledged(service, orders);
    await finishAll(service, orders);
    await expectOnce(service, orders);
    assert.equal(await service.stop(), 0);
    running = undefined;
    assert.deepEqual(await checkBooks(dataDir), []);
    console.log(`${acknowledged.length} orders acknowledged over ${ROUNDS} kills`);
  },
);
