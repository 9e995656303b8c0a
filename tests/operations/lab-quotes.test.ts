import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '#core/clock.ts';
import {
  createBuilders,
  expectFailure,
  expectStatus,
  listProblemPaths,
  UNKNOWN_ID,
} from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getText } from '#testing/service.ts';
import { buildStripeVariables } from '#testing/stripe/service.ts';

const service = await createRecordedService();
const { ask, clock } = service;
const { create, createQuoted, createInvoiced, createUnpriced, createCustomDraft } =
  await createBuilders(service);

const lines = [
  { description: 'Binding affinity assay', quantity: 8, unit_price_cents: 29_700 },
  { description: 'Antigen, custom expression', quantity: 1, unit_price_cents: 180_000 },
];
const draft = (experimentId: string, besides: object = {}) =>
  ask('POST', '/lab/quotes', { body: { experiment_id: experimentId, line_items: lines, ...besides } });
const edit = (id: string, body: object) => ask('PATCH', `/lab/quotes/${id}`, { body });
const open = (id: string) => ask('POST', `/lab/quotes/${id}/open`);
const withdraw = (id: string) => ask('POST', `/lab/quotes/${id}/withdraw`, { body: { reason: 'cheaper' } });
const read = async (id: string) => (await ask('GET', `/lab/quotes/${id}`)).body;
const readStatus = async (id: string) => (await ask('GET', `/experiments/${id}`)).body.status;

const reject = (id: string, body: object = { reason: 'The antigen cannot be bought.' }) =>
  ask('POST', `/lab/experiments/${id}/reject`, { body });

test('reject_exp: an order that waits for its quote, and one with an open quote → canceled with its quote; the client reads the reason', async () => {
  const { id, code } = await createUnpriced();
  const { body } = expectStatus(await reject(code), 200);
  assert.deepEqual(
    [body.experiment_id, body.previous_status, body.status],
    [id, 'waiting_for_confirmation', 'canceled'],
  );
  const updates = await ask('GET', `/experiments/${id}/updates?limit=100`);
  assert.equal(getItems(updates.body.items).at(-1)?.description, 'Reason: The antigen cannot be bought.');
  const quoted = await createQuoted();
  expectStatus(await reject(quoted.id), 200);
  assert.equal((await read(quoted.quoteId)).status, 'canceled');
});

test('move_not_allowed: an order that is a draft or has an invoice is rejected → 409; an unknown one → 404', async () => {
  expectFailure(await reject((await create()).id), 409, 'move_not_allowed');
  const invoiced = await createInvoiced();
  expectFailure(await reject(invoiced.id), 409, 'move_not_allowed');
  assert.equal(await readStatus(invoiced.id), 'waiting_for_materials');
  expectFailure(await reject(UNKNOWN_ID), 404, 'experiment_not_found');
});

test('create_custom_quote: lines, discounts and texts → the draft adds up, and the client sees it once it is open', async () => {
  const { id } = await createUnpriced();
  const discounts = [
    { description: 'Framework agreement', basis_points: 1_000 },
    { description: 'Voucher', amount_cents: 840 },
  ];
  const made = expectStatus(await draft(id, { discounts, notes: 'As discussed.' }), 201);
  const quoteId = getText(made.body.id);
  assert.deepEqual(
    getItems(made.body.line_items).map((line) => Number(JSON.stringify(line.total_cents))),
    [237_600, 180_000, -41_760, -840],
  );
  assert.deepEqual(
    getItems(made.body.line_items)
      .slice(2)
      .map(({ description }) => getText(description)),
    ['Framework agreement, 10 %', 'Voucher'],
  );
  assert.equal(made.body.total_cents, 375_000);
  expectFailure(await ask('GET', `/quotes/${quoteId}`), 404, 'quote_not_found');
  expectFailure(await ask('GET', `/experiments/${id}/quote`), 404, 'quote_not_ready');
  const filter = encodeURIComponent(`eq(experiment_id,${id})`);
  assert.equal((await ask('GET', `/quotes?filter=${filter}`)).body.total, 0);
  assert.equal((await ask('GET', `/lab/quotes?filter=${filter}`)).body.total, 1);
  assert.equal(expectStatus(await open(quoteId), 200).body.status, 'open');
  assert.equal(await readStatus(id), 'quote_sent');
  const seen = expectStatus(await ask('GET', `/quotes/${quoteId}`), 200);
  assert.equal(seen.body.notes, 'As discussed.');
  const accepted = await ask('POST', `/quotes/${quoteId}/confirm`, { body: { notes: 'thank you' } });
  assert.equal(expectStatus(accepted, 200).body.status, 'accepted');
  assert.equal((await read(quoteId)).notes, 'As discussed.');
});

