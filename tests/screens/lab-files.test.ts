/** Raw files in the pages: what they hold before they are added, the wells by hand, and the analysis as it goes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Trace } from '#analysis/curves/trace.ts';
import { createBuilders, createSequences, expectStatus } from '#testing/builders.ts';
import { openSignedIn, readFormToken, type Browser } from '#testing/browser.ts';
import { createRawFile } from '#testing/lab-by-hand.ts';
import { getItems, getText, testService } from '#testing/service.ts';
import { createSharedTraces } from '#testing/shared-files.ts';
import { insertTestRun } from '#testing/stored-runs.ts';
import type { PlanRecord } from '#features/runs/plan-schemas.ts';

const service = await testService();
const { ask, issueToken } = service;
const build = await createBuilders(service);
const manager = await openSignedIn(service);
const clientToken = await issueToken({ role: 'admin' });
const client = await openSignedIn(
  service,
  getText((await ask('GET', '/whoami', { token: clientToken })).body.user_id),
);

/** Sends a form with a file as a browser does. */
async function sendFile(browser: Browser, url: string, name: string, bytes: Buffer) {
  const boundary = '----form';
  const token = await readFormToken(browser);
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="form_token"\r\n\r\n${token}\r\n--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/csv\r\n\r\n`;
  const { statusCode, body, headers } = await service.service.app.inject({
    method: 'POST',
    url,
    headers: {
      accept: 'text/html',
      cookie: browser.cookie,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
    payload: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  });
  return { status: statusCode, text: body, location: headers.location };
}

const named = createSequences(2);
const { name, content_base64: content } = createRawFile(named, 'affinity');
const bytes = Buffer.from(content, 'base64');
/** One sequence of the file is not ordered. */
const spec = { sequences: createSequences(1), experiment_type: 'affinity', n_replicates: 2 };
const { id, code } = await build.createRunning(build.createBody(spec));
const path = `/lab/experiments/${code}`;
const page = `${path}/raw-files`;

test('look first: a file is looked at → wells, steps and what nobody ordered; nothing is kept; a client gets 404', async () => {
  const seen = await sendFile(manager, `${page}/preview`, name, bytes);
  assert.equal(seen.status, 200, seen.text);
  assert.match(seen.text, /Not added yet/);
  assert.match(seen.text, /Samples that nobody ordered/);
  assert.match(seen.text, /association \d+–\d+ s/);
  assert.equal(getItems((await ask('GET', `/lab/experiments/${id}/files`)).body.files).length, 0);
  assert.equal((await sendFile(client, `${page}/preview`, name, bytes)).status, 404);
  assert.equal((await client.open(page)).status, 404);
  const unreadable = await sendFile(manager, `${page}/preview`, 'x.csv', Buffer.from('nothing'));
  assert.match(unreadable.text, /Cannot be analyzed/);
  assert.equal(unreadable.text.split('found an unknown format').length, 2, 'said once');
  assert.match((await sendFile(manager, `${page}/preview`, '', Buffer.alloc(0))).text, /Choose a file/);
});

test('mapping: a suggested line is tried, one is added by its fields, then kept with a reason → the preview changes, then the run has a version', async () => {
  expectStatus(
    await ask('POST', `/lab/experiments/${id}/files`, { body: { name, content_base64: content } }),
    201,
  );
  const shown = await manager.open(page);
  assert.match(shown.text, /plate,well,sample,role,sequence,replicate\n,,design-2,left_out,,/);
  const lines = 'plate,well,sample,role,sequence,replicate\n,,design-2,left_out,,\n';
  const action = `${page}/mapping`;
  const tried = await manager.send(shown, action, { entries: lines, intent: 'try' });
  assert.match(tried.text, /With this mapping/);
  assert.match(tried.text, /by hand/);
  const added = await manager.send(shown, action, {
    entries: '',
    intent: 'line',
    sample: 'design-2',
    role: 'left_out',
  });
  assert.match(added.text, /With this mapping/);
  assert.match(added.text, /plate,well,sample,role,sequence,replicate\n,,design-2,left_out,,/);
  const nothing = await manager.send(shown, action, { entries: '', intent: 'line', role: 'left_out' });
  assert.equal(nothing.status, 400);
  const before = await ask('GET', `/lab/experiments/${id}/mapping`);
  assert.deepEqual(getItems(before.body.versions), []);
  for (const [wrong, message] of [
    ['well,role\nA1,sample', /The first line must be plate,well/],
    [`${lines},A1,,sample,design-1,x`, /Line 3: the replicate must be a whole number/],
    [`${lines},A1,,king,design-1,1`, /king|must be one of/],
  ] as const) {
    const refused = await manager.send(shown, action, { entries: wrong, intent: 'save' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, message);
  }
  const kept = await manager.send(shown, action, { entries: lines, intent: 'save', reason: 'A spare.' });
  assert.equal(kept.location, `${page}?done=mapping`, kept.text);
  assert.match((await manager.open(page)).text, /1 version, the last/);
});

test('analysis: the raw data are complete → the page of the order says so and follows, until the review', async () => {
  expectStatus(
    await ask('POST', `/lab/experiments/${id}/complete`, {
      body: { reason: 'Less than ordered is enough.' },
    }),
    200,
  );
  const going = await manager.open(path);
  assert.match(going.text, /The files are being analyzed/);
  assert.match(going.text, /data-follow/);
  while ((await service.service.worker.runDue()) > 0);
  const done = await manager.open(path);
  assert.doesNotMatch(done.text, /data-follow/);
  assert.match(done.text, /Review the results/);
});

/** A started run over two orders, and the file of its plate. */
async function startShared() {
  const orders = [await build.createQueued(), await build.createQueued()];
  const runId = await insertTestRun(
    ask,
    orders.map((each) => each.code),
  );
  const started = expectStatus(await ask('POST', `/lab/runs/${runId}/start`, { body: {} }), 200).body;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a plan as the service answers it
  const plan = started.plan as unknown as PlanRecord;
  const address = `/lab/runs/${getText(started.code)}`;
  return { orders, plan, address, files: `${address}/raw-files` };
}
type SharedScreen = Awaited<ReturnType<typeof startShared>>;

const writePlate = ({ plan, address }: SharedScreen, salt = ''): Buffer =>
  Buffer.from(createSharedTraces(plan, { salt: `${address} ${salt}` }));
const listRunFiles = async ({ files }: SharedScreen) => getItems((await ask('GET', files)).body.files);

test('preview_run_raw_file: a file of two orders is looked at → whose each well is, and nothing is kept; a client gets 404', async () => {
  const run = await startShared();
  const empty = await manager.open(run.files);
  assert.match(empty.text, /The run has no raw files yet/);
  assert.doesNotMatch(empty.text, /Complete the run/);
  const seen = await sendFile(manager, `${run.files}/preview`, 'P1.csv', writePlate(run));
  assert.equal(seen.status, 200, seen.text);
  assert.match(seen.text, /Not added yet/);
  assert.match(seen.text, /Can be analyzed/);
  for (const order of run.orders) assert.ok(seen.text.includes(`href="/lab/experiments/${order.code}"`));
  assert.deepEqual(await listRunFiles(run), []);
  const swapped = createSharedTraces(run.plan, {
    change: (trace) => [trace.role === 'sample' ? { ...trace, sample: 'another design' } : trace],
  });
  const wrong = await sendFile(manager, `${run.files}/preview`, 'P1.csv', Buffer.from(swapped));
  assert.match(wrong.text, /Cannot be analyzed/);
  assert.match(wrong.text, /another design/);
  assert.match((await sendFile(manager, run.files, '', Buffer.alloc(0))).text, /Choose a file/);
  assert.equal((await sendFile(client, run.files, 'P1.csv', writePlate(run))).status, 404);
  assert.equal((await client.open(run.files)).status, 404);
});

test('raw files: two files of a run, added against the order of their names → its pages list them by name, capitals first', async () => {
  const run = await startShared();
  for (const [name, isFirst] of [
    ['a.csv', true],
    ['B.csv', false],
  ] as const) {
    const change = (trace: Trace) => ((trace.well?.startsWith('A') === true) === isFirst ? [trace] : []);
    const added = await sendFile(
      manager,
      run.files,
      name,
      Buffer.from(createSharedTraces(run.plan, { change })),
    );
    assert.equal(added.location, `${run.files}?done=raw-files`, added.text);
  }
  for (const path of [run.address, run.files]) {
    const { text } = await manager.open(path);
    const names = [...text.matchAll(/<li><div><strong><bdi>([^<]+\.csv)<\/bdi>/g)].map(([, name]) => name);
    assert.deepEqual([...new Set(names)], ['B.csv', 'a.csv'], path);
  }
});

test('raw_file_refused: a well contradicts the plan → the reason stands beside the form, and the file is not kept', async () => {
  const run = await startShared();
  const swapped = createSharedTraces(run.plan, {
    change: (trace) => [trace.role === 'sample' ? { ...trace, sample: 'another design' } : trace],
  });
  const refused = await sendFile(manager, run.files, 'P1.csv', Buffer.from(swapped));
  assert.equal(refused.status, 422);
  assert.match(refused.text, /Well mapping/);
  assert.match(refused.text, /role="alert">The file was rejected: P1 \w+ holds/);
  assert.deepEqual(await listRunFiles(run), []);
});

test('put_run_raw_file, map_run_raw_files, complete_lab_run: two versions, a mapping and the completion → every order is analyzed', async () => {
  const run = await startShared();
  const { address, files } = run;
  assert.match((await manager.open(address)).text, /Add files and complete the run/);
  for (const salt of ['one', 'two']) {
    const added = await sendFile(manager, files, 'P1.csv', writePlate(run, salt));
    assert.equal(added.location, `${files}?done=raw-files`, added.text);
  }
  const shown = await manager.open(files);
  assert.match(shown.text, /version 2/);
  assert.match(shown.text, /id="upload"/);
  assert.match(shown.text, /1 earlier version/);
  assert.match((await manager.open(address)).text, /1 earlier version/);
  const well = run.plan.plates[0]?.wells.find(({ role }) => role === 'negative_control')?.well ?? '';
  const lines = `plate,well,sample,role,sequence,replicate\n,${well},,left_out,,\n`;
  const action = `${files}/mapping`;
  const tried = await manager.send(shown, action, { entries: lines, intent: 'try' });
  assert.match(tried.text, /With this mapping/);
  assert.match(tried.text, /by hand/);
  assert.match((await manager.open(files)).text, /the names in the files decide/);
  const wrong = await manager.send(shown, action, { entries: 'well,role\nA1,sample', intent: 'save' });
  assert.equal(wrong.status, 400);
  const kept = await manager.send(shown, action, { entries: lines, intent: 'save', reason: 'A spare.' });
  assert.equal(kept.location, `${files}?done=mapping`, kept.text);
  assert.match((await manager.open(files)).text, /1 version, the last/);
  const completion = `${address}/complete`;
  const unclear = await manager.send(shown, completion, { settings: 'none' });
  assert.equal(unclear.status, 400);
  assert.match(unclear.text, /not valid JSON/);
  const done = await manager.send(shown, completion, { settings: '' });
  assert.equal(done.location, `${files}?done=complete`, done.text);
  const analyzing = await manager.open(files);
  assert.doesNotMatch(analyzing.text, /id="upload"/);
  const taking = await ask('GET', files);
  assert.deepEqual(taking.body.experiments_taking_files, []);
  while ((await service.service.worker.runDue()) > 0);
  for (const order of run.orders)
    assert.equal((await ask('GET', `/lab/experiments/${order.id}`)).body.status, 'in_review');
  const after = await manager.open(files);
  assert.doesNotMatch(after.text, /action="[^"]*\/complete"|id="upload"/);
});
