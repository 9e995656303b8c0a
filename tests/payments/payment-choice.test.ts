/** `payment: {method}` in the body of a new experiment: it is read like the header for the payment method. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus, listProblemPaths, VHH } from '#testing/builders.ts';
import { fakeRail } from '#testing/fake-rail.ts';
import { callTool, getContentText } from '#testing/tool-call.ts';
import { getText, parseJson, testService, type TestAnswer } from '#testing/service.ts';

const server = await testService({}, { rails: [fakeRail()] });
const { ask } = server;
const { create, createBody } = await createBuilders(server);

type Headers = Readonly<Record<string, string>>;
type Send = (besides: object, headers?: Headers) => Promise<TestAnswer>;

const createWith: Send = (besides, headers = {}) =>
  ask('POST', '/experiments', { body: { ...createBody(), ...besides }, headers });
const validate: Send = (besides, headers = {}) =>
  ask('POST', '/experiments/validate', { body: { ...createBody(), ...besides }, headers });
const estimate: Send = (besides, headers = {}) =>
  ask('POST', '/experiments/cost-estimate', {
    body: { experiment_spec: createBody().experiment_spec, ...besides },
    headers,
  });
const clone: Send = async (besides, headers = {}) =>
  ask('POST', `/experiments/${(await create()).id}/clone`, { body: besides, headers });
const importFile: Send = (besides, headers = {}) =>
  ask('POST', '/experiments/import?name=file&experiment_type=expression', {
    body: { content: `>a\n${VHH}\n`, ...besides },
    headers,
  });

const every = {
  create_exp: createWith,
  validate_exp: validate,
  cost_estimate: estimate,
  clone_exp: clone,
  import_exp: importFile,
};
const making = { create_exp: createWith, clone_exp: clone, import_exp: importFile };
const createChoice = (method: string) => ({ payment: { method } });
const createHeaders = (method: string): Headers => ({ 'x-service-payment-method': method });

async function readRail(answer: TestAnswer): Promise<string> {
  const id = getText(expectStatus(answer, 201).body.experiment_id);
  return getText((await ask('GET', `/experiments/${id}`)).body.payment_method);
}

for (const [name, send] of Object.entries(making))
  test(`payment.method: ${name} names a machine rail in the body, alone or with the same header → pinned to it`, async () => {
    assert.equal(await readRail(await send(createChoice('x402-exact'))), 'x402-exact');
    assert.equal(
      await readRail(await send(createChoice('x402-exact'), createHeaders('x402-exact'))),
      'x402-exact',
    );
    assert.equal(await readRail(await send({ payment: null }, createHeaders('x402-exact'))), 'x402-exact');
    assert.equal(await readRail(await send({ payment: null })), 'async_invoice');
  });

for (const [name, send] of Object.entries(every))
  test(`payment.method: ${name} names an unknown rail, none or a misspelled field in the body → 400 with its path`, async () => {
    const cases = [
      [createChoice('bogus'), ['payment.method']],
      [{ payment: {} }, ['payment.method']],
      [{ payment: { method: 'x402-exact', cap: 1 } }, ['payment.cap']],
      [{ payment: 'x402-exact' }, ['payment']],
    ] as const;
    for (const [besides, paths] of cases) {
      const answer = await send(besides);
      assert.equal(answer.status, 400, answer.text);
      assert.deepEqual(listProblemPaths(answer), paths);
    }
  });

for (const [name, send] of Object.entries(every))
  test(`payment.method: body and header of ${name} contradict each other → 400 with its path`, async () => {
    for (const header of ['async_invoice', 'mpp-spt', 'barter', '']) {
      const answer = expectFailure(
        await send(createChoice('x402-exact'), createHeaders(header)),
        400,
        'invalid_experiment',
      );
      assert.deepEqual(listProblemPaths(answer), ['payment.method'], header);
    }
  });

test('payment.method: the rail contradicts the header, and the specification is wrong → every problem in one answer', async () => {
  for (const send of [createWith, validate]) {
    const answer = await send(
      { ...createBody({ n_replicates: 9 }), ...createChoice('x402-exact') },
      createHeaders('mpp-spt'),
    );
    expectFailure(answer, 400, 'invalid_experiment');
    assert.deepEqual(listProblemPaths(answer), ['experiment_spec.n_replicates', 'payment.method']);
  }
});

for (const [name, send] of Object.entries({
  create_exp: createWith,
  validate_exp: validate,
  cost_estimate: estimate,
}))
  test(`payment.method: a key of ${name} is a near miss of a payment choice → 400 that names it`, async () => {
    for (const key of ['payment_method', 'payment_rail', 'paymentMethod', 'payment_metod', 'payments']) {
      const answer = expectFailure(await send({ [key]: 'x402-exact' }), 400, 'invalid_experiment');
      assert.deepEqual(listProblemPaths(answer), [key]);
    }
  });

test('payment.method: an invalid body has a near miss of a payment choice → both problems in one answer', async () => {
  const answer = await createWith({ ...createBody({ n_replicates: 9 }), payment_method: 'x402-exact' });
  expectFailure(answer, 400, 'invalid_experiment');
  assert.deepEqual(listProblemPaths(answer).toSorted(), ['experiment_spec.n_replicates', 'payment_method']);
});

test('unknown keys: a creation has keys of other clients about money → they are ignored', async () => {
  const besides = { payment_terms: 'net 30', purchase_order: 'PO-1', paid_by: 'x', method: 'spr' };
  expectStatus(await createWith(besides), 201);
});

test('payment_rail_not_served: the body names a rail that this environment lacks → 501 in create, validate and estimate', async () => {
  const bare = await testService({ ENVIRONMENT: 'live' });
  const spec = { experiment_type: 'expression', sequences: { a: VHH } };
  for (const [path, besides] of [
    ['/experiments', { name: 'bare' }],
    ['/experiments/validate', { name: 'bare' }],
    ['/experiments/cost-estimate', {}],
  ] as const) {
    const body = { ...besides, experiment_spec: spec, ...createChoice('x402-exact') };
    expectFailure(await bare.ask('POST', path, { body }), 501, 'payment_rail_not_served');
  }
});

test('token_restricted: the body names a rail outside the payment policy of the token → 403', async () => {
  const policy = {
    name: 'machine',
    role: 'member',
    expires_in: '7d',
    payment_policy: { methods: ['mpp-spt'] },
  };
  const token = getText(expectStatus(await ask('POST', '/tokens', { body: policy }), 201).body.token);
  for (const path of ['/experiments', '/experiments/validate']) {
    const body = { ...createBody(), ...createChoice('x402-exact') };
    expectFailure(await ask('POST', path, { token, body }), 403, 'token_restricted');
  }
});

test('payment.method: a tool names the rail as `payment` or contradicts `payment_method` → as over REST', async () => {
  const call = (args: object) => callTool(server, 'create_exp', { ...createBody(), ...args });
  const made = parseJson(getContentText((await call(createChoice('x402-exact'))).result));
  const { body } = await ask('GET', `/experiments/${getText(made.experiment_id)}`);
  assert.equal(body.payment_method, 'x402-exact');
  const refused = await call({ ...createChoice('x402-exact'), payment_method: 'async_invoice' });
  assert.match(getContentText(refused.result), /payment\.method/);
});
