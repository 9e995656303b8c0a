import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isRecord } from '#core/records.ts';
import {
  createBuilders,
  expectFailure,
  expectStatus,
  createSequences,
  UNKNOWN_ID,
  VHH,
} from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getNumber, getText, type Json } from '#testing/service.ts';

const service = await createRecordedService();
const { ask } = service;
const { createBody, createReleased, createInvoiced } = await createBuilders(service);
const { id, code } = await createReleased(
  createBody({ sequences: createSequences(2), parameters: { sandbox: { force: 'binder' } } }),
);
const listed = await ask('GET', `/experiments/${code}/results`);
const resultId = getText(getItems(listed.body.items)[0]?.id);

test('list_results: by organization, experiment and id → one record per sequence, everywhere the same', async () => {
  assert.equal(listed.body.total, 2);
  const all = expectStatus(await ask('GET', '/results'), 200);
  const narrowed = expectStatus(await ask('GET', `/results?experiment_id=${id}`), 200);
  assert.equal(all.body.total, 2);
  assert.deepEqual(narrowed.body.items, all.body.items);
  const one = expectStatus(await ask('GET', `/results/${resultId}`), 200);
  assert.ok(getItems(all.body.items).some((item) => JSON.stringify(item) === JSON.stringify(one.body)));
  assert.equal(one.body.result_type, 'screening');
  assert.equal(getItems(one.body.summary)[0]?.result_type, 'affinity');
});

test('get_result_neighbors: each result of an experiment → what stands before and after it in the list', async () => {
  const items = getItems(listed.body.items);
  const names = items.map((item) => item.sequence_name);
  const answers = await Promise.all(
    items.map(async ({ id: own }) =>
      expectStatus(await ask('GET', `/results/${getText(own)}/neighbors`), 200),
    ),
  );
  const readName = (value: unknown) => (isRecord(value) ? value.sequence_name : value);
  assert.deepEqual(
    answers.map(({ body }) => [body.position, body.total, readName(body.previous), readName(body.next)]),
    [
      [1, 2, null, names[1]],
      [2, 2, names[0], null],
    ],
  );
});

test('get_result_neighbors: a filter and an order → neighbors of that list; a result that it leaves out → no place; invalid → 400', async () => {
  const [first, second] = getItems(listed.body.items);
  const read = (item: Json | undefined, query: string) =>
    ask('GET', `/results/${getText(item?.id)}/neighbors?${query}`);
  const reversed = expectStatus(await read(first, 'sort=desc(sequence_name)'), 200);
  const straight = expectStatus(await read(first, 'sort=asc(sequence_name)'), 200);
  assert.equal(getNumber(reversed.body.position) + getNumber(straight.body.position), 3);
  const only = `filter=${encodeURIComponent(`eq(sequence_name,'${getText(second?.sequence_name)}')`)}`;
  const out = expectStatus(await read(first, only), 200);
  assert.deepEqual([out.body.position, out.body.total, out.body.next], [null, 1, null]);
  const within = expectStatus(await read(second, only), 200);
  assert.deepEqual([within.body.position, within.body.previous], [1, null]);
  expectFailure(await read(first, 'sort=nonsense'), 400, 'invalid_query');
});

test('sort by sequence_name: numbers inside names → in the order of the numbers', async () => {
  const names = ['D2', 'd10', 'd1-b12', 'd1-b3'];
  const sequences = Object.fromEntries(names.map((name) => [name, VHH]));
  const order = await createReleased(createBody({ sequences }));
  const { body } = expectStatus(
    await ask('GET', `/experiments/${order.code}/results?sort=sequence_name`),
    200,
  );
  assert.deepEqual(
    getItems(body.items).map(({ sequence_name: name }) => name),
    ['d1-b3', 'd1-b12', 'D2', 'd10'],
  );
  const walked: unknown[] = [];
  for (let cursor = ''; ;) {
    const page = expectStatus(
      await ask('GET', `/experiments/${order.code}/results?sort=-sequence_name&limit=1${cursor}`),
      200,
    );
    walked.push(...getItems(page.body.items).map(({ sequence_name: name }) => name));
    if (typeof page.body.next !== 'string') break;
    cursor = `&cursor=${encodeURIComponent(page.body.next)}`;
  }
  assert.deepEqual(walked, ['d10', 'D2', 'd1-b12', 'd1-b3']);
});

