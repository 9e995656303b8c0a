/**
 * Two organizations on one plate: after the release each asks every door, and none of them says anything of the other.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { parseAssayerTraces } from '#analysis/formats/assayer-traces/assayer-traces.ts';
import { unzip } from '#analysis/formats/reading/zip.ts';
import { createSequences, expectFailure, expectStatus, type Invoiced } from '#testing/builders.ts';
import { openSignedIn } from '#testing/browser.ts';
import { readPdf } from '#testing/pdf.ts';
import { getItems, getText, testService, type Json } from '#testing/service.ts';
import { createSharedTraces } from '#testing/shared-files.ts';
import { createSharedRuns } from '#testing/shared-run.ts';
import { callTool } from '#testing/tool-call.ts';

const service = await testService();
const { ask, issueToken } = service;
const { app, database } = service.service;
const foreign = await issueToken({ role: 'admin', ownOrganization: true });
const home = await issueToken({ role: 'admin' });
const { start, addFile, analyze, settle } = await createSharedRuns(service, foreign);
const post = (path: string, body: unknown = {}) => ask('POST', `/lab/${path}`, { body });

const run = await analyze();
const [first = '', second = ''] = Object.values(createSequences(2));
const sha256 = createHash('sha256')
  .update(createSharedTraces(run.plan, { salt: run.code }))
  .digest('hex');

interface Client {
  readonly order: Invoiced;
  readonly other: Invoiced;
  readonly token: string;
  readonly email: string;
  readonly names: readonly string[];
  /** Words of the other client, and of the lab, that it must never read. */
  readonly forbidden: readonly string[];
}

const hidden = [run.code, run.id, 'both-clients'];
const clients: readonly Client[] = [
  {
    order: run.own,
    other: run.theirs,
    token: home,
    email: 'person-2@example.org',
    names: ['own-design', 'twin'],
    forbidden: ['secret-design', 'Organization 1', 'ORG1', `${second}GG`, `${first}AA`, ...hidden],
  },
  {
    order: run.theirs,
    other: run.own,
    token: foreign,
    email: 'person-1@example.org',
    names: ['secret-design', 'twin'],
    forbidden: ['own-design', `"${first}"`, ...hidden],
  },
];

const listWells = (ids: readonly (string | null)[]): Set<string> =>
  new Set(
    run.plan.plates.flatMap(({ wells }) =>
      wells.filter(({ experiment_id: id }) => ids.includes(id)).map(({ well }) => well),
    ),
  );

async function download(
  order: Invoiced,
  token: string,
): Promise<{ bytes: Buffer; files: Map<string, Buffer> }> {
  const answer = await ask('GET', `/experiments/${order.code}/data-package`, { token });
  const { pathname, search } = new URL(expectStatus(answer, 307).headers.location ?? '');
  const { rawPayload: bytes } = await app.inject({ method: 'GET', url: pathname + search });
  const files = unzip({ name: 'package.zip', bytes });
  return { bytes, files: new Map(files.map((file) => [file.name, Buffer.from(file.bytes)])) };
}

/** The packages of the first release, which several tests look at. */
const released = new Map<string, ReturnType<typeof download>>();

function downloadReleased(order: Invoiced, token: string): ReturnType<typeof download> {
  const known = released.get(order.id) ?? download(order, token);
  released.set(order.id, known);
  return known;
}

