/**
 * The service, the facilitator or both are killed again and again in the middle of payments over x402. After each kill,
 * and at most a minute for the chore, as much money is on the chain as there are paid invoices.
 */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from '#adapters/x402/anvil.ts';
import { LOCAL_TOKEN } from '#adapters/x402/test-token.ts';
import { createRandomSource } from '#sandbox/models/random.ts';
import { buildChainVariables } from '#testing/ledger.ts';
import { VHH } from '#testing/builders.ts';
import { testChain } from '#testing/chain.ts';
import { describeRound, workUntilKill, type KilledOrder } from '#testing/kill-rounds.ts';
import { processBench } from '#testing/process-bench.ts';
import { COMMAND_LINE, UNCOMPRESSED, type ServiceProcess } from '#testing/process.ts';
import { listSeeds } from '#testing/seeds.ts';
import { getItems, parseJson, getText, type Json } from '#testing/service.ts';
import { sign, decodeTerms } from '#testing/x402-bench.ts';

const ROUNDS = Number(process.env.ASSAYER_X402_KILL_ROUNDS ?? '4');
const CLIENTS = 3;
const VICTIMS = ['service', 'facilitator', 'both'] as const;

interface Order extends KilledOrder {
  readonly key: string;
  invoiceId: string | null;
  signature: string | null;
}

const chain = await testChain();
const port = await findFreePort();
const bench = await processBench(
  buildChainVariables(chain, { X402_FACILITATOR_URL: `http://127.0.0.1:${port}` }),
);
const keyFile = join(bench.directory, 'gas.key');
writeFileSync(keyFile, chain.facilitatorKey, { mode: 0o600 });
const running: { facilitator?: ChildProcess } = {};
after(async () => {
  await kill(running.facilitator);
  await bench.close();
});

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function startFacilitator(): Promise<ChildProcess> {
  const flags = ['--network', LOCAL_TOKEN.network, '--rpc-url', chain.rpcUrl, '--key-file', keyFile];
  const args = [...COMMAND_LINE, 'facilitator', ...flags, '--port', String(port), '--tied'];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
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
      ...UNCOMPRESSED,
      authorization: `Bearer ${token}`,
      'x-service-payment-method': 'x402-exact',
      'content-type': 'application/json',
      ...(options.key === undefined ? {} : { 'idempotency-key': options.key }),
      ...(options.signature === undefined ? {} : { 'payment-signature': options.signature }),
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(options.body ?? {}) }),
    signal: AbortSignal.timeout(90_000),
  });
  return {
    status: answer.status,
    body: parseJson(await answer.text()),
    challenge: answer.headers.get('payment-required') ?? '',
  };
}

/** The next step of an order; the signature is kept, so that repeating a step is harmless. */
async function takeStep(service: ServiceProcess, targetId: string, order: Order): Promise<void> {
  if (order.invoiceId === null) {
    const spec = { experiment_type: 'screening', method: 'bli', target_id: targetId, sequences: { a: VHH } };
    const body = { name: order.key, auto_accept_quote: true, experiment_spec: spec };
    const created = await ask(service, 'POST', '/experiments', { key: order.key, body });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    order.invoiceId = getText(created.body.invoice_id);
    return;
  }
  const path = `/invoices/${order.invoiceId}/pay`;
  if (order.signature === null) {
    const challenge = await ask(service, 'POST', path);
    assert.equal(challenge.status, 402, JSON.stringify(challenge.body));
    order.signature = await sign(chain.payer, decodeTerms(challenge.challenge));
    return;
  }
  const answer = await ask(service, 'POST', path, { signature: order.signature });
  if (answer.status === 200) order.isPaid = true;
  else if (getText(answer.body.code) === 'payment_not_settled') await wait(50);
  // Kept over so many rounds that it expired unused: the service says so, and another is signed.
  else if (/expired/.test(JSON.stringify(answer.body))) order.signature = null;
  else assert.fail(JSON.stringify(answer.body));
}

async function findTarget(service: ServiceProcess): Promise<string> {
  const { body } = await ask(service, 'GET', '/targets?selfservice_only=true&limit=1');
  return getText(getItems(body.items)[0]?.id);
}

