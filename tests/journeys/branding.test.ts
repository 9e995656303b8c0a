import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus, VHH, type Asker } from '#testing/builders.ts';
import { DeclaredAnswers } from '#testing/declared-answers.ts';
import { getItems, testService, getText, type Json, type TestAnswer } from '#testing/service.ts';

const branded = await testService({ BRAND_HEADER_PREFIX: 'X-Acme', PROVIDER_FIELD_ALIAS: 'acme' });
const { runLab, service } = branded;

const CANONICAL = /^(x-service-|provider_)/i;

/** The record as a client sees it that knows the lab's own names and no others. */
function removeCanonical(value: Json): Json;
function removeCanonical(value: unknown): unknown;
function removeCanonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => removeCanonical(item));
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).filter(([key]) => !CANONICAL.test(key));
  return Object.fromEntries(known.map(([key, item]) => [key, removeCanonical(item)]));
}

/** Sends and reads only the lab's own names. */
const ask: Asker = async (method, path, options = {}) => {
  for (const name of Object.keys(options.headers ?? {})) assert.doesNotMatch(name, CANONICAL);
  const answer: TestAnswer = await branded.ask(method, path, options);
  const headers = Object.fromEntries(
    Object.entries(answer.headers).filter(([name]) => !CANONICAL.test(name)),
  );
  return { ...answer, headers, body: removeCanonical(answer.body) };
};

/** Every `provider_x` stands beside an `acme_x` of the same value, at any depth. */
function assertAccompanied(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const record = new Map<string, unknown>(Object.entries(value));
  let found = 0;
  for (const [key, item] of record) {
    found += assertAccompanied(item);
    if (!key.startsWith('provider_')) continue;
    found++;
    assert.deepEqual(record.get(`acme_${key.slice('provider_'.length)}`), item, key);
  }
  return found;
}

test('branding: an experiment from draft to results → works under the names of the lab alone', async () => {
  const { createBody, pay } = await createBuilders({ ask, runLab, service });
  const rail = { 'x-acme-payment-method': 'async_invoice' };
  const whole = createBody({ parameters: { sandbox: { force: 'binder' } } });
  const created = expectStatus(await ask('POST', '/experiments', { body: whole, headers: rail }), 201);
  const id = getText(created.body.experiment_id);
  expectStatus(await ask('POST', `/experiments/${id}/submit`), 200);

  const open = expectStatus(await ask('GET', `/experiments/${id}/quote`), 200);
  const quoteId = getText(open.body.quote_id);
  assert.match(getText(open.body.acme_quote_url), new RegExp(`/quotes/${quoteId}$`));
  const quote = expectStatus(await ask('GET', `/quotes/${quoteId}`), 200);
  assert.equal(quote.body.acme_quote_url, open.body.acme_quote_url);
  const listed = expectStatus(await ask('GET', '/quotes'), 200);
  assert.equal(getItems(listed.body.items)[0]?.acme_quote_url, open.body.acme_quote_url);

  const confirmed = expectStatus(await ask('POST', `/quotes/${quoteId}/confirm`, { body: {} }), 200);
  const invoiceId = getText(confirmed.body.invoice_id);
  const pays = await ask('POST', `/invoices/${invoiceId}/pay`, { headers: rail });
  assert.equal(expectStatus(pays, 200).body.hosted_invoice_url, confirmed.body.hosted_invoice_url);
  const other = { 'x-acme-payment-method': 'x402-exact' };
  expectFailure(
    await ask('POST', `/invoices/${invoiceId}/pay`, { headers: other }),
    409,
    'method_rail_mismatch',
  );

  const invoice = expectStatus(await ask('GET', `/invoices/${invoiceId}`), 200);
  const external = getText(invoice.body.acme_invoice_id);
  expectStatus(await ask('GET', `/invoices/${external}`), 200);
  await pay({ id, code: '', quoteId, invoiceId });
  await runLab();

  const detail = expectStatus(await ask('GET', `/experiments/${id}`), 200);
  assert.equal(detail.body.status, 'done');
  assert.equal(detail.body.acme_quote_id, quoteId);
  assert.equal(detail.body.acme_invoice_id, external);
  assert.equal(detail.body.costs.acme_invoice_url, detail.body.acme_invoice_url);
  assert.equal((await ask('GET', `/experiments/${id}/results`)).body.total, 1);
});