/** Every text that a client can read of its order, by the door that said it. */
async function readDoors({ order, token, email }: Client): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const read = async (path: string): Promise<Json> => {
    const answer = expectStatus(await ask('GET', path, { token }), 200);
    texts.set(path, answer.text);
    return answer.body;
  };
  for (const path of ['/experiments', '/updates', '/audit?limit=100', '/results']) await read(path);
  for (const part of ['', '/updates?limit=100', '/sequences', '/plot.svg'])
    await read(`/experiments/${order.id}${part}`);
  const results = getItems((await read(`/experiments/${order.id}/results`)).items);
  assert.equal(results.length, 2);
  const ids = results.map(({ id }) => getText(id));
  for (const id of ids)
    for (const part of ['', '/curves', '/plot.svg', '/versions']) await read(`/results/${id}${part}`);
  for (const [name, given] of [
    ['list_results', { experiment_id: order.id }],
    ['get_result_info', { result_id: ids[0] }],
    ['get_exp', { experiment_id: order.id }],
  ] as const)
    texts.set(
      name,
      JSON.stringify(await callTool({ ask: (m, p, o) => ask(m, p, { ...o, token }) }, name, given)),
    );
  const [person] = await database.read.query<{ id: string }>('select id from users where email = $1', [
    email,
  ]);
  const browser = await openSignedIn(service, person?.id);
  for (const path of [
    '/',
    `/experiments/${order.id}`,
    `/results/${ids[0]}`,
    `/results/${ids[0]}/curves.csv`,
  ]) {
    const page = await browser.open(path);
    assert.equal(page.status, 200, path);
    texts.set(`page ${path}`, page.text);
  }
  const { files } = await downloadReleased(order, token);
  for (const [path, bytes] of files) texts.set(`package ${path}`, bytes.toString('latin1'));
  const report = await readPdf(files.get('report.pdf') ?? Buffer.alloc(0));
  texts.set('text of report.pdf', JSON.stringify(report));
  return texts;
}

expectStatus(
  await post(`experiments/${run.own.id}/release`, {
    sequences: ['own-design'],
    reason: 'Less than ordered is enough.',
  }),
  200,
);
const partly = await download(run.own, home);
for (const { id } of [run.own, run.theirs])
  expectStatus(await post(`experiments/${id}/release`, { reason: 'Less than ordered is enough.' }), 200);

test('data package: a part of the results is released → no raw data, which tell of the rest, and the README says when', () => {
  assert.deepEqual(
    [...partly.files.keys()].filter((path) => path.startsWith('raw/')),
    [],
  );
  const readme = String(partly.files.get('README.md'));
  assert.ok(readme.includes(sha256) && readme.includes('as soon as all results are released'), readme);
  const [fit, ...others] = JSON.parse(String(partly.files.get('fits.json')));
  assert.deepEqual([fit.sequence_name, others], ['own-design', []]);
});

test('control charts: controls of a plate that two orders share → charted once', async () => {
  const { charts } = expectStatus(await ask('GET', '/lab/control-charts'), 200).body;
  const points = getItems(charts).flatMap((chart) => getItems(chart.points));
  assert.ok(points.length > 0);
  const codes = new Set(points.map(({ experiment_code: code }) => getText(code)));
  assert.equal([run.own.code, run.theirs.code].filter((code) => codes.has(code)).length, 1);
});

test('shared file: either client asks every door → no code, name, sequence or file name of the other or of the run', async () => {
  for (const client of clients) {
    const doors = await readDoors(client);
    assert.ok(doors.size > 25);
    const said = [...doors.values()].join('\n');
    for (const name of client.names) assert.ok(said.includes(name), name);
    const seen = listWells([client.order.id, null]);
    for (const [, well = ''] of said.matchAll(/"well": ?"([A-P]\d+)"/g)) assert.ok(seen.has(well), well);
    for (const [door, text] of doors) {
      for (const word of [client.other.code, client.other.id, ...client.forbidden])
        assert.ok(!text.includes(word), `${door} says ${word} to ${client.order.code}`);
    }
  }
});

test('shared file: the objects of the other client, the run and its files → as if they did not exist', async () => {
  for (const { token, other } of clients) {
    for (const path of [`/experiments/${other.id}`, `/experiments/${other.code}/data-package`])
      expectFailure(await ask('GET', path, { token }), 404, 'experiment_not_found');
    for (const path of [`/lab/runs/${run.id}/raw-files`, `/lab/runs/${run.id}`])
      expectFailure(await ask('GET', path, { token }), 403, 'permission_denied');
  }
});

