/** The expected date of an order at every door, and what is told when it comes later. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/clock.ts';
import { findDocument } from '#features/quotes/documents.ts';
import { openSignedIn } from '#testing/browser.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { startReceiver } from '#testing/receiver.ts';
import { getItems, getText, parseJson, testService, type Json } from '#testing/service.ts';

/** Monday, 2 March 2026, 09:00 UTC. */
const service = await testService();
const { ask, clock, issueToken } = service;
const build = await createBuilders(service);
const { worker, database } = service.service;

// People run this lab, at the pace of the test.
expectStatus(await ask('PUT', '/lab/simulated-lab', { body: { mode: 'manual' } }), 200);

const setCalendar = async (body: Readonly<Record<string, unknown>>) =>
  expectStatus(await ask('PATCH', '/lab/calendar', { body }), 200).body;
const setTurnaround = async (workdays: number | null) =>
  expectStatus(
    await ask('PATCH', '/lab/assay-types/screening', { body: { turnaround_workdays: workdays } }),
    200,
  );
const readOrder = async (id: string): Promise<Json> =>
  expectStatus(await ask('GET', `/experiments/${id}`), 200).body;
const readDay = async (id: string) => getText((await readOrder(id)).eta).slice(0, 10);
const listUpdates = async (id: string) =>
  getItems(expectStatus(await ask('GET', `/experiments/${id}/updates?limit=100`), 200).body.items);
const listDelays = async (id: string) =>
  (await listUpdates(id)).filter(({ event_type: type }) => getText(type) === 'results.delayed');
/** Lets a day pass as the worker lives it. */
async function passDays(days: number): Promise<void> {
  clock.advance(days * DAY_MS);
  await worker.runChores();
}

test('eta: no turnaround is promised → null at every door', async () => {
  await setTurnaround(null);
  const { id, quoteId } = await build.createQuoted();
  assert.equal((await readOrder(id)).eta, null);
  assert.equal((await ask('GET', `/quotes/${quoteId}`)).body.eta, null);
  const { experiment_spec } = build.createBody();
  const estimate = await ask('POST', '/experiments/cost-estimate', { body: { experiment_spec } });
  assert.equal(expectStatus(estimate, 200).body.eta, null);
});

test('edit_lab_calendar: workdays, closing days and waits → kept in order and audited, and only staff of prices change them', async () => {
  const first = expectStatus(await ask('GET', '/lab/calendar'), 200).body;
  assert.deepEqual(first.workdays, ['mon', 'tue', 'wed', 'thu', 'fri']);
  const edited = await setCalendar({
    time_zone: 'Europe/Zurich',
    workdays: ['sat', 'mon'],
    closing_days: ['2026-12-26', '2026-12-25', '2026-12-26'],
  });
  assert.deepEqual(
    [edited.time_zone, edited.workdays, edited.closing_days, edited.materials_workdays],
    ['Europe/Zurich', ['mon', 'sat'], ['2026-12-25', '2026-12-26'], 10],
  );
  const [entry] = await database.read.query<{ details: Json }>(
    `select details from audit_log where operation_id = 'edit_lab_calendar' and status = 200 order by created_at desc limit 1`,
  );
  assert.equal(entry?.details.before.time_zone, 'UTC');
  assert.equal(entry?.details.after.time_zone, 'Europe/Zurich');
  for (const staffRoles of [['operator'], ['finance']] as const) {
    const token = await issueToken({ staffRoles });
    assert.equal((await ask('GET', '/lab/calendar', { token })).status, 200);
    assert.equal((await ask('PATCH', '/lab/calendar', { body: {}, token })).status, 403);
  }
  const client = await issueToken({ ownOrganization: true });
  assert.equal((await ask('GET', '/lab/calendar', { token: client })).status, 403);
  await setCalendar({ time_zone: 'UTC', workdays: ['mon', 'tue', 'wed', 'thu', 'fri'], closing_days: [] });
});

