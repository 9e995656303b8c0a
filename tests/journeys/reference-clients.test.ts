/**
 * The reference clients of the payment protocols and of the tool protocol, unmodified: each registers, orders, pays and
 * reads its results. A person signs in, makes the token and gives consent in Chromium.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ExactEvmScheme } from '@x402/evm';
import { wrapAxiosWithPayment, x402Client } from '@x402/axios';
import { wrapFetchWithPayment } from '@x402/fetch';
import axios, { type AxiosInstance } from 'axios';
import { Mppx, stripe } from 'mppx/client';
import { McpClient } from 'mppx/mcp/client';
import { decodeXPaymentResponse, withPaymentInterceptor } from 'x402-axios';
import { LOCAL_TOKEN } from '#adapters/x402/test-token.ts';
import { Agent } from '#testing/agent.ts';
import { signInLink } from '#testing/browser.ts';
import { VHH } from '#testing/builders.ts';
import { createGenerousClient, testChain } from '#testing/chain.ts';
import { startChromium } from '#testing/chromium.ts';
import { buildChainVariables, checkWithOutside, expectWholeLedger } from '#testing/ledger.ts';
import { REDIRECT } from '#testing/oauth.ts';
import { getText, parseJson, testService, type Json } from '#testing/service.ts';

const chain = await testChain();
const variables = buildChainVariables(chain);
const { service, clock, runLab } = await testService(variables, { start: new Date() });
const url = await service.app.listen({ host: '127.0.0.1', port: 0 });
service.setBaseUrl(url);
const api = `${url}/api/v1`;
const identity = { name: 'reference-clients', version: '1.0.0' };

const ORDER = {
  name: 'reference',
  experiment_spec: { experiment_type: 'expression', n_replicates: 1, sequences: { one: VHH } },
  auto_accept_quote: true,
};

/** What a client reads once the lab is done; it throws unless the results are there. */
const readers = new Map<string, () => Promise<Json>>();

const chromium = await startChromium();
after(() => chromium.close());
const context = await chromium.newContext();
const page = await context.newPage();

/** What a person does first: signs in, and makes a token for programs. */
async function makeToken(): Promise<string> {
  await page.goto(url + (await signInLink({ service })));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.goto(`${url}/organization/tokens`);
  await page.getByLabel('Name', { exact: true }).fill('programs');
  await page.getByRole('button', { name: 'Create the token' }).click();
  return (await page.locator('code.secret').textContent()) ?? '';
}

const token = await makeToken();

/** Signatures and challenges carry the time of the machine. */
const tellTime = () => clock.advance(Math.max(0, Date.now() - clock.now().getTime()));

beforeEach(tellTime);

/** The headers of a program that pays by this rail. */
const createHeaders = (rail: string) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  'x-service-payment-method': rail,
});

async function requireJson(answer: Response, status: number): Promise<Json> {
  const text = await answer.text();
  assert.equal(answer.status, status, text);
  return parseJson(text);
}

test('@x402/fetch: with a token that a person made → orders and pays', async () => {
  const send = wrapFetchWithPayment(fetch, createGenerousClient(chain.payer));
  const headers = createHeaders('x402-exact');
  const body = JSON.stringify(ORDER);
  const order = await requireJson(await send(`${api}/experiments`, { method: 'POST', headers, body }), 200);
  const invoice = `${api}/invoices/${getText(order.invoice_id)}`;
  const paid = await send(`${invoice}/pay`, { method: 'POST', headers });
  assert.equal((await requireJson(paid, 200)).status, 'paid');
  readers.set('@x402/fetch', async () => {
    const { experiment_id: id } = await requireJson(await send(invoice, { headers }), 200);
    return requireJson(await send(`${api}/experiments/${getText(id)}/results`, { headers }), 200);
  });
});

/** The same journey with the other library of HTTP requests, whichever interceptor pays in it. */
async function runWithAxios(name: string, wrap: (client: AxiosInstance) => AxiosInstance) {
  const client = wrap(axios.create({ baseURL: api, headers: createHeaders('x402-exact') }));
  const order = await client.post<Json>('/experiments', ORDER);
  const invoice = `/invoices/${getText(order.data.invoice_id)}`;
  const paid = await client.post<Json>(`${invoice}/pay`, {});
  assert.equal(paid.data.status, 'paid');
  readers.set(name, async () => {
    const { experiment_id: id } = (await client.get<Json>(invoice)).data;
    return (await client.get<Json>(`/experiments/${getText(id)}/results`)).data;
  });
  return paid;
}

test('@x402/axios: with a token that a person made → orders and pays', async () => {
  const payer = new x402Client().register(LOCAL_TOKEN.network, new ExactEvmScheme(chain.payer));
  await runWithAxios('@x402/axios', (client) => wrapAxiosWithPayment(client, payer));
});