test('invalid_request: malformed lines, discounts or dates → 400 names each', async () => {
  const { id } = await createUnpriced();
  const expectRefused = async (besides: object, ...paths: string[]) =>
    assert.deepEqual(
      listProblemPaths(expectFailure(await draft(id, besides), 400, 'invalid_request')),
      paths,
    );
  const both = { description: 'Both', basis_points: 1, amount_cents: 1 };
  await expectRefused({ discounts: [both, { description: 'Neither' }] }, 'discounts[0]', 'discounts[1]');
  await expectRefused({ discounts: [{ description: 'All and more', amount_cents: 417_601 }] }, 'discounts');
  await expectRefused({ valid_until: '2020-01-01T00:00:00Z' }, 'valid_until');
  const whole = { description: 'Huge', quantity: 1_000_000, unit_price_cents: 10_000_000_000 };
  await expectRefused({ line_items: [whole] }, 'line_items');
  const { quoteId } = await createCustomDraft();
  expectFailure(await edit(quoteId, { valid_until: '2020-01-01T00:00:00Z' }), 400, 'invalid_request');
});

test('quote_not_editable: an open quote is edited → 409 and nothing changes; a draft → it changes', async () => {
  const { quoteId } = await createCustomDraft();
  const edited = expectStatus(await edit(quoteId, { line_items: lines, notes: 'new' }), 200);
  assert.equal(edited.body.total_cents, 417_600);
  expectStatus(await open(quoteId), 200);
  const before = await read(quoteId);
  expectFailure(await edit(quoteId, { notes: 'changed' }), 409, 'quote_not_editable');
  expectFailure(await open(quoteId), 409, 'quote_not_editable');
  await ask('PATCH', '/billing/profile', { body: { legal_name: 'Another name' } });
  assert.deepEqual(await read(quoteId), before);
  const { quoteId: automatic } = await createQuoted();
  expectFailure(await edit(automatic, { notes: 'x' }), 409, 'quote_not_editable');
});

test('quote_exists, experiment_not_quotable: the experiment has a quote, or does not wait for one → 409', async () => {
  const { id } = await createCustomDraft();
  expectFailure(await draft(id), 409, 'quote_exists');
  expectFailure(await draft((await createQuoted()).id), 409, 'quote_exists');
  expectFailure(await draft((await createInvoiced()).id), 409, 'experiment_not_quotable');
  expectFailure(await draft(UNKNOWN_ID), 404, 'experiment_not_found');
});

test('quote_exists: staff quote a draft of the client → 409', async () => {
  const { id } = await create();
  expectFailure(await draft(id), 409, 'quote_exists');
});

test('quote_expired: a draft past its date is opened → 409 until it gets a new date', async () => {
  const { quoteId } = await createCustomDraft();
  clock.advance(31 * DAY_MS);
  expectFailure(await open(quoteId), 409, 'quote_expired');
  const until = new Date(clock.now().getTime() + DAY_MS).toISOString();
  expectStatus(await edit(quoteId, { valid_until: until }), 200);
  expectStatus(await open(quoteId), 200);
});

test('withdraw_quote: an open quote → canceled and replaceable; a draft → removed', async () => {
  const { id, quoteId } = await createQuoted();
  assert.equal(expectStatus(await withdraw(quoteId), 200).body.status, 'canceled');
  assert.equal(await readStatus(id), 'waiting_for_confirmation');
  expectFailure(await ask('POST', `/quotes/${quoteId}/confirm`, { body: {} }), 409, 'quote_canceled');
  const replacement = getText(expectStatus(await draft(id), 201).body.id);
  expectStatus(await withdraw(replacement), 200);
  expectFailure(await ask('GET', `/quotes/${replacement}`), 404, 'quote_not_found');
  const second = getText(expectStatus(await draft(id), 201).body.id);
  expectStatus(await open(second), 200);
  expectStatus(await ask('POST', `/quotes/${second}/confirm`, { body: {} }), 200);
  expectFailure(await withdraw(second), 409, 'quote_not_withdrawable');
});

