/** The screens of materials and stored runs, and what an order links to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSignedIn, type Browser, type Page } from '#testing/browser.ts';
import { createBuilders, createSequences, expectStatus } from '#testing/builders.ts';
import type { NewPerson } from '#testing/people.ts';
import { getItems, getText, testService, type Json } from '#testing/service.ts';
import { insertTestRun } from '#testing/stored-runs.ts';

const service = await testService();
const { ask, clock, issueToken } = service;
const build = await createBuilders(service);
const manager = await openSignedIn(service);

async function openAs(person: NewPerson): Promise<Browser> {
  const { body } = await ask('GET', '/whoami', { token: await issueToken(person) });
  return openSignedIn(service, getText(body.user_id));
}
const operator = await openAs({ staffRoles: ['operator'] });

const createTwo = () => build.createBody({ sequences: createSequences(2) });
const readRun = async (id: string): Promise<Json> =>
  expectStatus(await ask('GET', `/lab/runs/${id}`), 200).body;
async function storeRun(...codes: readonly string[]): Promise<string> {
  return getText((await readRun(await insertTestRun(ask, codes))).code);
}
/** Downloads, as the buttons beside the plan do: by another address than that of its form. */
function sendFrom(
  page: Page,
  from: string,
  to: string,
  typed: Readonly<Record<string, string>>,
): Promise<Page> {
  const text = page.text.replace(`action="${from}"`, `action="${to}"`);
  return manager.send({ ...page, text }, to, typed);
}
const readWells = (run: Json): string[] =>
  getItems(getItems(run.plan.plates)[0]?.wells).map(({ well }) => getText(well));

test('create_lab_run: a plan is saved → a planned run with its instrument, listed under its state', async () => {
  const { code } = await build.createQueued(createTwo());
  const choices = {
    [`experiment:${code}`]: 'yes',
    size: '96',
    positive: 'lysozyme',
    negatives: 'n-1',
    concentrations: '100',
    seed: '7',
  };
  const page = await manager.open('/lab/plans');
  const search = page.text.replace(/<form class="filters".*?<\/form>/s, '');
  const planned = await manager.send({ ...page, text: search }, '/lab/plans', choices);
  const typed = { run_instrument: 'Octet R8', operator: 'Ada Example' };
  const saved = await sendFrom(planned, '/lab/plans/edit', '/lab/plans/save', typed);
  assert.match(saved.location ?? '', /^\/lab\/runs\/RUN-\d{6}\?done=plans-save$/);
  const { text } = await manager.open(saved.location ?? '');
  assert.match(text, /The run was saved/);
  assert.match(text, /Ready to start/);
  const [run = ''] = /RUN-\d{6}/.exec(saved.location ?? '') ?? [];
  assert.match((await manager.open('/lab/runs?state=planned')).text, new RegExp(run));
  assert.doesNotMatch((await manager.open('/lab/runs?state=running')).text, new RegExp(`>${run}<`));
});

test('edit_lab_run: a well is marked empty and taken back → the stored plan follows; a wrong well → 422 and no change', async () => {
  const { code } = await build.createQueued(createTwo());
  const run = await storeRun(code);
  const path = `/lab/runs/${run}`;
  const before = readWells(await readRun(run));
  const [well = ''] = before;
  const page = await manager.open(path);
  const cleared = await manager.send(page, `${path}/edit`, { act: 'clear', well });
  assert.match(cleared.text, new RegExp(`Marked empty: ${well}`));
  assert.ok(!readWells(await readRun(run)).includes(well));
  const undone = await manager.send(cleared, `${path}/edit`, { act: 'undo' });
  assert.match(undone.text, new RegExp(`Undone: ${well}`));
  assert.deepEqual(readWells(await readRun(run)).toSorted(), before.toSorted());
  const wrong = await manager.send(page, `${path}/edit`, { act: 'clear', well: 'Z99' });
  assert.equal(wrong.status, 422);
  const refused = await manager.send(page, `${path}/edit`, { act: 'swap', well: 'H12', other: 'H11' });
  assert.equal(refused.status, 422);
  assert.deepEqual(readWells(await readRun(run)).toSorted(), before.toSorted());
});

test('write_lab_run_file: a plate map and a worklist → CSV files; a worklist without sources → 422 with the reason', async () => {
  const { code } = await build.createQueued(createTwo());
  const path = `/lab/runs/${await storeRun(code)}`;
  const page = await manager.open(path);
  const send = (typed: Readonly<Record<string, string>>) =>
    sendFrom(page, `${path}/edit`, `${path}/file`, typed);
  const map = await send({ kind: 'plate_list' });
  assert.match(String(map.headers['content-disposition']), /P1/);
  assert.match(map.text, /^plate,well,role/);
  const refused = await send({ kind: 'hamilton_worklist', sources: 'nothing', volume_ul: '10' });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /Row 1 of the sources/);
});