test('x402-axios, version 1 of x402: with a token that a person made → orders, pays by X-PAYMENT and reads its receipt', async () => {
  const paid = await runWithAxios('x402-axios', (client) => withPaymentInterceptor(client, chain.payer));
  const receipt = decodeXPaymentResponse(String(paid.headers['x-payment-response']));
  assert.equal(receipt.success, true);
  assert.equal(receipt.network, 'base-sepolia');
  assert.equal(receipt.transaction, paid.data.settlement_reference?.tx_hash);
});

test('mppx over HTTP: with a token that a person made → orders and pays', async () => {
  const headers = { ...createHeaders('mpp-spt'), 'x-service-api-key': token };
  const charge = stripe.charge({
    paymentMethod: 'pm_card_visa',
    createToken: async ({ amount }) => {
      const body = JSON.stringify({ max_amount_cents: Number(amount) });
      const minted = await fetch(`${api}/sandbox/payment-tokens`, { method: 'POST', headers, body });
      return getText((await requireJson(minted, 201)).spt);
    },
  });
  const client = Mppx.create({ methods: [charge], polyfill: false });
  const body = JSON.stringify(ORDER);
  const order = await requireJson(
    await client.fetch(`${api}/experiments`, { method: 'POST', headers, body }),
    200,
  );
  const invoice = `${api}/invoices/${getText(order.invoice_id)}`;
  const paid = await client.fetch(`${invoice}/pay`, { method: 'POST', headers, body: '{}' });
  assert.equal((await requireJson(paid, 200)).status, 'paid');
  readers.set('mppx over HTTP', async () => {
    const { experiment_id: id } = await requireJson(await client.fetch(invoice, { headers }), 200);
    return requireJson(await client.fetch(`${api}/experiments/${getText(id)}/results`, { headers }), 200);
  });
});