test('branding: a quote is accepted automatically → the invoice is answered under both names', async () => {
  const { createBody } = await createBuilders({ ask, runLab, service });
  const whole = { ...createBody(), auto_accept_quote: true };
  const created = expectStatus(await branded.ask('POST', '/experiments', { body: whole }), 201);
  assert.match(getText(created.body.acme_invoice_id), /^in_/);
  assert.equal(created.body.acme_invoice_id, created.body.provider_invoice_id);
});

test('branding: every provider_ field of every answer → has its alias', async () => {
  const { createQuoted, createInvoiced } = await createBuilders({ ask, runLab, service });
  const { id } = await createInvoiced();
  await createQuoted();
  const paths = [
    '/experiments',
    `/experiments/${id}`,
    `/experiments/${id}/quote`,
    `/experiments/${id}/invoice`,
    '/quotes',
    '/invoices',
  ];
  for (const path of paths) assertAccompanied(expectStatus(await branded.ask('GET', path), 200).body);
  const detail = await branded.ask('GET', `/experiments/${id}`);
  assert.ok(assertAccompanied(detail.body) >= 4);
});

test('branding: a sequence or a parameter has a name like a field of the lab → it is answered as it was given', async () => {
  const { createBody } = await createBuilders({ ask, runLab, service });
  const sequences = { provider_one: VHH, one: `${VHH}W` };
  const parameters = { provider_y: 1, acme_y: 2, experiment_type: 'affinity' };
  const body = createBody({ sequences, parameters });
  const created = expectStatus(await branded.ask('POST', '/experiments', { body }), 201);
  const path = `/experiments/${getText(created.body.experiment_id)}`;
  const { experiment_spec: spec } = expectStatus(await branded.ask('GET', path), 200).body;
  assert.deepEqual(spec.sequences, sequences);
  assert.deepEqual(spec.parameters, parameters);
});

test('branding: a token in the header of either name → accepted', async () => {
  for (const name of ['x-acme-api-key', 'x-service-api-key']) {
    const headers = { [name]: branded.token, authorization: 'Payment not-a-token' };
    expectStatus(await branded.ask('GET', '/whoami', { token: null, headers }), 200);
  }
  const unbranded = { 'x-other-api-key': branded.token };
  expectFailure(
    await branded.ask('GET', '/whoami', { token: null, headers: unbranded }),
    401,
    'unauthenticated',
  );
});

test('unauthenticated: Authorization carries a payment → the answer names the other header; otherwise → it does not', async () => {
  const readWhoami = async (authorization: string) => {
    const answer = await branded.ask('GET', '/whoami', { token: null, headers: { authorization } });
    return getText(expectFailure(answer, 401, 'unauthenticated').body.error);
  };
  assert.match(await readWhoami('Payment abc'), /"X-Acme-Api-Key: <token>" beside/i);
  assert.match(await readWhoami('Basic abc'), /send "Authorization: Bearer <token>"/);
});

test('invalid_webhook: a custom header under the prefix of the lab, or under that of the contract → refused, added and changed', async () => {
  const url = 'https://receiver.example/events';
  const plain = { 'X-Key': 'one' };
  const { id } = expectStatus(await ask('POST', '/webhooks', { body: { url, headers: plain } }), 201).body;
  for (const name of ['x-acme-signature', 'X-Acme-Event', 'X-Service-Signature']) {
    const body = { headers: { ...plain, [name]: 'forged' } };
    expectFailure(await ask('POST', '/webhooks', { body: { ...body, url } }), 400, 'invalid_webhook');
    expectFailure(await ask('PATCH', `/webhooks/${getText(id)}`, { body }), 400, 'invalid_webhook');
  }
});