test('eta: an order from the estimate to the release → one date at each door, and none once it is over', async () => {
  await setTurnaround(5);
  // Ten workdays for materials, three in the queue, five of the run.
  const offered = '2026-03-26T17:00:00.000Z';
  const body = build.createBody();
  const estimate = await ask('POST', '/experiments/cost-estimate', {
    body: { experiment_spec: body.experiment_spec },
  });
  assert.equal(expectStatus(estimate, 200).body.eta, offered);
  assert.equal(expectStatus(await ask('POST', '/experiments/validate', { body }), 200).body.eta, offered);
  const draft = await build.create();
  assert.equal((await readOrder(draft.id)).eta, offered);
  const { id, quoteId } = await build.createQuoted();
  assert.equal((await ask('GET', `/quotes/${quoteId}`)).body.eta, offered);
  assert.equal((await ask('GET', `/experiments/${id}/quote`)).body.eta, offered);
  const listed = await ask('GET', `/quotes?filter=eq(eta,${offered})`);
  assert.deepEqual(
    getItems(expectStatus(listed, 200).body.items).map((quote) => quote.id),
    [quoteId],
  );
  expectStatus(await ask('POST', `/quotes/${quoteId}/confirm`, { body: {} }), 200);
  const invoices = await ask('GET', `/invoices?filter=eq(experiment_id,${id})`);
  const [invoice] = getItems(invoices.body.items);
  assert.equal(invoice?.eta, offered);
  assert.equal((await ask('GET', `/invoices/${getText(invoice?.id)}`)).body.eta, offered);
  const { id: reviewed } = await build.createReviewed();
  // The run began today, so that only its five workdays are left.
  assert.equal(await readDay(reviewed), '2026-03-09');
  expectStatus(
    await ask('POST', `/lab/experiments/${reviewed}/release`, { body: { reason: 'enough for a test' } }),
    200,
  );
  assert.equal((await readOrder(reviewed)).eta, null);
  const told = (await listUpdates(reviewed)).map(({ name, eta }) => [getText(name), eta]);
  assert.deepEqual(Object.fromEntries(told)['Quote accepted'], offered);
  assert.deepEqual(Object.fromEntries(told)['Run started'], '2026-03-09T17:00:00.000Z');
  assert.deepEqual(Object.fromEntries(told)['Results released'], null);
  assert.deepEqual(await listDelays(reviewed), []);
  await setTurnaround(null);
});

test('results.delayed: an amended turnaround → holds for later orders, and those that are submitted keep theirs', async () => {
  await setTurnaround(5);
  const early = await build.createQueued();
  await setTurnaround(30);
  await passDays(1);
  const late = await build.createQueued();
  assert.equal(await readDay(early.id), '2026-03-12');
  assert.equal(await readDay(late.id), '2026-04-17');
  assert.deepEqual(await listDelays(early.id), []);
  await setTurnaround(5);
});

test('results.delayed: a run that starts late, and one that does not end → the feed, a webhook and a mail tell the new date once', async () => {
  const receiver = await startReceiver();
  const hook = { url: receiver.url, event_types: ['results.delayed'] };
  expectStatus(await ask('POST', '/webhooks', { body: hook }), 201);
  // It is Tuesday, 3 March.
  const order = await build.createQueued();
  assert.equal(await readDay(order.id), '2026-03-13');
  await passDays(3);
  assert.deepEqual(await listDelays(order.id), [], 'the queue may take until Friday');
  await passDays(1);
  const [delay, ...others] = await listDelays(order.id);
  assert.deepEqual(others, []);
  assert.equal(
    getText(delay?.description),
    'The lab now expects the results by 20 March 2026 instead of 13 March 2026.',
  );
  assert.equal(delay?.eta, '2026-03-20T17:00:00.000Z');
  assert.deepEqual(delay?.previous_values, { eta: '2026-03-13T17:00:00.000Z' });
  const [mail, ...more] = await database.read.query<{ content: { paragraphs: string[] } }>(
    `select content from mails where subject like $1 and recipient = 'demo@example.org'`,
    [`Delay of ${order.code} %`],
  );
  assert.deepEqual(more, []);
  assert.match(mail?.content.paragraphs[0] ?? '', /20 March 2026 instead of 13 March 2026/);
  await service.service.sender.runDue();
  const bodies = receiver.received.map(({ body }) => parseJson(body));
  assert.deepEqual(
    bodies.filter(({ data }) => getText(data?.experiment_id) === order.id).map(({ data }) => data?.eta),
    ['2026-03-20T17:00:00.000Z'],
  );
  await passDays(3);
  assert.equal((await listDelays(order.id)).length, 1, 'the same date is told once');

  const lab = expectStatus(await ask('GET', `/lab/experiments/${order.id}`), 200).body;
  assert.deepEqual([lab.eta, lab.promised_at], ['2026-03-20T17:00:00.000Z', '2026-03-27T17:00:00.000Z']);
  // The run starts on Tuesday, 10 March, which the new date has in it; then it does not end.
  const run = { body: { instrument: 'Octet R8' } };
  expectStatus(await ask('POST', `/lab/experiments/${order.id}/runs`, run), 201);
  assert.equal(await readDay(order.id), '2026-03-17');
  clock.advance(7 * DAY_MS + 7 * HOUR_MS);
  await worker.runChores();
  assert.equal(await readDay(order.id), '2026-03-17', 'the day is not over');
  clock.advance(8 * HOUR_MS + 10 * MINUTE_MS);
  await worker.runChores();
  assert.equal(await readDay(order.id), '2026-03-24');
  assert.equal((await listDelays(order.id)).length, 2);
});