test('withdraw_quote: skip_draft, before the quote is sent → the experiment stays waiting_for_confirmation', async () => {
  const { createBody } = await createBuilders(service);
  const made = await ask('POST', '/experiments', { body: createBody({}, { skip_draft: true }) });
  const id = getText(expectStatus(made, 201).body.experiment_id);
  const quoteId = getText((await ask('GET', `/experiments/${id}/quote`)).body.quote_id);
  expectStatus(await withdraw(quoteId), 200);
  await service.service.worker.runDue();
  assert.equal(await readStatus(id), 'waiting_for_confirmation');
});

test('get_any_quote: the client rejected it → staff and the audit log see why', async () => {
  const { id, quoteId } = await createQuoted();
  assert.equal((await read(quoteId)).rejection, null);
  const rejection = { reason: 'budget', feedback: 'We have 200 dollars.' };
  expectStatus(await ask('POST', `/quotes/${quoteId}/reject`, { body: rejection }), 200);
  assert.deepEqual((await read(quoteId)).rejection, rejection);
  const filter = encodeURIComponent(`eq(experiment_id,${id})`);
  const listed = getItems((await ask('GET', `/lab/quotes?filter=${filter}`)).body.items);
  assert.deepEqual(listed.find((item) => getText(item.id) === quoteId)?.rejection, rejection);
  const own = getItems((await ask('GET', `/quotes?filter=${filter}`)).body.items);
  assert.ok(own.every((item) => !('rejection' in item)));
  const ofRejection = encodeURIComponent(`and(eq(subject,${quoteId}),eq(operation,reject_quote))`);
  const [entry] = getItems((await ask('GET', `/lab/audit?filter=${ofRejection}`)).body.items);
  assert.deepEqual(entry?.details, rejection);
});

test('quote_not_found: the client asks for a quote that is not open yet → 404', async () => {
  const { id, quoteId } = await createCustomDraft();
  expectFailure(await ask('GET', `/quotes/${quoteId}`), 404, 'quote_not_found');
  expectFailure(await ask('POST', `/quotes/${quoteId}/confirm`, { body: {} }), 404, 'quote_not_found');
  const rejected = await ask('POST', `/quotes/${quoteId}/reject`, { body: { reason: 'price' } });
  expectFailure(rejected, 404, 'quote_not_found');
  const early = await ask('POST', `/experiments/${id}/quote/confirm`, { body: {} });
  assert.match(getText(expectFailure(early, 404, 'quote_not_ready').body.error), /the lab prepares it/);
  expectStatus(await withdraw(quoteId), 200);
  expectFailure(await ask('POST', `/quotes/${quoteId}/confirm`, { body: {} }), 404, 'quote_not_found');
});

test('get_any_quote_pdf: staff → the PDF of a draft quote', async () => {
  const { quoteId } = await createCustomDraft();
  const redirected = expectStatus(await ask('GET', `/lab/quotes/${quoteId}/pdf`), 307);
  const { pathname, search } = new URL(redirected.headers.location ?? '');
  assert.match(expectStatus(await ask('GET', `/${pathname}${search}`, { token: null }), 200).text, /^%PDF/);
});

test('document_not_ready: staff ask for a quote whose document the processor has not made → 503', async () => {
  const outside = await createRecordedService(buildStripeVariables('http://127.0.0.1:1'));
  const { quoteId } = await (await createBuilders(outside)).createQuoted();
  expectFailure(await outside.ask('GET', `/lab/quotes/${quoteId}/pdf`), 503, 'document_not_ready');
});

test('quote_not_found: staff ask for unknown quotes → 404', async () => {
  expectFailure(await ask('GET', '/lab/quotes/qt_0/pdf'), 404, 'quote_not_found');
  expectFailure(await ask('GET', '/lab/quotes/qt_0'), 404, 'quote_not_found');
  expectFailure(await edit('qt_0', { notes: 'x' }), 404, 'quote_not_found');
  expectFailure(await open('qt_0'), 404, 'quote_not_found');
  expectFailure(await withdraw('qt_0'), 404, 'quote_not_found');
});

test('invalid_query: quotes of the lab are filtered by an unknown field → 400', async () => {
  expectFailure(await ask('GET', '/lab/quotes?filter=eq(color,red)'), 400, 'invalid_query');
});

proveCoverage('lab-quotes');