test('branding: every answer of an order → fits the served description, its alias fields included', async () => {
  const served = await branded.ask('GET', '//api/v1/openapi.json', { token: null });
  const declared = new DeclaredAnswers(JSON.parse(served.text));
  const { createInvoiced } = await createBuilders({ ask, runLab, service });
  const { id, invoiceId, quoteId } = await createInvoiced();
  const places = [
    ['/experiments', '/experiments'],
    ['/experiments/{experiment_id}', `/experiments/${id}`],
    ['/quotes/{quote_id}', `/quotes/${quoteId}`],
    ['/invoices/{invoice_id}', `/invoices/${invoiceId}`],
  ] as const;
  for (const [path, address] of places) {
    const { body } = expectStatus(await branded.ask('GET', address), 200);
    const validate = declared.getValidator({ path, method: 'get' }, 200, 'application/json');
    assert.ok(validate(body), `${address}: ${declared.describeProblems(validate)}`);
  }
  assert.doesNotMatch(served.text, /X-Service-/i);
  assert.match(served.text, /"X-Acme-Payment-Method"[^]*"X-Acme-Api-Key"/);
  assert.match(served.text, /"required":\[[^\]]*"provider_quote_url","acme_quote_url"/);
});

test('branding: the guides that the service shows → name the headers as the lab does', async () => {
  for (const [name, header] of [
    ['webhooks', 'X-Acme-Signature'],
    ['paying', 'x-acme-payment-method'],
  ] as const) {
    const { text } = await branded.ask('GET', `//docs/guide/${name}`, { token: null });
    assert.ok(text.includes(header));
    assert.doesNotMatch(text, /X-Service-/i);
  }
});

test('branding: a repeated request → replays the aliases too', async () => {
  const { createBody } = await createBuilders({ ask, runLab, service });
  const headers = { 'idempotency-key': 'branded' };
  const whole = { ...createBody(), auto_accept_quote: true };
  const first = await branded.ask('POST', '/experiments', { body: whole, headers });
  const second = await branded.ask('POST', '/experiments', { body: whole, headers });
  assert.equal(second.text, first.text);
  assert.match(getText(second.body.acme_invoice_id), /^in_/);
});

test('RESULT_SUMMARY: an alias and nothing else is said → summary has the two published shapes, rows has all', async () => {
  const { createBody, createReleased } = await createBuilders({ ask, runLab, service });
  const screened = await createReleased(createBody());
  const expressed = await createReleased({
    name: 'yields',
    experiment_spec: { experiment_type: 'expression', n_replicates: 1, sequences: { one: VHH } },
  });
  for (const [{ id }, shape, count] of [
    [screened, 'affinity', 1],
    [expressed, 'expression', 0],
  ] as const) {
    const paths = [`/experiments/${id}/results`, `/results?experiment_id=${id}`];
    const lists = await Promise.all(paths.map((path) => branded.ask('GET', path)));
    const [one, other] = lists.map(({ body }) => getItems(body.items)[0]);
    assert.deepEqual(one, other);
    assert.deepEqual((await branded.ask('GET', `/results/${getText(one?.id)}`)).body, one);
    assert.equal(getItems(one?.summary).length, count);
    assert.deepEqual(
      getItems(one?.rows).map(({ result_type: type }) => getText(type)),
      [shape],
    );
  }
});

test('invalid_request: a header under its two names with two values → 400 that names both; equal values pass', async () => {
  const { createBody, createInvoiced } = await createBuilders({ ask, runLab, service });
  const { invoiceId } = await createInvoiced();
  const pay = `/invoices/${invoiceId}/pay`;
  const { token } = branded;
  const cases = [
    ['/experiments/validate', 'X-Acme-Payment-Method', 'X-Service-Payment-Method', 'async_invoice'],
    [pay, 'X-Acme-Payment-Method', 'X-Service-Payment-Method', 'async_invoice'],
    ['/experiments/validate', 'X-Acme-Api-Key', 'X-Service-Api-Key', token],
    [pay, 'Payment-Signature', 'X-Payment', 'e30='],
  ] as const;
  for (const [path, first, second, value] of cases) {
    const send = (other: string): Promise<TestAnswer> =>
      branded.ask('POST', path, {
        ...(path === pay ? {} : { body: createBody() }),
        headers: { [first.toLowerCase()]: value, [second.toLowerCase()]: other },
      });
    const { body } = expectFailure(await send(`${value}x`), 400, 'invalid_request');
    assert.ok(
      getText(body.error).includes(first) && getText(body.error).includes(second),
      getText(body.error),
    );
    const same = await send(value);
    assert.doesNotMatch(same.text, /two names/, `${path} ${first}`);
  }
});
