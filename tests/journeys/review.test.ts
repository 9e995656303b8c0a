/**
 * Two people review an experiment: release in part, exclusion, repeat, release by the second person, amendment. At each
 * step the client is asked on every door.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unzip } from '#analysis/formats/reading/zip.ts';
import { createBuilders, createSequences, expectFailure, expectStatus } from '#testing/builders.ts';
import { createRawFile } from '#testing/lab-by-hand.ts';
import { readPdf } from '#testing/pdf.ts';
import { getItems, getNumber, getText, testService, type Ask, type Json } from '#testing/service.ts';
import { callTool, getContentText } from '#testing/tool-call.ts';

const service = await testService({ RELEASE_NEEDS_SECOND_PERSON: 'yes' });
const { ask, issueToken } = service;
const { app, worker } = service.service;
const build = await createBuilders(service);
const first = await issueToken({ ownOrganization: true, staffRoles: ['manager'] });
const second = await issueToken({ ownOrganization: true, staffRoles: ['manager'] });
const client = await issueToken({ role: 'member' });
const NAMES = ['design-1', 'design-2', 'design-3'];
const BUBBLE = 'An air bubble passed the sensor.';

const settle = async (): Promise<void> => {
  while ((await worker.runDue()) > 0);
};
const asClient = (method: string, path: string, options: Ask = {}) =>
  ask(method, path, { ...options, token: client });
const post = async (token: string, id: string, step: string, body: unknown, status = 200): Promise<Json> =>
  expectStatus(await ask('POST', `/lab/experiments/${id}/${step}`, { body, token }), status).body;
const readLab = async (id: string): Promise<readonly Json[]> => {
  const answer = await ask('GET', `/lab/experiments/${id}/results?limit=50`, { token: first });
  return getItems(expectStatus(answer, 200).body.items);
};
const findNamed = (items: readonly Json[], name: string): Json => {
  const found = items.find((item) => getText(item.sequence_name) === name);
  assert.ok(found !== undefined, name);
  return found;
};

async function download(link: string | undefined): Promise<ReadonlyMap<string, Buffer>> {
  const { pathname, search } = new URL(link ?? '');
  const answer = await app.inject({ method: 'GET', url: pathname + search });
  assert.equal(answer.statusCode, 200, answer.body.slice(0, 300));
  const files = unzip({ name: 'package.zip', bytes: answer.rawPayload });
  return new Map(files.map(({ name, bytes }) => [name, Buffer.from(bytes)]));
}

/** Asks every door of a client, and proves that it shows these sequences and no others. */
async function assertClientSees(id: string, names: readonly string[], resultsStatus: string): Promise<void> {
  const detail = expectStatus(await asClient('GET', `/experiments/${id}`), 200).body;
  assert.equal(detail.results_status, resultsStatus);
  for (const path of [`/experiments/${id}/results`, `/results?experiment_id=${id}`]) {
    const items = getItems(expectStatus(await asClient('GET', path), 200).body.items);
    assert.deepEqual(items.map((item) => getText(item.sequence_name)).toSorted(), names, path);
    for (const item of items) assert.notEqual(item.status, 'preliminary');
  }
  const seen = new Set(
    getItems((await asClient('GET', `/experiments/${id}/results`)).body.items).map((item) =>
      getText(item.id),
    ),
  );
  for (const { id: hidden } of await readLab(id)) {
    const resultId = getText(hidden);
    if (seen.has(resultId)) continue;
    for (const part of ['', '/curves', '/plot.svg', '/versions', '/diff'])
      expectFailure(await asClient('GET', `/results/${resultId}${part}`), 404, 'result_not_found');
    const called = await callTool({ ask: asClient }, 'get_result_info', { result_id: resultId });
    assert.match(getContentText(called.result), /No such result/);
  }
  const listed = await callTool({ ask: asClient }, 'list_results', { experiment_id: id });
  for (const name of NAMES)
    assert.equal(getContentText(listed.result).includes(name), names.includes(name), `${name} in the tool`);
  await assertPictures(id, names);
}

async function assertPictures(id: string, names: readonly string[]): Promise<void> {
  const plot = await asClient('GET', `/experiments/${id}/plot.svg`);
  const archive = await asClient('GET', `/experiments/${id}/data-package`);
  if (names.length === 0) {
    expectFailure(plot, 404, 'results_not_released');
    expectFailure(archive, 404, 'results_not_released');
    return;
  }
  const files = await download(expectStatus(archive, 307).headers.location);
  const tables = ['results.csv', 'replicates.csv', 'fits.json', 'evaluations.csv'].map(
    (name) => files.get(name)?.toString() ?? '',
  );
  const plots = [...files.keys()].filter((name) => name.startsWith('plots/')).join();
  for (const name of NAMES) {
    for (const text of [expectStatus(plot, 200).text, ...tables, plots])
      assert.equal(text.includes(name), names.includes(name), `${name} in ${text.slice(0, 60)}`);
  }
}