/** Answers how many payments were in doubt after the kill. */
async function round(books: readonly Order[][], seed: number): Promise<number> {
  const random = createRandomSource('x402 kills', seed);
  const victim = VICTIMS[Math.floor(random.drawUniform() * VICTIMS.length)] ?? 'both';
  const [service] = await Promise.all([bench.process(), beginFacilitator()]);
  const targetId = await findTarget(service);
  let begun = 0;
  await workUntilKill<Order>({
    books,
    begin: () => ({ key: `${seed}-${(begun += 1)}`, invoiceId: null, signature: null, isPaid: false }),
    step: (order) => takeStep(service, targetId, order),
    random,
    async kill() {
      if (victim !== 'service') {
        await kill(running.facilitator);
        delete running.facilitator;
      }
      if (victim !== 'facilitator') await bench.kill();
    },
  });
  const inDoubt = await bench.countInDoubt();
  if (seed % 2 === 0) await resumePayers(books);
  await bench.runToRest(describeRound(seed), findMissing);
  await expectWhole(describeRound(seed));
  return inDoubt;
}

/** Payers ask the restarted service at once, while what they asked of the killed one is in doubt. */
async function resumePayers(books: readonly Order[][]): Promise<void> {
  const [service] = await Promise.all([bench.process(), beginFacilitator()]);
  const asking = books.flat().filter(({ isPaid, signature }) => !isPaid && signature !== null);
  await Promise.all(asking.map((order) => takeStep(service, '', order)));
}

async function beginFacilitator(): Promise<void> {
  running.facilitator ??= await startFacilitator();
}

/** What has moved on the chain and is not in the books; an authorization that moved nothing waits for its payer. */
async function findMissing(): Promise<string | undefined> {
  const [moved, paid] = [await chain.readBalance(chain.payTo), await readPaidUnits()];
  return moved === paid ? undefined : `${moved} base units have moved, ${paid} are paid`;
}

/** Attempts of killed processes, which their payers would ask for in vain until the lease is over. */
async function findHeld(): Promise<string | undefined> {
  const [row] = await bench.database.read.query<{ count: number }>(
    `select count(*) as count from payment_attempts
     where state in ('prepared', 'settling') and (lease_until is not null or reserved_until is not null)`,
  );
  return row?.count === 0 ? undefined : `${row?.count} attempts are held`;
}

const readPaidUnits = async (): Promise<bigint> => BigInt(await bench.readPaidCents()) * 10_000n;

async function expectWhole(story: string): Promise<void> {
  assert.equal(await findMissing(), undefined, story);
  const [paid] = await bench.database.read.query<{ invoices: number; attempts: number; twice: number }>(
    `select (select count(*) from invoices where status = 'paid') as invoices,
       (select count(*) from payment_attempts where state = 'paid') as attempts,
       (select count(*) from payment_attempts where state = 'returned') as twice`,
  );
  const moves = (await chain.listReceived()).length;
  assert.deepEqual(paid, { invoices: moves, attempts: moves, twice: 0 }, story);
  await bench.expectHealthyLedger(story);
}

test(
  `kill -9: ${ROUNDS} kills of service and facilitator in the middle of payments → no payment is lost or doubled`,
  { timeout: 3_600_000 },
  async () => {
    const books = Array.from({ length: CLIENTS }, (): Order[] => []);
    let inDoubt = 0;
    for (const seed of listSeeds(ROUNDS)) inDoubt += await round(books, seed);
    await bench.runToRest('before the end', findHeld);
    const [service] = await Promise.all([bench.process(), beginFacilitator()]);
    const targetId = await findTarget(service);
    const orders = books.flat();
    for (const order of orders) {
      const deadline = performance.now() + 60_000;
      while (!order.isPaid) {
        assert.ok(performance.now() < deadline, `${order.invoiceId} is not paid`);
        await takeStep(service, targetId, order);
      }
    }
    console.log(
      `x402: ${ROUNDS} kills, ${inDoubt} payments in doubt after them, ${orders.length} orders paid`,
    );
    assert.ok(orders.length >= ROUNDS / 3, `only ${orders.length} orders`);
    assert.equal((await chain.listReceived()).length, orders.length);
    await expectWhole('at the end');
    assert.equal(await service.stop(), 0);
  },
);