test('get_results_overview: released results → counted by outcome, grade and class, with the filters that list them', async () => {
  const { body } = expectStatus(await ask('GET', `/experiments/${code}/results/overview`), 200);
  assert.equal(body.total, 2);
  assert.equal(body.experiment_type, 'screening');
  for (const [field, counts] of [
    ['outcome', body.outcomes],
    ['grade', body.grades],
    ['class', body.classes],
  ] as const) {
    const entries = Object.entries(counts ?? {});
    assert.equal(
      entries.reduce((sum, [, count]) => sum + getNumber(count), 0),
      2,
    );
    for (const [value, count] of entries) {
      const filtered = await ask('GET', `/experiments/${code}/results?filter=eq(${field},${value})`);
      assert.equal(filtered.body.total, count, `${field} ${value}`);
    }
  }
  expectFailure(await ask('GET', `/experiments/${UNKNOWN_ID}/results/overview`), 404, 'experiment_not_found');
});

test('get_result_highlights: a released experiment → its best sample; more than can be asked for → 400 by its field', async () => {
  const { body } = expectStatus(await ask('GET', `/results/highlights?experiments=${code}`), 200);
  const [found, ...others] = getItems(body.items);
  assert.deepEqual(others, []);
  assert.equal(found?.n_results, 2);
  const [first] = getItems((await ask('GET', `/experiments/${code}/results?filter=eq(place,1)`)).body.items);
  assert.equal(found?.best?.id, first?.id);
  const many = await ask('GET', `/results/highlights?experiments=${'A,'.repeat(100)}A`);
  expectFailure(many, 400, 'invalid_request');
});

test('get_result_thumbnails: results stored with one, and one from before → the same small picture of each', async () => {
  const path = `/experiments/${code}/results/thumbnails`;
  const { body } = expectStatus(await ask('GET', path), 200);
  const items = getItems(body.items);
  assert.deepEqual(
    new Set(items.map(({ result_id: of }) => getText(of))),
    new Set(getItems(listed.body.items).map((item) => getText(item.id))),
  );
  for (const { kind, curves, low, high } of items) {
    assert.equal(kind, 'sensorgram');
    assert.ok(getNumber(low) <= 0 && getNumber(high) > 0);
    const values = getItems(curves).flatMap((curve) => getItems(curve.values));
    assert.ok(values.every((value) => Number(value) >= 0 && Number(value) <= 255));
    assert.ok(values.some((value) => Number(value) > 128));
  }
  await service.service.database.read.query('update result_curves set thumbnail = null');
  assert.deepEqual((await ask('GET', path)).body.items, body.items);
  expectFailure(
    await ask('GET', `/experiments/${UNKNOWN_ID}/results/thumbnails`),
    404,
    'experiment_not_found',
  );
});

/** A row of affinity as earlier versions stored it: of the model that says most, with a replicate that says nothing. */
const EARLIER_ROW = {
  result_type: 'affinity',
  binding: 'inconclusive',
  binding_model: ['1:1_drift', 'bivalent_analyte', '1:1'],
  binding_strength: 'strong',
  concentration_value: 1e-6,
  concentration_display: '1000 nM',
  expression: 'expressed',
  fit_quality: 'good',
  kd_mean: 2e-9,
  kd_units: 'M',
  method: ['spr'],
  performance: { first: 'better', second: 'comparable', third: 'not_comparable' },
  place: 1,
  positive_control: false,
  sequence: { name: 'design-1', aa_string: 'QVQL', control: false },
  target: null,
  target_id: null,
  replicates: [
    {
      replicate: 1,
      plate: 'P1',
      well: 'A1',
      binding: 'true',
      expression: 'low',
      method: 'spr',
      model: 'bivalent_analyte',
      kd: 2e-9,
      kon: 1e5,
      kon_method: 'global_bivalent_analyte',
      koff: null,
      koff_method: null,
      outcome: 'measured',
    },
    {
      replicate: 2,
      plate: 'P1',
      well: 'A2',
      binding: 'unknown',
      expression: 'unknown',
      method: 'spr',
      outcome: 'failed_qc',
    },
  ],
};

