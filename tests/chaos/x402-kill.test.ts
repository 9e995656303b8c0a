/**
 * The service, the facilitator or both are killed again and again in the middle of payments over x402. Afterwards every
 * order is paid, once: as much money is on the chain as there are paid invoices.
 */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '#adapters/x402/anvil.ts';
import { startEmbedded } from '#adapters/postgres/embedded.ts';
import { createDatabase } from '#adapters/postgres/pool.ts';
import { LOCAL_TOKEN } from '#adapters/x402/test-token.ts';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#domain/ledger/check-store.ts';
import { VHH } from '#testing/builders.ts';
import { testChain } from '#testing/chain.ts';
import { startProcess, type ServiceProcess } from '#testing/process.ts';
import { itemsOf, parsed, textOf, type Json } from '#testing/service.ts';
import { sign, termsIn } from '#testing/x402-bench.ts';

const ROUNDS = Number(process.env.ASSAYER_X402_KILL_ROUNDS ?? '16');
const CLIENTS = 3;
const ORDERS_PER_CLIENT_MAX = 15 + Math.ceil(ROUNDS / 5);
const ENTRY = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const VICTIMS = ['service', 'facilitator', 'facilitator', 'both'] as const;

interface Order {
  readonly key: string;
  invoiceId: string | null;
  signature: string | null;
  paid: boolean;
}

const chain = await testChain();
const directory = mkdtempSync(join(tmpdir(), 'assayer-x402-kill-'));
const keyFile = join(directory, 'gas.key');
writeFileSync(keyFile, chain.facilitatorKey, { mode: 0o600 });
const port = await freePort();
const running: { service?: ServiceProcess; facilitator?: ChildProcess } = {};
after(async () => {
  await running.service?.kill();
  await kill(running.facilitator);
  rmSync(directory, { recursive: true, force: true });
});

const variables = {
  X402_NETWORK: LOCAL_TOKEN.network,
  X402_ASSET: LOCAL_TOKEN.asset,
  X402_ASSET_NAME: LOCAL_TOKEN.name,
  X402_ASSET_VERSION: LOCAL_TOKEN.version,
  X402_PAY_TO: chain.payTo,
  X402_RPC_URL: chain.rpcUrl,
  X402_FACILITATOR_URL: `http://127.0.0.1:${port}`,
};

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function startFacilitator(): Promise<ChildProcess> {
  const flags = ['--network', LOCAL_TOKEN.network, '--rpc-url', chain.rpcUrl, '--key-file', keyFile];
  const child = spawn(process.execPath, [ENTRY, 'facilitator', ...flags, '--port', String(port), '--tied'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(createInterface({ input: child.stdout }), 'line');
  return child;
}

interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly challenge: string;
}

async function ask(
  { url, token }: ServiceProcess,
  method: string,
  path: string,
  options: { readonly key?: string; readonly signature?: string; readonly body?: unknown } = {},
): Promise<Answer> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'x-service-payment-method': 'x402-exact',
      'content-type': 'application/json',
      ...(options.key === undefined ? {} : { 'idempotency-key': options.key }),
      ...(options.signature === undefined ? {} : { 'payment-signature': options.signature }),
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(options.body ?? {}) }),
    signal: AbortSignal.timeout(40_000),
  });
  return {
    status: answer.status,
    body: parsed(await answer.text()),
    challenge: answer.headers.get('payment-required') ?? '',
  };
}

/** The next step of an order; the signature is kept, so that repeating a step is harmless. */
async function step(service: ServiceProcess, targetId: string, order: Order): Promise<void> {
  if (order.invoiceId === null) {
    const spec = { experiment_type: 'screening', method: 'bli', target_id: targetId, sequences: { a: VHH } };
    const body = { name: order.key, auto_accept_quote: true, experiment_spec: spec };
    const created = await ask(service, 'POST', '/experiments', { key: order.key, body });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    order.invoiceId = textOf(created.body.invoice_id);
    return;
  }
  const path = `/invoices/${order.invoiceId}/pay`;
  if (order.signature === null) {
    const asked = await ask(service, 'POST', path);
    assert.equal(asked.status, 402, JSON.stringify(asked.body));
    order.signature = await sign(chain.payer, termsIn(asked.challenge));
    return;
  }
  const answer = await ask(service, 'POST', path, { signature: order.signature });
  if (answer.status === 200) order.paid = true;
  else if (textOf(answer.body.code) === 'payment_not_settled') await wait(50);
  // Kept over so many rounds that it expired unused: the service says so, and another is signed.
  else if (/expired/.test(JSON.stringify(answer.body))) order.signature = null;
  else assert.fail(JSON.stringify(answer.body));
}

