/** `attenuation.payment_policy` over the wire: a child pays by no more than its parent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus, listProblemPaths } from '#testing/builders.ts';
import { fakeRail } from '#testing/fake-rail.ts';
import { getNumber, getText, testService, type Json } from '#testing/service.ts';

const service = await testService({}, { rails: [fakeRail()] });
const { ask, token: founderToken } = service;
const { createBody, createQuoted } = await createBuilders(service);

const BOTH = ['x402-exact', 'mpp-spt'];

async function makeMachine(policy: object): Promise<string> {
  const body = { name: 'machine', role: 'member', expires_in: '7d', payment_policy: policy };
  return getText(expectStatus(await ask('POST', '/tokens', { body }), 201).body.token);
}

const attenuate = (token: string, attenuation: object) =>
  ask('POST', '/tokens/attenuate', { token, body: { token, name: 'narrow', attenuation } });

async function derive(token: string, attenuation: object): Promise<string> {
  return getText(expectStatus(await attenuate(token, attenuation), 201).body.token);
}

const readTerms = async (token: string): Promise<Json> =>
  expectStatus(await ask('GET', '/whoami', { token }), 200).body.token ?? {};

async function expectRefused(token: string, policy: unknown, paths: readonly string[]): Promise<void> {
  const refused = await attenuate(token, { payment_policy: policy });
  assert.equal(refused.status, 400, refused.text);
  assert.deepEqual(listProblemPaths(refused), paths);
}

test('payment_policy: a parent without a policy → the child may get one, and orders by its first method', async () => {
  const child = await derive(founderToken, { payment_policy: { methods: ['x402-exact', 'mpp-spt'] } });
  const made = expectStatus(await ask('POST', '/experiments', { token: child, body: createBody() }), 201);
  const { body } = await ask('GET', `/experiments/${getText(made.body.experiment_id)}`, { token: child });
  assert.equal(body.payment_method, 'x402-exact');
  const terms = await readTerms(child);
  assert.deepEqual(terms.payment_policy, { methods: ['x402-exact', 'mpp-spt'] });
});

test('payment_policy: fewer methods and a lower cap than the parent → taken, and other methods are refused', async () => {
  const parent = await makeMachine({ methods: BOTH, max_spend_cents: 5_000 });
  const child = await derive(parent, { payment_policy: { methods: ['x402-exact'], max_spend_cents: 4_000 } });
  assert.deepEqual((await readTerms(child)).payment_policy, {
    methods: ['x402-exact'],
    max_spend_cents: 4_000,
  });
  assert.equal((await readTerms(child)).max_spend_cents, 4_000);
  const headers = { 'x-service-payment-method': 'mpp-spt' };
  const ordered = await ask('POST', '/experiments', { token: child, body: createBody(), headers });
  expectFailure(ordered, 403, 'token_restricted');
});

test('invalid_attenuation: a policy names a method or a cap beyond the parent, at any depth → 400 with the path', async () => {
  const parent = await makeMachine({ methods: ['x402-exact'], max_spend_cents: 5_000 });
  const child = await derive(parent, { payment_policy: { methods: ['x402-exact'], max_spend_cents: 100 } });
  const methods = ['attenuation.payment_policy.methods'];
  const cap = ['attenuation.payment_policy.max_spend_cents'];
  for (const token of [parent, child, await derive(child, {})]) {
    await expectRefused(token, { methods: ['mpp-spt'] }, methods);
    await expectRefused(token, { methods: BOTH }, methods);
    await expectRefused(token, { methods: ['x402-exact'], max_spend_cents: 5_001 }, cap);
  }
  await expectRefused(child, { methods: ['x402-exact'], max_spend_cents: 101 }, cap);
});

test('payment_policy: a child omits the cap or the policy → those of the parent hold', async () => {
  const parent = await makeMachine({ methods: ['x402-exact'], max_spend_cents: 5_000 });
  for (const spec of [{ payment_policy: { methods: ['x402-exact'] } }, { payment_policy: null }, {}]) {
    const terms = await readTerms(await derive(parent, spec));
    assert.deepEqual(terms.payment_policy, { methods: ['x402-exact'], max_spend_cents: 5_000 });
    assert.equal(terms.remaining_cents, 5_000);
  }
});

test('invalid_request: a misspelled or unknown member of the policy → 400, and no token', async () => {
  const before = (await ask('GET', '/tokens')).body.total;
  const cases = [
    { methods: ['x402-exact'], max_spend: 1 },
    { method: ['x402-exact'] },
    { methods: [] },
    { methods: ['async_invoice'] },
    { methods: ['bogus'] },
    { methods: 'x402-exact' },
    { methods: ['x402-exact'], max_spend_cents: -1 },
    [],
    'x402-exact',
  ];
  for (const policy of cases) {
    const refused = await attenuate(founderToken, { payment_policy: policy });
    assert.equal(refused.status, 400, JSON.stringify(policy));
  }
  expectFailure(await attenuate(founderToken, { payment_polcy: { methods: BOTH } }), 400, 'invalid_request');
  assert.equal((await ask('GET', '/tokens')).body.total, before);
});

test('spend_limit_exceeded: the cap of a derived policy is below the price → 403, counted along the line', async () => {
  const { quoteId } = await createQuoted();
  const price = getNumber((await ask('GET', `/quotes/${quoteId}`)).body.total_cents);
  const child = await derive(founderToken, {
    max_spend_cents: price * 9,
    payment_policy: { methods: ['x402-exact'], max_spend_cents: price - 1 },
  });
  for (const token of [child, await derive(child, {})]) {
    const refused = await ask('POST', `/quotes/${quoteId}/confirm`, { token, body: {} });
    expectFailure(refused, 403, 'spend_limit_exceeded');
  }
});