/** What the two generations of the protocol's own package have in common here. */
interface ToolCaller {
  callTool(params: {
    name: string;
    arguments: Record<string, unknown>;
    _meta?: Record<string, unknown>;
  }): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

const endpoint = new URL('/mcp/', url);

const generations: Readonly<
  Record<
    string,
    { connect: (agent: Agent) => Promise<ToolCaller>; finish: (agent: Agent, callback: URL) => Promise<void> }
  >
> = {
  'client 2.4': {
    async connect(agent) {
      const client = new Client(identity, { versionNegotiation: { mode: 'auto' } });
      await client.connect(new StreamableHTTPClientTransport(endpoint, { authProvider: agent }));
      return client;
    },
    finish: (agent, callback) =>
      new StreamableHTTPClientTransport(endpoint, { authProvider: agent }).finishAuth(callback.searchParams),
  },
  'sdk 1.32': {
    async connect(agent) {
      const client = new OldClient(identity);
      await client.connect(new OldTransport(endpoint, { authProvider: agent }));
      return client;
    },
    finish: (agent, callback) =>
      new OldTransport(endpoint, { authProvider: agent }).finishAuth(callback.searchParams.get('code') ?? ''),
  },
};

/** Opens the address that the agent names and clicks what a person clicks. */
async function giveConsent({ sentTo }: Agent): Promise<URL> {
  assert.ok(sentTo !== undefined, 'the agent sent the person nowhere');
  const consent = await context.newPage();
  await consent.goto(sentTo.href);
  await consent.getByLabel('Order and spend').check();
  await consent.getByLabel('Spends at most').fill('5000');
  // Nobody listens there, and browsers differ in what they then show.
  const called = consent.waitForRequest((request) => request.url().startsWith(REDIRECT));
  await consent.getByRole('button', { name: 'Allow' }).click();
  const callback = new URL((await called).url());
  await consent.close();
  return callback;
}

async function call(
  caller: ToolCaller,
  name: string,
  args: Record<string, unknown>,
  meta: Record<string, unknown> = {},
): Promise<Json> {
  tellTime();
  const answer = await caller.callTool({ name, arguments: args, _meta: meta });
  return parseJson(JSON.stringify(answer));
}

async function orderByTool(caller: ToolCaller, rail: string): Promise<{ invoice_id: string }> {
  const created = await call(caller, 'create_exp', { ...ORDER, payment_method: rail });
  assert.notEqual(created.isError, true, JSON.stringify(created));
  return { invoice_id: getText(created.structuredContent?.invoice_id) };
}

async function readByTool(caller: ToolCaller, invoice: { invoice_id: string }): Promise<Json> {
  const { structuredContent } = await call(caller, 'get_invoice', invoice);
  const experiment = { experiment_id: structuredContent?.experiment_id };
  return (await call(caller, 'get_experiment_results', experiment)).structuredContent ?? {};
}

const callers: ToolCaller[] = [];
after(() => Promise.all(callers.map((caller) => caller.close())));

for (const [name, { connect, finish }] of Object.entries(generations)) {
  test(`${name}: after a person consents in the browser → orders, pays with the client of x402 and with the wrapper of mppx`, async () => {
    const agent = new Agent();
    await assert.rejects(connect(agent));
    await finish(agent, await giveConsent(agent));
    const caller = await connect(agent);
    callers.push(caller);

    const first = await orderByTool(caller, 'x402-exact');
    const challenge = await call(caller, 'pay_invoice', first);
    assert.equal(challenge.isError, true);
    const payment = await createGenerousClient(chain.payer).createPaymentPayload(
      JSON.parse(JSON.stringify(challenge.structuredContent)),
    );
    const paid = await call(caller, 'pay_invoice', first, { 'x402/payment': payment });
    assert.equal(paid.structuredContent?.status, 'paid', JSON.stringify(paid));
    assert.equal(paid._meta?.['x402/payment-response']?.success, true);

    const second = await orderByTool(caller, 'mpp-spt');
    const createToken = async ({ amount }: { readonly amount: string }): Promise<string> => {
      const minted = await call(caller, 'mint_payment_token', { max_amount_cents: Number(amount) });
      return getText(minted.structuredContent?.spt);
    };
    // The wrapper pays by the calls of the very same client; its types name the earlier generation alone.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it uses nothing but `callTool`
    const payer = McpClient.wrap(caller as unknown as Pick<OldClient, 'callTool'>, {
      methods: [stripe.charge({ paymentMethod: 'pm_card_visa', createToken })],
    });
    const charged = await payer.callTool({ name: 'pay_invoice', arguments: second });
    assert.equal(charged.receipt?.status, 'success', JSON.stringify(charged));
    assert.equal(charged.receipt?.method, 'stripe');
    readers.set(name, async () => {
      await readByTool(caller, first);
      return readByTool(caller, second);
    });
  });
}

const run = promisify(execFile);
/** The program that `inspector --cli` starts. */
const INSPECTOR = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector-cli/build/index.js'));

async function inspect(tool: string, args: Readonly<Record<string, string>>): Promise<Json> {
  const pairs = Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`]);
  const target = [endpoint.href, '--transport', 'http', '--header', `Authorization: Bearer ${token}`];
  const flags = ['--method', 'tools/call', '--tool-name', tool, ...pairs];
  // It looks for its own package.json from the folder in which it runs.
  const { stdout } = await run(process.execPath, [INSPECTOR, ...target, ...flags], {
    cwd: dirname(INSPECTOR),
  });
  return parseJson(stdout).structuredContent ?? {};
}

test('Inspector on the command line: a test token of the sandbox → orders and pays by tools', async () => {
  const order = await inspect('create_exp', {
    name: 'inspected',
    experiment_spec: JSON.stringify(ORDER.experiment_spec),
    auto_accept_quote: 'true',
    payment_method: 'mpp-spt',
  });
  const invoice = { invoice_id: getText(order.invoice_id) };
  // Each call is a start of its program, so what needs none of its own is asked over HTTP.
  const headers = createHeaders('mpp-spt');
  const body = JSON.stringify({ max_amount_cents: 99_999 });
  const minted = await fetch(`${api}/sandbox/payment-tokens`, { method: 'POST', headers, body });
  const { spt } = await requireJson(minted, 201);
  const paid = await inspect('pay_invoice', { ...invoice, spt: getText(spt) });
  assert.equal(paid.status, 'paid');
  readers.set('Inspector', async () => {
    const read = await fetch(`${api}/invoices/${invoice.invoice_id}`, { headers });
    const { experiment_id: id } = await requireJson(read, 200);
    return requireJson(await fetch(`${api}/experiments/${getText(id)}/results`, { headers }), 200);
  });
});

test('results: the lab is done → each client reads its own', async () => {
  await runLab();
  assert.equal(readers.size, 7);
  for (const [name, read] of readers) {
    const results = await read();
    assert.equal(results.total, 1, `${name}: ${JSON.stringify(results)}`);
  }
});

test('money: what the clients paid → one transfer or charge an invoice, and the books agree with the outside', async () => {
  expectWholeLedger(await checkWithOutside({ database: service.database, clock }, variables));
  const rows = await service.database.read.query<{ payment_method: string; status: string; count: number }>(
    'select payment_method, status, count(*) as count from invoices group by 1, 2 order by 1',
  );
  assert.deepEqual(rows, [
    { payment_method: 'mpp-spt', status: 'paid', count: 4 },
    { payment_method: 'x402-exact', status: 'paid', count: 5 },
  ]);
});