test('published meanings: a row that an earlier version stored → is answered as one that is written today', async () => {
  await storeEarlierRow(EARLIER_ROW);
  await runMigration('0031_published_rows.sql');
  const { body } = expectStatus(await ask('GET', `/results/${resultId}`), 200);
  const [row] = getItems(body.rows);
  assert.deepEqual(body.summary, body.rows);
  const doses: unknown = body.details.concentrations_m;
  assert.deepEqual(row, {
    ...EARLIER_ROW,
    outcome: body.outcome,
    binding: 'unknown',
    call: 'inconclusive',
    binding_model: ['standard', 'bivalent_analyte'],
    concentration_value: null,
    concentration_display: null,
    concentrations_m: doses,
    expression: 'high',
    method: ['1:1', '2:1'],
    model: EARLIER_ROW.binding_model,
    technique: 'spr',
    performance: { first: 'better', second: null, third: null },
    comparison: EARLIER_ROW.performance,
    replicates: [
      {
        ...EARLIER_ROW.replicates[0],
        call: 'binder',
        method: '2:1',
        kon_method: '2:1',
        technique: 'spr',
      },
      {
        ...EARLIER_ROW.replicates[1],
        call: 'unknown',
        expression: null,
        method: null,
        model: null,
        kon_method: null,
        koff_method: null,
        technique: 'spr',
      },
    ],
  });
  const plot = expectStatus(await ask('GET', `/results/${resultId}/plot.svg`), 200);
  assert.match(plot.text, /inconclusive/);
  // A second turn of the same file would find nothing left to change.
  await runMigration('0031_published_rows.sql');
  assert.deepEqual((await ask('GET', `/results/${resultId}`)).body, body);
});

async function storeEarlierRow(row: object): Promise<void> {
  const { read } = service.service.database;
  await read.query('update results set summary = $2 where id = $1', [resultId, JSON.stringify([row])]);
}

async function runMigration(file: string): Promise<void> {
  const text = readFileSync(join(import.meta.dirname, '../../migrations', file), 'utf8');
  for (const statement of text.split(/;\n/).filter((part) => part.trim() !== ''))
    await service.service.database.read.query(statement);
}

test('list_results: an unknown experiment_id → no records', async () => {
  assert.equal((await ask('GET', `/results?experiment_id=${UNKNOWN_ID}`)).body.total, 0);
});

test('get_experiment_results: before the release → no records', async () => {
  const { id: running } = await createInvoiced();
  assert.equal((await ask('GET', `/experiments/${running}/results`)).body.total, 0);
});

test('get_result_curves: Accept is JSON or CSV → the curves in that format', async () => {
  const path = `/results/${resultId}/curves`;
  const json = expectStatus(await ask('GET', path), 200);
  assert.ok(getItems(json.body.curves).length > 0);
  const csv = expectStatus(await ask('GET', path, { headers: { accept: 'text/csv' } }), 200);
  assert.match(csv.headers['content-type'] ?? '', /^text\/csv/);
  assert.ok(csv.text.split('\n').length > 10);
});

test('get_result_plot: a result → an SVG', async () => {
  const plot = expectStatus(await ask('GET', `/results/${resultId}/plot.svg`), 200);
  assert.match(plot.text, /^<svg|^<\?xml/);
});

test('get_experiment_plot: the ranking and the plates → SVGs without NaN', async () => {
  for (const view of ['', '?view=ranking', '?view=plates']) {
    const plot = expectStatus(await ask('GET', `/experiments/${code}/plot.svg${view}`), 200);
    assert.match(plot.headers['content-type'] ?? '', /^image\/svg\+xml/);
    assert.match(plot.text, /^<svg.*<\/svg>\n$/s);
    assert.doesNotMatch(plot.text, /NaN|undefined|Infinity/);
  }
});

test('results_not_released: the plot of an experiment without results → 404', async () => {
  const { id: running } = await createInvoiced();
  expectFailure(await ask('GET', `/experiments/${running}/plot.svg`), 404, 'results_not_released');
});

test('plates_unknown: the plates of a thermostability experiment → 404', async () => {
  const melted = await createReleased({
    name: 'melts',
    experiment_spec: { experiment_type: 'thermostability', n_replicates: 1, sequences: createSequences(1) },
  });
  expectFailure(await ask('GET', `/experiments/${melted.code}/plot.svg?view=plates`), 404, 'plates_unknown');
});

test('melts_unknown: the melting curves of a screening experiment → 404', async () => {
  const { code } = await createReleased();
  expectFailure(await ask('GET', `/experiments/${code}/plot.svg?view=melts`), 404, 'melts_unknown');
});