test('data package: a run of two organizations → the own traces in raw/, the shared file withheld and its SHA-256 listed', async () => {
  for (const { order, other, token, names } of clients) {
    const { files } = await downloadReleased(order, token);
    const raw = [...files.keys()].filter((path) => path.startsWith('raw/'));
    assert.deepEqual(raw, ['raw/shared-P1.csv', 'raw/wells.csv']);
    const bytes = new Uint8Array(files.get('raw/shared-P1.csv') ?? []);
    const { traces, plate, metadata } = parseAssayerTraces({ name: 'shared-P1.csv', bytes });
    const seen = listWells([order.id, null]);
    assert.deepEqual(new Set(traces.map(({ well }) => well)), seen);
    assert.deepEqual([plate, metadata], ['P1', {}]);
    const ofOrder = traces.filter(({ role }) => role === 'sample');
    assert.deepEqual([...new Set(ofOrder.map(({ sample }) => sample))].toSorted(), names);
    const mapped = (files.get('raw/wells.csv') ?? '').toString().trimEnd().split('\n').slice(1);
    assert.deepEqual(new Set(mapped.map((line) => line.split(',')[1])), seen);
    for (const well of listWells([other.id])) assert.ok(!seen.has(well));
    const withheld = JSON.parse((files.get('fits.json') ?? '').toString())[0].analysis.withheld_files;
    assert.deepEqual(
      withheld.map((each: Json) => [each.sha256, each.format]),
      [[sha256, 'assayer-traces']],
    );
    for (const path of ['README.md', 'methods.md'])
      assert.ok((files.get(path) ?? '').toString().includes(sha256), path);
    const listed = JSON.parse((files.get('manifest.json') ?? '').toString()).files;
    const digest = createHash('sha256').update(bytes).digest('hex');
    assert.equal(listed.find((each: { path: string }) => each.path === 'raw/shared-P1.csv').sha256, digest);
    assert.ok(
      ![...files.values()].some((each) => createHash('sha256').update(each).digest('hex') === sha256),
    );
  }
});

test('data package: files and mapping of the run change after the release → byte for byte the same until the next one', async () => {
  const before = await Promise.all(clients.map(({ order, token }) => downloadReleased(order, token)));
  const well = [...listWells([run.own.id])][0];
  expectStatus(await post(`runs/${run.id}/mapping`, { entries: [{ well, role: 'left_out' }] }), 201);
  expectStatus(await post(`experiments/${run.own.id}/reanalyze`, { reason: 'A bubble.' }), 201);
  await settle();
  const after = await Promise.all(clients.map(({ order, token }) => download(order, token)));
  for (const [index, { bytes }] of before.entries())
    assert.ok(bytes.equals(after[index]?.bytes ?? Buffer.alloc(0)));
  expectStatus(await post(`experiments/${run.own.id}/amend`, { reason: 'A bubble.' }), 200);
  const amended = await download(run.own, home);
  const { traces } = parseAssayerTraces({
    name: 'shared-P1.csv',
    bytes: new Uint8Array(amended.files.get('raw/shared-P1.csv') ?? []),
  });
  assert.ok(!traces.some((trace) => trace.well === well));
});

test('send_back_exp: the analysis of one stops, the run gets a mapping → it is cut again, and the other stays as it is', async () => {
  const stopped = await start();
  const bytes = createSharedTraces(stopped.plan, { salt: stopped.code });
  expectStatus(await addFile(stopped, bytes), 201);
  expectStatus(await post(`runs/${stopped.id}/complete`), 200);
  // As after a crash: nothing but the rows says what is to be done.
  await settle();
  const { id } = stopped.theirs;
  const well = stopped.plan.plates[0]?.wells.find((each) => each.experiment_id === id)?.well;
  expectStatus(await post(`runs/${stopped.id}/mapping`, { entries: [{ well, role: 'left_out' }] }), 201);
  expectStatus(await post(`experiments/${id}/send-back`, { reason: 'One well is wrong.' }), 200);
  await settle();
  const readFiles = async (of: string) =>
    getItems(expectStatus(await ask('GET', `/lab/experiments/${of}/files`), 200).body.files);
  assert.deepEqual(
    (await readFiles(id)).map(({ name, version }) => [name, version]),
    [['shared-P1.csv', 2]],
  );
  assert.deepEqual(
    (await readFiles(stopped.own.id)).map(({ version }) => version),
    [1],
  );
  const lab = await ask('GET', `/lab/experiments/${id}/results`);
  assert.ok(!lab.text.includes(stopped.own.code));
});
