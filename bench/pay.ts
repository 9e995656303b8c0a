/**
 * Paying over x402 with an unmodified client: a local chain, a facilitator and the service in processes of their own.
 * One payment after another, and many at once; afterwards the money on the chain is that of the paid invoices.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExactEvmScheme } from '@x402/evm';
import { x402Client, x402HTTPClient } from '@x402/fetch';
import { getAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { readKey, startSandboxChain, type SandboxChain } from '#adapters/x402/sandbox-chain.ts';
import { LOCAL_TOKEN, createLocalClient, tokenAbi } from '#adapters/x402/test-token.ts';
import type { ServiceArgument, ServiceReady } from './peers/service.ts';
import { openBenchDatabase } from './support/database.ts';
import { createDesigns } from './support/designs.ts';
import type { Report } from './support/report.ts';
import { startServer, type ServerProcess } from './support/server-process.ts';
import { computeMedian, takeQuantile } from './support/statistics.ts';

const CLI = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const WARM_UP = 10;
const ONE_BY_ONE = 60;
const AT_ONCE = 50;
const BASE_UNITS_PER_CENT = 10_000n;
/** A client repeats its signature for this long while the chain has not answered. */
const PATIENCE_MS = 60_000;

type Service = ServerProcess<ServiceReady>;