test('get_experiment_plot: view=melts → each sequence with its replicates and outcome, best first', async () => {
  const { code } = await createReleased({
    name: 'melts',
    experiment_spec: { experiment_type: 'thermostability', n_replicates: 2, sequences: createSequences(5) },
  });
  const { text } = expectStatus(await ask('GET', `/experiments/${code}/plot.svg?view=melts`), 200);
  const { body: listed } = expectStatus(await ask('GET', `/experiments/${code}/results`), 200);
  const places = getItems(listed.items).map(({ sequence_name: name, place, quantities }) => {
    const at = text.indexOf(`>${typeof place === 'number' ? `${getNumber(place)}. ` : ''}${getText(name)}<`);
    assert.ok(at > 0, getText(name));
    const tm: unknown = quantities?.tm?.value;
    const words = typeof tm === 'number' ? `Tm ${tm.toFixed(1)} °C` : 'no Tm: ';
    assert.ok(text.indexOf(words, at) > at, words);
    return at;
  });
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  const caption = text.replaceAll(/<\/text>\s*<text[^>]*>/g, ' ');
  assert.match(caption, /Dotted upright: Tm of Lysozyme, the control of the run\./);
});

test('rates_unknown: the rates of a screening experiment → 404', async () => {
  const { code } = await createReleased();
  expectFailure(await ask('GET', `/experiments/${code}/plot.svg?view=rates`), 404, 'rates_unknown');
});

test('reanalyze_experiment: it fails for good → one entry in the trail of the lab, and the client is told nothing', async () => {
  const { id: experimentId, code: experimentCode } = await createReleased(
    createBody({ sequences: createSequences(1) }),
  );
  const before = expectStatus(await ask('GET', `/experiments/${experimentCode}/results`), 200);
  const path = `/lab/experiments/${experimentId}/reanalyze`;
  expectStatus(await ask('POST', path, { body: { reason: 'A file is gone.' } }), 201);
  await service.service.database.read.query(
    `update raw_files set sha256 = repeat('0', 64) where run_id in (select id from runs where experiment_id = $1)`,
    [experimentId],
  );
  await service.runLab();
  const feed = `/experiments/${experimentCode}/updates?filter=${encodeURIComponent('eq(type,error)')}`;
  const clientFeed = expectStatus(await ask('GET', feed), 200);
  assert.equal(clientFeed.body.total, 0, clientFeed.text);
  const trail = `filter=${encodeURIComponent('eq(operation,reanalysis_failed)')}`;
  assert.equal(expectStatus(await ask('GET', `/audit?${trail}`), 200).body.total, 0);
  const entries = expectStatus(await ask('GET', `/lab/audit?${trail}`), 200);
  assert.equal(entries.body.total, 1, entries.text);
  const review = expectStatus(await ask('GET', `/lab/experiments/${experimentId}/review`), 200);
  assert.equal(getItems(review.body.events).at(-1)?.action, 'analysis_failed');
  const after = expectStatus(await ask('GET', `/experiments/${experimentCode}/results`), 200);
  const selectKept = (answer: typeof before) =>
    getItems(answer.body.items).map(({ id: resultId, version, status }) => ({ resultId, version, status }));
  assert.deepEqual(selectKept(after), selectKept(before));
});

test('list_result_versions, diff_results: a second analysis → a new version beside the old one', async () => {
  const { id: experimentId, code: experimentCode } = await createReleased(
    createBody({ sequences: createSequences(2), parameters: { sandbox: { force: 'binder' } } }),
  );
  const before = expectStatus(await ask('GET', `/experiments/${experimentCode}/results`), 200);
  const [old] = getItems(before.body.items);
  assert.ok(old !== undefined);
  const settings = { drift: 'none', limits: { signal_to_noise: 4 } };
  const reason = 'The drift was within the noise.';
  expectStatus(
    await ask('POST', `/lab/experiments/${experimentId}/reanalyze`, { body: { settings, reason } }),
    201,
  );
  await service.service.worker.runDue();
  const unchanged = expectStatus(await ask('GET', `/results/${getText(old.id)}/versions`), 200);
  assert.equal(getItems(unchanged.body.versions).length, 1, 'it waits for review');
  expectStatus(await ask('POST', `/lab/experiments/${experimentId}/amend`, { body: { reason } }), 200);
  const after = expectStatus(await ask('GET', `/experiments/${experimentCode}/results`), 200);
  assert.equal(after.body.total, 2);
  const renewed = getItems(after.body.items).find((item) => item.sequence_name === old.sequence_name);
  assert.ok(renewed !== undefined);
  assert.deepEqual([renewed.version, renewed.status], [2, 'amended']);
  const kept = expectStatus(await ask('GET', `/results/${getText(old.id)}`), 200);
  assert.deepEqual(kept.body.quantities, old.quantities);
  assert.equal(kept.body.version, 1);
  for (const id of [old.id, renewed.id]) {
    const listedVersions = expectStatus(await ask('GET', `/results/${getText(id)}/versions`), 200);
    const versions = getItems(listedVersions.body.versions);
    assert.deepEqual(
      versions.map((each) => [each.version, each.status, each.reason, each.superseded_at === null]),
      [
        [2, 'amended', reason, true],
        [1, 'final', null, false],
      ],
    );
  }
  const [ofOld, ofNew] = await Promise.all(
    [old.id, renewed.id].map(async (id) => (await ask('GET', `/results/${getText(id)}/neighbors`)).body),
  );
  assert.deepEqual(ofOld, ofNew, 'an old version stands where its current one does');
  const diff = expectStatus(await ask('GET', `/results/${getText(renewed.id)}/diff`), 200);
  assert.deepEqual([diff.body.version, diff.body.against_version], [2, 1]);
  const changes = new Map(getItems(diff.body.changes).map((each) => [each.path as unknown, each]));
  assert.equal(changes.get('analysis.settings.drift')?.before, 'held');
  assert.equal(changes.get('analysis.settings.drift')?.after, 'none');
  assert.equal(changes.get('analysis.settings.limits.signal_to_noise')?.after, 4);
  const back = expectStatus(await ask('GET', `/results/${getText(old.id)}/diff?against=2`), 200);
  assert.equal(getItems(back.body.changes).length, changes.size);
});