async function client(
  service: ServiceProcess,
  targetId: string,
  book: Order[],
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    let order = book.find(({ paid }) => !paid);
    if (order === undefined) {
      if (book.length >= ORDERS_PER_CLIENT_MAX) return;
      order = { key: randomUUID(), invoiceId: null, signature: null, paid: false };
      book.push(order);
    }
    await step(service, targetId, order);
  }
}

/** The kill is the expected end of a client; an answer that was wrong is not. */
function onlyLostConnections(error: unknown): void {
  if (error instanceof assert.AssertionError) throw error;
}

async function targetOf(service: ServiceProcess): Promise<string> {
  const { body } = await ask(service, 'GET', '/targets?selfservice_only=true&limit=1');
  return textOf(itemsOf(body.items)[0]?.id);
}

async function round(books: readonly Order[][], victim: (typeof VICTIMS)[number]): Promise<void> {
  running.facilitator ??= await startFacilitator();
  running.service ??= await startProcess(directory, variables);
  const { service } = running;
  const targetId = await targetOf(service);
  const stop = new AbortController();
  const clients = books.map((book) =>
    client(service, targetId, book, stop.signal).catch(onlyLostConnections),
  );
  await wait(30 + Math.random() * 500);
  if (victim !== 'service') {
    await kill(running.facilitator);
    delete running.facilitator;
  }
  if (victim !== 'facilitator') {
    await service.kill();
    delete running.service;
  }
  stop.abort();
  await Promise.all(clients);
}

async function assertBooks(orders: readonly Order[]): Promise<void> {
  const embedded = await startEmbedded({
    dataDir: join(directory, 'postgres'),
    database: 'assayer_sandbox',
    log: () => undefined,
  });
  const database = createDatabase({ connection: embedded.connection });
  try {
    assert.deepEqual(await checkLedger(labScope, database.read), []);
    const rows = await database.read.query<{ state: string; count: number }>(
      `select state, count(*) as count from payment_attempts group by state`,
    );
    const counts = Object.fromEntries(rows.map(({ state, count }) => [state, count]));
    assert.equal(counts.paid, orders.length, JSON.stringify(counts));
    assert.equal(
      (counts.prepared ?? 0) + (counts.settling ?? 0) + (counts.returned ?? 0),
      0,
      JSON.stringify(counts),
    );
    const [paid] = await database.read.query<{ cents: number }>(
      `select sum(total_cents)::bigint as cents from invoices where status = 'paid'`,
    );
    assert.equal(await chain.balanceOf(chain.payTo), BigInt(paid?.cents ?? 0) * 10_000n);
  } finally {
    await database.close();
    await embedded.stop();
  }
}

test(
  `kill -9: ${ROUNDS} kills of service and facilitator in the middle of payments lose and double nothing`,
  { timeout: 3_600_000 },
  async () => {
    const books = Array.from({ length: CLIENTS }, (): Order[] => []);
    for (let n = 0; n < ROUNDS; n++) await round(books, VICTIMS[n % VICTIMS.length] ?? 'both');
    running.facilitator ??= await startFacilitator();
    await running.service?.kill();
    const service = await startProcess(directory, variables);
    running.service = service;
    const targetId = await targetOf(service);
    const orders = books.flat();
    for (const order of orders) {
      const deadline = performance.now() + 60_000;
      while (!order.paid) {
        assert.ok(performance.now() < deadline, `${order.invoiceId} is not paid`);
        await step(service, targetId, order);
      }
    }
    console.log(`${orders.length} orders paid over ${ROUNDS} kills`);
    assert.ok(orders.length >= Math.min(10, ROUNDS / 5), `only ${orders.length} orders`);
    assert.equal((await chain.received()).length, orders.length);
    assert.equal(await service.stop(), 0);
    delete running.service;
    await assertBooks(orders);
  },
);
