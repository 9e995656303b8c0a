/** Spend limits under concurrency: however many confirm at once, no limit along the chain is passed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus } from '#testing/builders.ts';
import { readTokenId } from '#testing/requests.ts';
import { getNumber, askPatiently, testService, getText } from '#testing/service.ts';

/** More than there are connections, so that some wait for one. */
const CONFIRMS = Number(process.env['ASSAYER_SPENDERS'] ?? '60');
const AFFORDED = CONFIRMS / 5;
const AFFORDED_BY_CHILD = Math.floor(CONFIRMS / 13);

const service = await testService({ DATABASE_POOL_SIZE: '40' });
const { ask, token: founderToken } = service;
const { createQuoted } = await createBuilders(service);
const { read } = service.service.database;

async function derive(token: string, attenuation: object): Promise<string> {
  const made = await ask('POST', '/tokens/attenuate', {
    token,
    body: { token, name: 'capped', attenuation },
  });
  return getText(expectStatus(made, 201).body.token);
}

async function readSpent(token: string): Promise<number> {
  const [row] = await read.query<{ spent: number }>('select spent_cents as spent from tokens where id = $1', [
    readTokenId(token),
  ]);
  return row?.spent ?? -1;
}

async function readPrice(quoteId: string): Promise<number> {
  return getNumber((await ask('GET', `/quotes/${quoteId}`)).body.total_cents);
}

test(`spend_limit_exceeded: ${CONFIRMS} confirmations at once → no more succeed than the limits allow`, async () => {
  const quotes: string[] = [];
  for (let n = 0; n < CONFIRMS; n++) quotes.push((await createQuoted()).quoteId);
  const price = await readPrice(quotes[0] ?? '');
  const parent = await derive(founderToken, { max_spend_cents: price * AFFORDED + price - 1 });
  const child = await derive(parent, { max_spend_cents: price * AFFORDED_BY_CHILD });
  const answers = await Promise.all(
    quotes.map(async (quoteId, index) => {
      const token = index % 2 === 0 ? parent : child;
      const confirm = () => ask('POST', `/quotes/${quoteId}/confirm`, { token, body: {} });
      return { token, answer: await askPatiently(confirm) };
    }),
  );
  for (const { answer } of answers)
    if (answer.status !== 200) expectFailure(answer, 403, 'spend_limit_exceeded');
  const count = (token?: string): number =>
    answers.filter((each) => each.answer.status === 200 && (token === undefined || each.token === token))
      .length;
  assert.equal(count(), AFFORDED);
  assert.ok(count(child) <= AFFORDED_BY_CHILD);
  assert.equal(await readSpent(parent), AFFORDED * price);
  assert.equal(await readSpent(child), count(child) * price);
  assert.equal(await readSpent(founderToken), 0);
  const [invoiced] = await read.query<{ total: number }>(
    'select coalesce(sum(total_cents), 0)::bigint as total from invoices',
  );
  assert.equal(invoiced?.total, AFFORDED * price);
});

test('spend_limit_exceeded: a limit is nearly spent → the sentence says what is left, and a repeat is charged once', async () => {
  const { quoteId } = await createQuoted();
  const price = await readPrice(quoteId);
  const token = await derive(founderToken, { max_spend_cents: price * 2 - 1 });
  const headers = { 'idempotency-key': 'once' };
  const confirm = () => ask('POST', `/quotes/${quoteId}/confirm`, { token, headers, body: {} });
  expectStatus(await confirm(), 200);
  expectStatus(await confirm(), 200);
  assert.equal(await readSpent(token), price);
  const next = await createQuoted();
  const refused = await ask('POST', `/quotes/${next.quoteId}/confirm`, { token, body: {} });
  expectFailure(refused, 403, 'spend_limit_exceeded');
  assert.match(
    getText(refused.body.error),
    /^This would commit \$[\d.,]+\. The token may commit \$[\d.,]+ in total; it has committed \$[\d.,]+, so \$[\d.,]+ is left\.$/,
  );
});

test('payment_policy: its spending limit → holds for the token and everything derived from it', async () => {
  const { quoteId } = await createQuoted();
  const price = await readPrice(quoteId);
  const payment = { methods: ['x402-exact'], max_spend_cents: price - 1 };
  const body = { name: 'machine', role: 'member', expires_in: '7d', payment_policy: payment };
  const machine = getText(expectStatus(await ask('POST', '/tokens', { body }), 201).body.token);
  for (const token of [machine, await derive(machine, {})]) {
    const refused = await ask('POST', `/quotes/${quoteId}/confirm`, { token, body: {} });
    expectFailure(refused, 403, 'spend_limit_exceeded');
  }
});
