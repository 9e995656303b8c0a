/**
 * The service is killed again and again in the middle of orders. Whatever it had acknowledged must be there after the
 * next start, once, and every order must come to its end.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startEmbedded } from '#adapters/postgres/embedded.ts';
import { createDatabase } from '#adapters/postgres/pool.ts';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#domain/ledger/check-store.ts';
import { startProcess, type ServiceProcess } from '#testing/process.ts';

const ROUNDS = Number(process.env.ASSAYER_KILL_ROUNDS ?? '12');
const CLIENTS = 3;
const ORDERS_PER_CLIENT_MAX = 20;
const VHH =
  'QVQLVESGGGLVQAGGSLRLSCAASGRTFSSYAMGWFRQAPGKEREFVAAISWSGGSTYYADSVKGRFTISRDNAKNTVYLQMNSLKPEDTAVYYCAAGDY';

/** One order of one client, as far as the service has acknowledged it. */
interface Order {
  readonly key: string;
  code: string | null;
  submitted: boolean;
  invoiceId: string | null;
  paid: boolean;
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
      authorization: `Bearer ${service.token}`,
      'content-type': 'application/json',
      ...(options.key === undefined ? {} : { 'idempotency-key': options.key }),
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(options.body ?? {}) }),
    signal: AbortSignal.timeout(20_000),
  });
  const body: unknown = await response.json();
  return { status: response.status, body: typeof body === 'object' && body !== null ? { ...body } : {} };
}

/** Takes the next step of an order; its keys make a repeat harmless. False when there is nothing left to do. */
async function step(service: ServiceProcess, targetId: string, order: Order): Promise<boolean> {
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
  } else if (!order.submitted) {
    const submitted = await ask(service, 'POST', `/experiments/${order.code}/submit`, {
      key: `${order.key}-submit`,
    });
    assert.equal(submitted.status, 200, JSON.stringify(submitted.body));
    order.submitted = true;
  } else if (order.invoiceId === null) {
    const path = `/experiments/${order.code}/quote/confirm`;
    const confirmed = await ask(service, 'POST', path, { key: `${order.key}-confirm` });
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
    order.invoiceId = String(confirmed.body.invoice_id);
  } else if (!order.paid) {
    const path = `/lab/invoices/${order.invoiceId}/bank-transfer`;
    const paid = await ask(service, 'POST', path, { key: `${order.key}-pay` });
    assert.equal(paid.status, 201, JSON.stringify(paid.body));
    order.paid = true;
  } else return false;
  return true;
}

async function targetOf(service: ServiceProcess): Promise<string> {
  const [target] = await itemsAt(service, '/targets?selfservice_only=true&limit=1');
  return String(target?.id);
}

/** Works on its own orders until the service dies; an answer that never came leaves the order as it was. */
async function client(service: ServiceProcess, targetId: string, book: Order[]): Promise<void> {
  for (;;) {
    let order = book.find((candidate) => !candidate.paid);
    if (order === undefined) {
      if (book.length >= ORDERS_PER_CLIENT_MAX) return;
      order = { key: randomUUID(), code: null, submitted: false, invoiceId: null, paid: false };
      book.push(order);
    }
    await step(service, targetId, order);
  }
}

/** The kill is the expected end of a client; an answer that was wrong is not. */
function onlyLostConnections(error: unknown): void {
  if (error instanceof assert.AssertionError) throw error;
}

async function finishAll(service: ServiceProcess, targetId: string, orders: readonly Order[]): Promise<void> {
  for (const order of orders) while (await step(service, targetId, order));
  const deadline = performance.now() + 120_000;
  for (const order of orders) {
    for (;;) {
      const { body } = await ask(service, 'GET', `/experiments/${order.code}`);
      if (body.status === 'done') break;
      assert.ok(performance.now() < deadline, `${order.code} is still ${String(body.status)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function itemsAt(service: ServiceProcess, path: string): Promise<Readonly<Record<string, unknown>>[]> {
  const { body } = await ask(service, 'GET', path);
  assert.ok(Array.isArray(body.items), `${path} is not a list`);
  return body.items.map((item: unknown) => (typeof item === 'object' && item !== null ? { ...item } : {}));
}

async function allOf(service: ServiceProcess, path: string): Promise<Readonly<Record<string, unknown>>[]> {
  const items = await itemsAt(service, `${path}?limit=100`);
  assert.ok(items.length < 100, `more than one page of ${path}`);
  return items;
}

async function findings(dataDir: string): Promise<unknown[]> {
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

test(
  `kill -9: ${ROUNDS} kills in the middle of orders lose and double nothing`,
  { timeout: 600_000 },
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'assayer-kill-'));
    const variables = { SANDBOX_SPEED: '1000000000' };
    let running: ServiceProcess | undefined;
    after(async () => {
      await running?.kill();
      rmSync(dataDir, { recursive: true, force: true });
    });
    const books = Array.from({ length: CLIENTS }, (): Order[] => []);
    for (let round = 0; round < ROUNDS; round++) {
      const begun = performance.now();
      const service = await startProcess(dataDir, variables);
      running = service;
      const startMs = performance.now() - begun;
      const targetId = await targetOf(service);
      const clients = books.map((book) => client(service, targetId, book).catch(onlyLostConnections));
      // In the time of this machine: a busy one starts later and also orders later.
      const delayMs = 30 + Math.random() * Math.max(700, startMs / 2);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await service.kill();
      await Promise.all(clients);
    }

    const service = await startProcess(dataDir, variables);
    running = service;
    const orders = books.flat();
    const acknowledged = orders.filter((order) => order.code !== null);
    assert.ok(
      acknowledged.length >= Math.min(10, ROUNDS / 5),
      `only ${acknowledged.length} orders were acknowledged`,
    );
    for (const order of acknowledged) {
      assert.equal(
        (await ask(service, 'GET', `/experiments/${order.code}`)).status,
        200,
        `${order.code} is lost`,
      );
      if (order.invoiceId !== null) {
        assert.equal(
          (await ask(service, 'GET', `/invoices/${order.invoiceId}`)).status,
          200,
          'an invoice is lost',
        );
      }
    }
    console.log(`${acknowledged.length} orders acknowledged over ${ROUNDS} kills`);
    await finishAll(service, await targetOf(service), orders);
    const experiments = await allOf(service, '/experiments');
    const invoices = await allOf(service, '/invoices');
    assert.equal(experiments.length, orders.length, 'an order became two experiments');
    assert.equal(
      new Set(invoices.map((invoice) => invoice.experiment_id)).size,
      invoices.length,
      'a quote has two invoices',
    );
    assert.deepEqual(new Set(invoices.map((invoice) => invoice.status)), new Set(['paid']));
    assert.equal(await service.stop(), 0);
    running = undefined;
    assert.deepEqual(await findings(dataDir), []);
  },
);
