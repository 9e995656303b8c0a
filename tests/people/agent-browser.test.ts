/** An agent, a person and a real browser: from no account of the agent to its end. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createBuilders, createSequences } from '#testing/builders.ts';
import { startChromium } from '#testing/chromium.ts';
import { getNumber, getText, testService } from '#testing/service.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Where a person who looks at the pages finds them; nowhere in a usual run. */
const PICTURES = process.env.PICTURES_DIR;

const service = await testService();
const address = new URL(await service.service.app.listen({ host: '127.0.0.1', port: 0 }));
const url = `http://localhost:${address.port}`;
service.service.setBaseUrl(url);
const { createBody, createQuoted } = await createBuilders(service);
const chromium = await startChromium();
after(() => chromium.close());

/** The agent's own machine: what its browser is sent back with. */
const callback = createServer((_request, response) => response.end('You may close this window.'));
callback.listen(0, '127.0.0.1');
await once(callback, 'listening');
after(() => callback.close());
const listening = callback.address();
assert.ok(typeof listening === 'object' && listening !== null);
const redirect = `http://127.0.0.1:${listening.port}/callback`;

type Answer = Readonly<Record<string, unknown>>;

function toRecord(value: unknown): Answer {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function getString(record: Answer, name: string): string {
  const value = record[name];
  assert.ok(typeof value === 'string', name);
  return value;
}

async function send(path: string, body: string, type: string, token?: string): Promise<Response> {
  const headers = { 'content-type': type, accept: 'application/json, text/event-stream' };
  const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return fetch(url + path, { method: 'POST', headers: { ...headers, ...bearer }, body });
}

async function callTool(
  access: string,
  name: string,
  args: object = {},
): Promise<{ status: number; said: Answer }> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const answer = await send('/mcp/', JSON.stringify(message), 'application/json', access);
  if (answer.status !== 200) return { status: answer.status, said: {} };
  const { result } = toRecord(await answer.json());
  const { structuredContent, content } = toRecord(result);
  if (structuredContent !== undefined) return { status: 200, said: toRecord(structuredContent) };
  const [first]: readonly unknown[] = Array.isArray(content) ? content : [];
  const said = toRecord(JSON.parse(getString(toRecord(first), 'text')));
  return { status: 200, said };
}

/** The agent registers itself; the address that nobody listed is left out. */
async function register(): Promise<{ query: URLSearchParams; verifier: string }> {
  const metadata = { client_name: 'Design agent', redirect_uris: ['http://127.0.0.1/callback', 'agent://x'] };
  const made = await send('/auth/oauth2/register', JSON.stringify(metadata), 'application/json');
  const client = toRecord(await made.json());
  assert.deepEqual(client.redirect_uris, ['http://127.0.0.1/callback']);
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: getString(client, 'client_id'),
    redirect_uri: redirect,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: randomBytes(300).toString('base64url'),
    scope: 'read write',
    resource: `${url}/mcp/`,
  });
  return { query, verifier };
}

/** From the agent's address to a session: the page, the mail, the link. */
async function signInByMail(page: Page, query: URLSearchParams): Promise<void> {
  await page.goto(`${url}/auth/oauth2/authorize?${query.toString()}`);
  await page.getByLabel('E-mail').fill('demo@example.org');
  await page.getByRole('button', { name: 'Send me a sign-in link' }).click();
  await page.getByText('Check your mail').waitFor();
  await service.service.worker.runDue();
  await service.service.worker.runDue();
  await page.getByRole('link', { name: 'Open the mailbox of this sandbox' }).click();
  await page.getByRole('link', { name: 'Sign in' }).last().click();
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function redeem(query: URLSearchParams, verifier: string, code: string): Promise<string> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    client_id: query.get('client_id') ?? '',
    redirect_uri: redirect,
    code_verifier: verifier,
    resource: `${url}/mcp/`,
  });
  const answer = await send('/auth/oauth2/token', form.toString(), 'application/x-www-form-urlencoded');
  return getString(toRecord(await answer.json()), 'access_token');
}

/** Looks at the page in both looks and both widths: no violation, and no horizontal scrolling. */
async function check(page: Page, name: string): Promise<void> {
  for (const [colorScheme, width] of [
    ['light', 1_280],
    ['dark', 390],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    if (PICTURES !== undefined)
      await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}-${width}.png`, fullPage: true });
    await page.evaluate(AXE);
    const found: unknown = await page.evaluate('axe.run().then(({ violations }) => violations)');
    assert.deepEqual(found, [], `${name} ${colorScheme}`);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    assert.ok(Number(overflow) <= 0, `${name} is ${String(overflow)} px too wide`);
  }
}

test('sign-in of an agent: mailed link, consent with a cap, an order beyond it, revoke → each step as the page says', async () => {
  const { id, quoteId } = await createQuoted(createBody({ sequences: createSequences(5) }));
  const code = getText((await service.ask('GET', `/experiments/${id}`)).body.code);
  const price = getNumber((await service.ask('GET', `/quotes/${quoteId}`)).body.total_cents);
  assert.ok(price > 50_000);

  const { query, verifier } = await register();
  const context = await chromium.newContext({});
  const page = await context.newPage();
  await signInByMail(page, query);
  await page.getByRole('heading', { name: 'Design agent asks for access' }).waitFor();
  await check(page, 'consent');
  assert.equal(await page.getByLabel('Spends at most').isVisible(), false);
  assert.equal(await page.getByLabel(code).isVisible(), false);
  await page.getByLabel('Order and spend').check();
  await page.getByLabel('Only these').check();
  await page.getByLabel(code).check();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('Say how much it may spend').waitFor();
  await check(page, 'consent-problem');
  await page.getByLabel('Spends at most (US dollars)').fill('500');
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('You may close this window.').waitFor();
  const answered = new URL(page.url());
  assert.equal(answered.origin + answered.pathname, redirect);

  const access = await redeem(query, verifier, answered.searchParams.get('code') ?? '');
  const { said: who } = await callTool(access, 'whoami');
  const shown = toRecord(who.token);
  assert.equal(shown.max_spend_cents, 50_000);
  assert.equal(shown.remaining_cents, 50_000);
  assert.deepEqual(shown.resource_ids, [code]);
  const { said: refused } = await callTool(access, 'confirm_quote', { quote_id: quoteId });
  assert.equal(refused.code, 'spend_limit_exceeded');
  assert.match(getString(refused, 'error'), /may commit \$500\.00 in total; it has committed \$0\.00/);

  await page.goto(`${url}/account`);
  await page.getByText('and with them every connected program').waitFor();
  await page.getByRole('link', { name: 'Show the programs' }).click();
  await page.getByText('$0.00 of $500.00, $500.00 left').waitFor();
  await check(page, 'programs');
  await page.locator('summary', { hasText: 'Revoke Design agent' }).click();
  await page.getByRole('button', { name: 'Revoke Design agent' }).click();
  await page.getByText('The program is disconnected.').waitFor();
  await check(page, 'programs-ended');
  assert.match(await page.getByRole('region', { name: 'Ended' }).innerText(), /\$0\.00 of \$500\.00$/m);
  assert.equal((await callTool(access, 'whoami')).status, 401);

  query.set('client_id', 'somebody-else');
  await page.goto(`${url}/auth/oauth2/authorize?${query.toString()}`);
  await page.getByRole('heading', { name: 'This program is not known here' }).waitFor();
  await check(page, 'unknown-program');
  await context.close();
});