test('run_not_startable: unpaid, without materials → each reason is named and there is no start; allowed and received → it starts', async () => {
  const { code } = await build.createInvoiced(createTwo());
  const run = await storeRun(code);
  const path = `/lab/runs/${run}`;
  const page = await manager.open(path);
  assert.match(page.text, /3 reasons why it cannot start yet/);
  assert.match(page.text, /3 missing/);
  assert.doesNotMatch(page.text, /Start the run/);
  const seen = await operator.open(path);
  assert.match(seen.text, /A manager may let it start before the payment/);
  assert.doesNotMatch(seen.text, /allow-unpaid/);
  const action = `${path}/allow-unpaid/${code}`;
  const blank = await manager.send(page, action, { reason: ' ' });
  assert.equal(blank.status, 400);
  assert.equal(
    (await manager.send(page, action, { reason: 'A purchase order' })).location,
    `${path}?done=allow-unpaid`,
  );
  expectStatus(await ask('POST', `/lab/experiments/${code}/materials`, { body: {} }), 200);
  const ready = await operator.open(path);
  assert.match(ready.text, /May start unpaid: <bdi>A purchase order/);
  assert.match(ready.text, /Ready to start/);
  const named = { instrument: 'Octet R8', operator: 'Ada Example' };
  const started = await operator.send(ready, `${path}/start`, named);
  assert.equal(started.location, `${path}?done=start`);
  const { text } = await operator.open(path);
  assert.doesNotMatch(text, /Mark empty|Start the run|Cancel the run/);
  assert.match(text, /data-well="A1"/);
  assert.match(
    (await manager.open(`/lab/experiments/${code}`)).text,
    /href="\/lab\/runs\/[0-9a-f-]+">its plan/,
  );
});

test('edit_lab_run, cancel_lab_run: instrument and operator are cleared, then the run is canceled → saved, then only to read', async () => {
  const { code } = await build.createInvoiced(createTwo());
  const run = await storeRun(code);
  const path = `/lab/runs/${run}`;
  const page = await manager.open(path);
  const saved = await manager.send(page, `${path}/details`, { instrument: '', operator: 'Grace Example' });
  assert.equal(saved.location, `${path}?done=details`);
  const record = await readRun(run);
  assert.deepEqual([record.instrument, record.operator], [null, 'Grace Example']);
  const canceled = await manager.send(page, `${path}/cancel`, { reason: 'The instrument is broken' });
  assert.equal(canceled.location, `${path}?done=cancel`);
  const { text } = await manager.open(path);
  assert.match(text, /<bdi>The instrument is broken/);
  assert.doesNotMatch(text, /Mark empty/);
});

test('list_lab_materials: an order waits longer than usual → late, and first of the list; all there → not missing', async () => {
  expectStatus(await ask('PUT', '/lab/simulated-lab', { body: { mode: 'manual' } }), 200);
  const late = await build.createPaid(createTwo());
  clock.advance(40 * 86_400_000);
  const browser = await openSignedIn(service);
  const fresh = await build.createPaid(createTwo());
  const done = await build.createQueued(createTwo());
  const { text } = await browser.open('/lab/materials');
  const rows = text.slice(text.indexOf('<tbody>'));
  assert.ok(rows.indexOf(late.code) < rows.indexOf(fresh.code));
  assert.match(rows.slice(0, rows.indexOf(fresh.code)), /\d+ workdays late/);
  assert.ok(!rows.includes(`>${done.code}<`));
  assert.ok((await browser.open('/lab/materials?state=complete')).text.includes(done.code));
});

test('record_materials: one is ticked, then all that are missing → lot and state; the order moves to the queue', async () => {
  const { code } = await build.createPaid(createTwo());
  const path = `/lab/experiments/${code}/materials`;
  const browser = await openSignedIn(service);
  const page = await browser.open(path);
  const [tick = ''] = /material:[0-9a-f-]{36}/.exec(page.text) ?? [];
  const typed = {
    which: 'ticked',
    status: 'received',
    lot: 'F-17',
    amount_ug: '1.5',
    expires_on: '2031-01-31',
  };
  const send = (fields: Readonly<Record<string, string>>) =>
    browser.send(page, `${path}/record`, { ...fields, idempotency_key: '' });
  assert.match((await send({ ...typed })).text, /None is meant/);
  assert.equal((await send({ ...typed, [tick]: 'yes' })).location, `${path}?done=recorded`);
  const shown = await browser.open(path);
  assert.match(shown.text, /2 of 3 materials missing/);
  assert.match(shown.text, /F-17/);
  const wrong = await send({ which: 'missing', status: 'received', amount_ug: 'some' });
  assert.equal(wrong.status, 400);
  assert.match(wrong.text, /amount_ug-problem/);
  const stock = await send({ which: 'missing', status: 'in_stock' });
  assert.match(stock.text, /status-problem"><li>[^<]*design-/);
  assert.equal((await send({ which: 'missing', status: 'received' })).location, `${path}?done=queued`);
  assert.match((await browser.open(path)).text, /All materials are there/);
});

test('order: quote, request, materials → links for staff who may open them; the requests stand on Today', async () => {
  const browser = await openSignedIn(service);
  const { code, quoteId } = await build.createPaid(createTwo());
  const { text } = await browser.open(`/lab/experiments/${code}`);
  for (const address of [
    `/lab/quotes/${quoteId}`,
    `/lab/quotes?search=${code}`,
    `/lab/experiments/${code}/materials`,
  ])
    assert.ok(text.includes(`href="${address}"`), address);
  const made = await ask('POST', '/experiments', {
    body: build.createBody({ target_id: null, requested_target: { name: 'A rare antigen' } }),
  });
  const order = getText(expectStatus(made, 201).body.experiment_code);
  const { target_request_id: request } = (await ask('GET', `/lab/experiments/${order}`)).body;
  const page = await browser.open(`/lab/experiments/${order}`);
  assert.ok(page.text.includes(`href="/lab/target-requests/${getText(request)}"`));
  await build.createTargetRequest();
  assert.match((await browser.open('/lab')).text, /Requests for targets/);
  assert.doesNotMatch(
    (await (await openAs({ staffRoles: ['operator'] })).open('/lab')).text,
    /Requests for targets/,
  );
});
