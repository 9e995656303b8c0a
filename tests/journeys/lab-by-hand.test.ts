/** A lab that runs its own instruments: from the materials to released results, with nothing but the API. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createBuilders, expectStatus, createSequences } from '#testing/builders.ts';
import { findPublished } from '#testing/analysis/published-data.ts';
import { TITRATION, TITRATION_MOLAR } from '#testing/analysis/published-titration.ts';
import { createRawFile, withShortReason } from '#testing/lab-by-hand.ts';
import { getItems, getNumber, testService, getText, type Json } from '#testing/service.ts';

const service = await testService();
const { ask, runLab } = service;
const build = await createBuilders(service);

const takeStep = async (id: string, path: string, body: unknown, status = 200): Promise<Json> =>
  expectStatus(
    await ask('POST', `/lab/experiments/${id}/${path}`, { body: withShortReason(path, body) }),
    status,
  ).body;

async function analyzeExperiment(
  id: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await takeStep(id, 'complete', { settings });
  await runLab();
  const files = expectStatus(await ask('GET', `/lab/experiments/${id}/files`), 200);
  assert.equal(files.body.status, 'in_review', files.text);
}

test('lab by hand: an affinity experiment → goes from its materials to released results with curves', async () => {
  const named = createSequences(2);
  const spec = { experiment_type: 'affinity', n_replicates: 2, sequences: named };
  const { id } = await build.createPaid(build.createBody(spec));
  await takeStep(id, 'materials', {});
  await takeStep(id, 'runs', { instrument: 'Octet R8' }, 201);
  const uploaded = await takeStep(id, 'files', createRawFile(named, 'affinity'), 201);
  assert.deepEqual(uploaded.file?.understood?.matched_sequences, Object.keys(named));
  await analyzeExperiment(id);
  // Nothing is seen by the client before the release.
  assert.equal((await ask('GET', `/experiments/${id}/results`)).body.total, 0);
  await takeStep(id, 'release', {});
  const results = getItems((await ask('GET', `/experiments/${id}/results`)).body.items);
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    ['measured', 'measured'],
  );
  const curves = expectStatus(await ask('GET', `/results/${getText(results[0]?.id)}/curves`), 200);
  assert.ok(curves.text.includes('association_start_s'));
  const detail = (await ask('GET', `/results/${getText(results[0]?.id)}`)).text;
  assert.ok(detail.includes(getText(uploaded.file?.sha256)), 'the result lists the digest of its file');
  const feed = getItems((await ask('GET', `/experiments/${id}/updates?limit=50`)).body.items);
  const names = feed.map(({ name }) => getText(name));
  const road = [
    'Materials arrived',
    'Run started',
    'Raw file recorded',
    'Raw data complete',
    'Data analyzed',
  ];
  assert.deepEqual(
    names.filter((name) => road.includes(name)),
    road,
  );
});

test('lab by hand: text exports of a published titration, assigned in the settings → the published rates', async (context) => {
  const folder = findPublished(context, TITRATION);
  if (folder === null) return;
  const { id } = await build.createRunning(build.createBody({ experiment_type: 'affinity' }));
  const names = readdirSync(folder);
  for (const name of names) {
    const bytes = readFileSync(join(folder, name));
    const uploaded = await takeStep(id, 'files', { name, content_base64: bytes.toString('base64') }, 201);
    assert.equal(getItems(uploaded.file?.understood?.sets)[0]?.format, 'octet-text');
  }
  const assign = Object.fromEntries(
    names
      .map((name) => name.replace('Results.txt', ''))
      .map((sensor) => [
        sensor,
        Object.hasOwn(TITRATION_MOLAR, sensor)
          ? { sample: 'design-1', concentration_m: TITRATION_MOLAR[sensor] }
          : { exclude: true },
      ]),
  );
  await analyzeExperiment(id, {
    assign,
    association_s: 300,
    dissociation_s: 300,
    thinning: 'whole_seconds',
    inter_step: 'off',
    reference: 'none',
    time_zero: 'fixed',
    model: '1:1',
    drift: false,
  });
  await takeStep(id, 'release', {});
  const [result] = getItems((await ask('GET', `/experiments/${id}/results`)).body.items);
  const [row] = getItems(result?.summary);
  const [kon, koff] = [getNumber(row?.kon_mean), getNumber(row?.koff_mean)];
  context.diagnostic(`kon ${kon} 1/(M·s), koff ${koff} 1/s`);
  assert.ok(Math.abs(kon / 4990.240930316442 - 1) < 1e-3, `kon ${kon}`);
  assert.ok(Math.abs(koff / 5.154370447381543e-4 - 1) < 1e-3, `koff ${koff}`);
});

test('lab by hand: an Octet .frd file → read with its instrument, and unmatched samples are listed', async (context) => {
  const path = findPublished(context, 'kingenie/octet_230309/230309_001.frd');
  if (path === null) return;
  const { id } = await build.createRunning(build.createBody({ experiment_type: 'affinity' }));
  const content = readFileSync(path).toString('base64');
  const { file } = await takeStep(id, 'files', { name: '230309_001.frd', content_base64: content }, 201);
  const [set] = getItems(file?.understood?.sets);
  assert.deepEqual([set?.format, set?.instrument], ['octet-frd', 'OctetRED384']);
  assert.ok(getItems(file?.understood?.unmatched_samples).length > 0);
});

test('title of a result: a screening → against its target; an affinity → to it', async () => {
  const readTitle = async ({ id }: { readonly id: string }): Promise<string> =>
    getText(getItems((await ask('GET', `/experiments/${id}/results`)).body.items)[0]?.title);
  const screening = await build.createReleasedByHand();
  assert.match(await readTitle(screening), /^Screening of design-1 against \S/);
  const spec = { experiment_type: 'affinity', n_replicates: 2, sequences: createSequences(1) };
  const affinity = await build.createQueued(build.createBody(spec));
  await takeStep(affinity.id, 'runs', { instrument: 'Octet R8' }, 201);
  await takeStep(affinity.id, 'files', createRawFile(createSequences(1), 'affinity'), 201);
  await analyzeExperiment(affinity.id);
  await takeStep(affinity.id, 'release', {});
  assert.match(await readTitle(affinity), /^Affinity of design-1 to \S/);
});