const decide = (plate: string, replicate: number, decision: string, reason?: string) => ({
  decisions: [
    { sequence: 'design-1', plate, replicate, decision, ...(reason === undefined ? {} : { reason }) },
  ],
});

async function readFeed(id: string): Promise<readonly string[]> {
  const answer = await asClient('GET', `/experiments/${id}/updates?limit=100`);
  return getItems(expectStatus(answer, 200).body.items).map(
    ({ name, description }) => `${getText(name)}: ${JSON.stringify(description).replaceAll('"', '')}`,
  );
}

const named = createSequences(NAMES.length);

async function createReviewed(): Promise<string> {
  const spec = { experiment_type: 'affinity', n_replicates: 2, sequences: named };
  const { id } = await build.createPaid(build.createBody(spec));
  await post(first, id, 'materials', {});
  await post(first, id, 'runs', { instrument: 'Octet R8' }, 201);
  await post(first, id, 'files', createRawFile(named, 'affinity'), 201);
  await post(first, id, 'complete', {});
  await settle();
  return id;
}

test('review: two people release in part, exclude, repeat, release and amend → the client sees each only then', async () => {
  const id = await createReviewed();
  await assertClientSees(id, [], 'none');
  const preview = await readLab(id);
  assert.deepEqual(preview.map((item) => getText(item.sequence_name)).toSorted(), NAMES);
  await assertLabReads(id, preview);

  assert.equal((await post(first, id, 'release', { sequences: ['design-2'] })).waiting, 2);
  await assertClientSees(id, ['design-2'], 'partial');
  const kept = getItems((await asClient('GET', `/experiments/${id}/results`)).body.items)[0];

  await post(first, id, 'decisions', decide('P1', 2, 'exclude', BUBBLE));
  expectFailure(
    await ask('POST', `/lab/experiments/${id}/release`, {
      body: { reason: 'Less than ordered is enough.' },
      token: second,
    }),
    409,
    'analysis_pending',
  );
  await settle();
  const excluded = findNamed(await readLab(id), 'design-1');
  assert.deepEqual([excluded.version, excluded.n_replicates], [2, 1]);
  assert.deepEqual(
    getItems(excluded.excluded_replicates).map((each) => [each.replicate, each.plate, each.reason]),
    [[2, 'P1', BUBBLE]],
  );
  await assertClientSees(id, ['design-2'], 'partial');

  const moved = await post(first, id, 'decisions', decide('P1', 1, 'repeat', 'The curves drift.'));
  assert.equal(moved.status, 'in_production');
  await assertClientSees(id, ['design-2'], 'partial');
  const again = createRawFile({ 'design-1': named['design-1'] ?? '' }, 'affinity', 'again.csv');
  await post(first, id, 'files', again, 201);
  await post(first, id, 'complete', {});
  await settle();
  const repeated = findNamed(await readLab(id), 'design-1');
  assert.equal(repeated.n_replicates, 2);
  assert.deepEqual(
    getItems(getItems(repeated.rows)[0]?.replicates).map(({ plate }) => plate),
    ['P1 (run 2)', 'P1 (run 2)'],
  );
  assert.equal(findNamed(await readLab(id), 'design-3').n_replicates, 2);
  await assertClientSees(id, ['design-2'], 'partial');
  assert.equal((await asClient('GET', `/results/${getText(kept?.id)}`)).status, 200);

  const own = await ask('POST', `/lab/experiments/${id}/release`, {
    body: { reason: 'Less than ordered is enough.' },
    token: first,
  });
  assert.match(getText(expectFailure(own, 409, 'second_person_needed').body.error), /somebody else/);
  await assertClientSees(id, ['design-2'], 'partial');
  assert.equal((await post(second, id, 'release', {})).status, 'done');
  await assertClientSees(id, NAMES, 'all');
  await assertMethods(id);
  const feed = await readFeed(id);
  assert.ok(feed.includes('Some results available: 1 result released; 2 still to come.'), feed.join('\n'));
  assert.ok(!feed.join().includes(BUBBLE), 'reasons of exclusions are in the results, not in the feed');

  await amend(id);
});