test('result_version_not_found: a version that does not exist → 404', async () => {
  expectFailure(await ask('GET', `/results/${resultId}/diff`), 404, 'result_version_not_found');
  expectFailure(await ask('GET', `/results/${resultId}/diff?against=9`), 404, 'result_version_not_found');
  expectFailure(await ask('GET', `/results/${resultId}/diff?against=old`), 400, 'invalid_request');
});

test('result_not_found: an unknown result → 404; a malformed id → 400', async () => {
  for (const part of ['', '/neighbors', '/curves', '/plot.svg', '/versions', '/diff']) {
    expectFailure(await ask('GET', `/results/${UNKNOWN_ID}${part}`), 404, 'result_not_found');
    expectFailure(await ask('GET', `/results/one${part}`), 400, 'invalid_request');
  }
});

test('invalid_query: results are filtered or sorted by an unknown field → 400', async () => {
  expectFailure(await ask('GET', '/results?filter=eq(color,red)'), 400, 'invalid_query');
  expectFailure(await ask('GET', `/experiments/${id}/results?sort=color`), 400, 'invalid_query');
});

test('experiment_not_found: the results of an unknown experiment → 404', async () => {
  expectFailure(await ask('GET', `/experiments/${UNKNOWN_ID}/results`), 404, 'experiment_not_found');
  expectFailure(await ask('GET', `/experiments/${UNKNOWN_ID}/plot.svg`), 404, 'experiment_not_found');
});

test('get_data_package: released results → a link that needs no token', async () => {
  const answer = expectStatus(await ask('GET', `/experiments/${code}/data-package`), 307);
  const url = new URL(answer.headers.location ?? '');
  expectStatus(await ask('GET', `/${url.pathname}${url.search}`, { token: null }), 200);
});

test('results_not_released: the data package and its status before the release → 404', async () => {
  const { code: running } = await createInvoiced();
  const path = `/experiments/${running}/data-package`;
  expectFailure(await ask('GET', path), 404, 'results_not_released');
  expectFailure(await ask('GET', `${path}/status`), 404, 'results_not_released');
});

test('experiment_not_found: the data package of an unknown experiment → 404', async () => {
  const path = `/experiments/${UNKNOWN_ID}/data-package`;
  expectFailure(await ask('GET', path), 404, 'experiment_not_found');
  expectFailure(await ask('GET', `${path}/status`), 404, 'experiment_not_found');
});

test('get_data_package_status: a package that nobody fetched, then one that was → not_made, then ready with its digest', async () => {
  const made = await createReleased();
  const path = `/experiments/${made.code}/data-package`;
  const before = expectStatus(await ask('GET', `${path}/status`), 200).body;
  assert.equal(before.status, 'not_made');
  assert.equal(before.sha256, null);
  const url = new URL((await ask('GET', path)).headers.location ?? '');
  const archive = await service.service.app.inject({ url: `${url.pathname}${url.search}` });
  const after = expectStatus(await ask('GET', `${path}/status`), 200).body;
  assert.equal(after.status, 'ready');
  assert.equal(after.results_done, after.results_total);
  assert.equal(after.size_bytes, archive.rawPayload.length);
  assert.equal(after.sha256, createHash('sha256').update(archive.rawPayload).digest('hex'));
});

proveCoverage('results');