test('results.delayed: the client has not paid → the date moves with the days, and nobody is told', async () => {
  const { id } = await build.createInvoiced();
  expectStatus(await ask('POST', `/lab/experiments/${id}/materials`, { body: {} }), 200);
  const before = await readDay(id);
  await passDays(21);
  assert.ok((await readDay(id)) > before);
  assert.deepEqual(await listDelays(id), []);
  const lab = expectStatus(await ask('GET', `/lab/experiments/${id}`), 200).body;
  assert.equal(lab.promised_at, lab.eta);
});

test('results.delayed: the lab names closing days → dates that fall behind them are told; opened again → earlier without a word', async () => {
  const { id } = await build.createQueued();
  const before = await readDay(id);
  const days = Array.from({ length: 14 }, (_, index) =>
    new Date(Date.parse(before) - index * DAY_MS).toISOString().slice(0, 10),
  );
  await setCalendar({ closing_days: days });
  await worker.runChores();
  assert.ok((await readDay(id)) > before);
  assert.equal((await listDelays(id)).length, 1);
  await setCalendar({ closing_days: [] });
  await worker.runChores();
  assert.equal(await readDay(id), before);
  assert.equal((await listDelays(id)).length, 1);
});

test('pages: an order with a date → home, order, quote, form and the lists of the lab show it, the late ones first', async () => {
  const late = await build.createQueued();
  await passDays(42);
  const fresh = await build.createQueued();
  const quoted = await build.createQuoted();
  const browser = await openSignedIn(service);
  const show = async (path: string) => (await browser.open(path)).text;
  const promised = getText((await ask('GET', `/lab/experiments/${late.id}`)).body.promised_at);
  assert.match(await show('/'), /by <strong class="nowrap"><time/);
  assert.match(await show(`/experiments/${fresh.code}`), /Results<\/span> by <strong/);
  assert.match(await show(`/quotes/${quoted.quoteId}`), /<dt>Results<\/dt>.*if you accept today/);
  const queue = await show('/lab/experiments');
  assert.match(queue, new RegExp(`Promised <time datetime="${promised}"`));
  assert.ok(queue.indexOf(late.code) < queue.indexOf(fresh.code));
  const today = await show('/lab');
  assert.ok(today.includes(`Promised <time datetime="${promised}"`));
  assert.match(await show('/lab/calendar'), /How dates are found/);
});

test('quote: its page and its document → the scope that a purchaser signs, with the date and the day it counts from', async () => {
  const quoted = await build.createQuoted(build.createBody({ n_replicates: 3 }));
  const browser = await openSignedIn(service);
  const page = (await browser.open(`/quotes/${quoted.quoteId}`)).text;
  const scope = /id="scope">Scope.*?<\/dl>/s.exec(page)?.[0] ?? '';
  for (const words of ['Screening by BLI', 'CD47', '1 sequence', '3 of each sequence', 'raw files'])
    assert.ok(scope.includes(words), words);
  const { work } = service.service;
  const file = await findDocument({ site: work.site, sql: database.read }, 'quotes', quoted.quoteId);
  const written = JSON.stringify(file?.document.blocks);
  for (const words of ['"Scope"', 'Screening by BLI', '3 of each sequence', 'if accepted on'])
    assert.ok(written.includes(words), words);
});

test('edit_lab_calendar: the form of the page → saves, and says what is wrong beside its field', async () => {
  const browser = await openSignedIn(service);
  const page = await browser.open('/lab/calendar');
  const typed = {
    time_zone: 'Asia/Tokyo',
    'workdays:mon': 'yes',
    'workdays:tue': 'yes',
    closing_days: '2026-12-25\r\n2026-12-26',
    materials_workdays: '7',
    queue_workdays: '2',
    run_starts_per_workday: '3',
  };
  const saved = await browser.send(page, '/lab/calendar', typed);
  assert.equal(saved.location, '/lab/calendar?done=calendar');
  const { body } = await ask('GET', '/lab/calendar');
  assert.deepEqual(
    [body.time_zone, body.workdays, body.closing_days, body.materials_workdays],
    ['Asia/Tokyo', ['mon', 'tue'], ['2026-12-25', '2026-12-26'], 7],
  );
  const refused = await browser.send(page, '/lab/calendar', { ...typed, time_zone: 'Mars' });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /id="lab-calendar-time_zone-problem"/);
});