export async function run(): Promise<Report[]> {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-bench-pay-'));
  const database = await openBenchDatabase();
  try {
    const chain = await startSandboxChain({
      directory: join(directory, 'chain'),
      command: [process.execPath, CLI],
      log: (message) => console.error(message),
    });
    try {
      const argument: ServiceArgument = {
        connection: database.connection,
        dataDir: join(directory, 'data'),
        x402: chain.options,
      };
      const service = await startServer<ServiceReady>('service', argument);
      try {
        return [await measure(service, chain)];
      } finally {
        await service.stop();
      }
    } finally {
      await chain.stop();
    }
  } finally {
    await database.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(service: Service, chain: SandboxChain): Promise<Report> {
  const { ready } = service;
  const client = createPayer(chain);
  const invoices = await createOrders(ready, WARM_UP + ONE_BY_ONE + AT_ONCE);
  const whole: number[] = [];
  const own: number[] = [];
  const signing: number[] = [];
  let cpu = 0;
  for (const [index, id] of invoices.slice(0, -AT_ONCE).entries()) {
    const [waited, used] = [await service.readOutsideMs(), await service.readCpuSeconds()];
    const { totalMs, signMs } = await pay(ready, client, id);
    const outsideMs = (await service.readOutsideMs()) - waited;
    if (index < WARM_UP) continue;
    whole.push(totalMs);
    signing.push(signMs);
    own.push(totalMs - signMs - outsideMs);
    cpu += (await service.readCpuSeconds()) - used;
  }
  const start = performance.now();
  const crowd = await Promise.all(invoices.slice(-AT_ONCE).map((id) => pay(ready, client, id)));
  const allPaidS = (performance.now() - start) / 1_000;
  await requireSameMoney(ready, chain, invoices);
  const repeats = crowd.reduce((sum, { sent }) => sum + sent - 1, 0);
  const waits = crowd.map(({ totalMs }) => totalMs);
  return {
    title: 'Paying over x402',
    findings: [
      { what: 'challenge, signature, payment, 200: median', value: computeMedian(whole), unit: 'ms' },
      { what: '… 90th percentile', value: takeQuantile(whole, 0.9), unit: 'ms' },
      { what: '… signing in the client, median', value: computeMedian(signing), unit: 'ms' },
      { what: '… without client, chain and facilitator, median', value: computeMedian(own), unit: 'ms' },
      { what: '… 90th percentile', value: takeQuantile(own, 0.9), unit: 'ms' },
      {
        what: '… CPU of the service, mean',
        value: (1_000 * cpu) / ONE_BY_ONE,
        unit: 'ms',
        limit: { atMost: 50 },
      },
      { what: `${AT_ONCE} at once until all are paid`, value: allPaidS, unit: 's', limit: { atMost: 30 } },
      { what: '… one of them, median', value: computeMedian(waits), unit: 'ms' },
      { what: '… signatures sent again', value: repeats, unit: '' },
    ],
    conditions: [
      `${ONE_BY_ONE} payments one by one after ${WARM_UP} to warm up; service, facilitator and chain are processes of their own`,
      `the ${invoices.length} invoices are paid, and the chain holds as many transfers of as much money`,
    ],
  };
}

/** The published client, with the spend limit that callers are told to set. */
function createPayer({ demoWallet }: SandboxChain): x402HTTPClient {
  const account = privateKeyToAccount(readKey(demoWallet.keyFile));
  return new x402HTTPClient(
    x402Client.fromConfig({
      schemes: [{ network: LOCAL_TOKEN.network, client: new ExactEvmScheme(account) }],
      spendControls: { maxAmountPerPayment: '$5000' },
    }),
  );
}

interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

async function ask(
  { baseUrl, token }: ServiceReady,
  method: 'GET' | 'POST',
  path: string,
  options: { readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown } = {},
): Promise<Asked> {
  const answer = await fetch(`${baseUrl}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'x-service-payment-method': 'x402-exact',
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      ...options.headers,
    },
    ...(method === 'POST' ? { body: JSON.stringify(options.body ?? {}) } : {}),
  });
  const body: Readonly<Record<string, unknown>> = JSON.parse(await answer.text());
  return { status: answer.status, headers: answer.headers, body };
}

function requireStatus(answer: Asked, status: number): Asked {
  if (answer.status !== status)
    throw new Error(`wrong answer: ${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`);
  return answer;
}

/** Open invoices, each of an order of one sequence. */
async function createOrders(ready: ServiceReady, count: number): Promise<string[]> {
  const { body } = requireStatus(await ask(ready, 'GET', '/targets?search=EGFR&selfservice_only=true'), 200);
  const [target] = Array.isArray(body.items) ? body.items : [];
  const sequences = createDesigns(1, 120, 7);
  const invoices: string[] = [];
  for (let n = 1; n <= count; n += 1) {
    const spec = { experiment_type: 'screening', method: 'bli', target_id: target?.id, sequences };
    const order = { name: `Payment ${n}`, auto_accept_quote: true, experiment_spec: spec };
    const made = requireStatus(await ask(ready, 'POST', '/experiments', { body: order }), 200);
    invoices.push(String(made.body.invoice_id));
  }
  return invoices;
}

interface Payment {
  readonly totalMs: number;
  readonly signMs: number;
  /** How often the signature was sent until the chain had answered. */
  readonly sent: number;
}

async function pay(ready: ServiceReady, client: x402HTTPClient, invoiceId: string): Promise<Payment> {
  const path = `/invoices/${invoiceId}/pay`;
  const start = performance.now();
  const challenge = requireStatus(await ask(ready, 'POST', path), 402);
  const challenged = performance.now();
  const required = client.getPaymentRequiredResponse((name) => challenge.headers.get(name));
  const headers = client.encodePaymentSignatureHeader(await client.createPaymentPayload(required));
  const signed = performance.now();
  for (let sent = 1; ; sent += 1) {
    const answer = await ask(ready, 'POST', path, { headers });
    const now = performance.now();
    const isUndecided = answer.status === 402 && answer.body.code === 'payment_not_settled';
    if (isUndecided && now - start < PATIENCE_MS) continue;
    requireStatus(answer, 200);
    if (answer.body.status !== 'paid') throw new Error(`wrong answer: ${JSON.stringify(answer.body)}`);
    return { totalMs: now - start, signMs: signed - challenged, sent };
  }
}

/** Throws unless the chain shows one transfer for each invoice, and as much money as they came to. */
async function requireSameMoney(
  ready: ServiceReady,
  { options, labWallet }: SandboxChain,
  invoices: readonly string[],
): Promise<void> {
  let paidCents = 0;
  for (const id of invoices) {
    const { body } = requireStatus(await ask(ready, 'GET', `/invoices/${id}`), 200);
    if (body.status !== 'paid') throw new Error(`wrong answer: the invoice ${id} is ${String(body.status)}`);
    paidCents += Number(body.amount_paid_cents);
  }
  const client = createLocalClient(options.rpcUrl);
  const token = { address: getAddress(LOCAL_TOKEN.asset), abi: tokenAbi };
  const received = await client.readContract({
    ...token,
    functionName: 'balanceOf',
    args: [labWallet.address],
  });
  const transfers = await client.getContractEvents({
    ...token,
    eventName: 'Transfer',
    args: { to: labWallet.address },
    fromBlock: 0n,
  });
  if (transfers.length !== invoices.length || received !== BigInt(paidCents) * BASE_UNITS_PER_CENT)
    throw new Error(
      `wrong answer: ${transfers.length} transfers of ${received} base units pay ${invoices.length} invoices of ${paidCents} cents`,
    );
}