async function assertLabReads(id: string, preview: readonly Json[]): Promise<void> {
  const resultId = getText(preview[0]?.id);
  const path = `/lab/experiments/${id}`;
  const read = (part: string) => ask('GET', `${path}${part}`, { token: first });
  expectStatus(await read(`/results/${resultId}`), 200);
  assert.ok(
    expectStatus(await read(`/results/${resultId}/curves`), 200).text.includes('association_start_s'),
  );
  assert.match(expectStatus(await read(`/results/${resultId}/plot.svg`), 200).text, /^<svg|<\?xml/);
  assert.ok(expectStatus(await read('/plot.svg'), 200).text.includes('design-3'));
  const files = await download(expectStatus(await read('/data-package'), 307).headers.location);
  const report = await readPdf(files.get('report.pdf') ?? Buffer.alloc(0));
  assert.ok(JSON.stringify(report).includes('design-3'));
}

async function assertMethods(id: string): Promise<void> {
  const archive = await asClient('GET', `/experiments/${id}/data-package`);
  const files = await download(expectStatus(archive, 307).headers.location);
  const methods = files.get('methods.md')?.toString() ?? '';
  assert.match(methods, /The lab left out 2 measurements: design-1, replicate 1 on P1/);
  assert.ok(methods.includes(BUBBLE.slice(0, -1)), methods);
}

async function amend(id: string): Promise<void> {
  const before = getItems((await asClient('GET', `/experiments/${id}/results`)).body.items);
  const feed = await readFeed(id);
  await post(first, id, 'reanalyze', { settings: { drift: 'none' }, reason: 'See without drift.' }, 201);
  await settle();
  const review = expectStatus(await ask('GET', `/lab/experiments/${id}/review`, { token: first }), 200).body;
  assert.deepEqual([review.status, review.awaits, review.results_status], ['done', 'amendment', 'all']);
  const pending = findNamed(await readLab(id), 'design-1');
  const diff = await ask('GET', `/lab/experiments/${id}/results/${getText(pending.id)}/diff`, {
    token: first,
  });
  const changed = getItems(expectStatus(diff, 200).body.changes).map(({ path }) => getText(path));
  assert.ok(changed.includes('analysis.settings.drift'), changed.join());
  const still = getItems((await asClient('GET', `/experiments/${id}/results`)).body.items);
  const compare = (items: readonly Json[]) => items.map((item) => [item.id, item.version, item.quantities]);
  assert.deepEqual(compare(still), compare(before));
  assert.deepEqual(await readFeed(id), feed);
  await assertClientSees(id, NAMES, 'all');

  const body = { reason: 'The drift was within the noise.' };
  const own = await ask('POST', `/lab/experiments/${id}/amend`, { body, token: first });
  expectFailure(own, 409, 'second_person_needed');
  const amended = await post(second, id, 'amend', body);
  assert.equal(amended.released, NAMES.length);
  const after = getItems((await asClient('GET', `/experiments/${id}/results`)).body.items);
  for (const item of after)
    assert.deepEqual([item.status, item.version], ['amended', getNumber(amended.version)]);
  assert.equal((await asClient('GET', `/experiments/${id}`)).body.status, 'done');
  const later = await readFeed(id);
  assert.match(
    later.join('\n'),
    /Results amended: Version \d+ of 3 results: The drift was within the noise\./,
  );
  assert.ok(!later.join().includes('See without drift'));
  await assertTrail(id);
}

/** The client's trail has what the client can see, with its person; what led to it is in the lab's own. */
async function assertTrail(id: string): Promise<void> {
  const path = `?limit=100&filter=${encodeURIComponent(`eq(subject,${id})`)}`;
  const token = await issueToken({ role: 'admin' });
  const own = expectStatus(await ask('GET', `/audit${path}`, { token }), 200);
  const entries = getItems(own.body.items);
  const people = (operation: string) =>
    entries.filter((each) => getText(each.operation) === operation).map((each) => getText(each.actor));
  assert.equal(people('release_results').length, 2, own.text);
  assert.equal(people('amend_results').length, 1);
  assert.notEqual(people('release_results')[0], people('release_results')[1]);
  for (const hidden of ['decide_replicates', 'reanalyze_experiment', 'discard_amendment'])
    assert.deepEqual(people(hidden), [], hidden);
  const lab = expectStatus(await ask('GET', `/lab/audit${path}`, { token: first }), 200);
  const operations = new Set(getItems(lab.body.items).map((each) => getText(each.operation)));
  for (const kept of ['decide_replicates', 'reanalyze_experiment']) assert.ok(operations.has(kept), kept);
}
