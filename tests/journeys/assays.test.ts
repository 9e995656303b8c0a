/** Thermostability, expression and fluorescence from order to results, compared with the truth that the simulated lab keeps to itself. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { parquetReadObjects } from 'hyparquet';
import { drawAssayTruth, type AssayTruth } from '#sandbox/models/assay-truth.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { getItems, testService, getText, type Json } from '#testing/service.ts';

/** A directory to put the pictures in, for people to look at. */
const { PLOTS } = process.env;
const REPLICATES = 3;
const LETTERS = 'ACDEFGHIKLMNPQRSTVWY';
const names = Array.from({ length: 24 }, (_, index) => `design-${index + 1}`);

/** A fixed sequence for each name; any will do, since the truth follows from it. */
function createSequence(name: string): string {
  let state = Number(name.replace(/\D/g, '')) * 7_919;
  return Array.from({ length: 110 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return LETTERS[Math.floor((state / 2 ** 32) * 20)];
  }).join('');
}

const service = await testService();
const { ask } = service;
const { createReleased } = await createBuilders(service);

async function measureType(type: string) {
  const { code } = await createReleased({
    name: type,
    experiment_spec: {
      experiment_type: type,
      n_replicates: REPLICATES,
      sequences: Object.fromEntries(names.map((name) => [name, createSequence(name)])),
    },
  });
  const listed = expectStatus(await ask('GET', `/experiments/${code}/results?limit=100`), 200);
  const items = getItems(listed.body.items);
  assert.equal(items.length, names.length);
  return { code, items };
}

function listTruths(item: Json, assay: string): AssayTruth[] {
  const sequence = createSequence(getText(item.sequence_name));
  return Array.from({ length: REPLICATES }, (_, index) =>
    drawAssayTruth({ sequence, assay, replicate: index + 1 }),
  ).filter(({ failure }) => failure === null);
}

function getRow(item: Json, type: string): Json {
  const [row] = getItems(item.summary);
  assert.ok(row !== undefined);
  assert.equal(row.result_type, type);
  assert.equal(item.result_type, type);
  assert.equal(getItems(row.replicates).length, REPLICATES);
  return row;
}

const computeMean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function assertProvenance(item: Json): void {
  const analysis = item.analysis;
  assert.equal(analysis?.engine?.name, 'assayer-analysis');
  assert.match(JSON.stringify(analysis?.input_sha256), /^\["[0-9a-f]{64}"[\],]/);
  assert.equal(typeof analysis?.settings, 'object');
  assert.equal(item.version, 1);
}

/** Every form of the curves tells the same points. */
async function assertCurves(item: Json, columns: readonly string[]): Promise<void> {
  const path = `/results/${getText(item.id)}/curves`;
  const json = expectStatus(await ask('GET', path), 200);
  assert.ok(getItems(json.body.curves).length > 0);
  const csv = expectStatus(await ask('GET', path, { headers: { accept: 'text/csv' } }), 200);
  const [head = '', ...lines] = csv.text.trimEnd().split('\r\n');
  for (const column of columns) assert.ok(head.split(',').includes(column), `${column} in ${head}`);
  const parquet = await service.service.app.inject({
    method: 'GET',
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${service.token}`, accept: 'application/vnd.apache.parquet' },
  });
  assert.equal(parquet.headers['content-type'], 'application/vnd.apache.parquet');
  const file = Uint8Array.from(parquet.rawPayload).buffer;
  const rows = await parquetReadObjects({ file });
  assert.equal(rows.length, lines.length);
  assert.deepEqual(Object.keys(rows[0] ?? {}), head.split(','));
  const last = lines.at(-1)?.split(',') ?? [];
  const cells = head.split(',').map((name) => rows.at(-1)?.[name] ?? '');
  assert.deepEqual(last, cells.map(String));
}

async function assertPlot(item: Json): Promise<void> {
  const plot = expectStatus(await ask('GET', `/results/${getText(item.id)}/plot.svg`), 200);
  assert.match(plot.text, /^<svg/);
  assert.ok(!/NaN|undefined|Infinity/.test(plot.text));
  assert.match(plot.text, /<(path|circle)/);
  if (PLOTS !== undefined)
    writeFileSync(`${PLOTS}/${getText(item.experiment_type)}-${getText(item.sequence_name)}.svg`, plot.text);
}

test('thermostability: simulated run → melting temperatures agree with the truth, none without unfolding', async () => {
  const { code, items } = await measureType('thermostability');
  let compared = 0;
  for (const item of items) {
    const row = getRow(item, 'thermostability');
    const tms = listTruths(item, 'thermostability').flatMap(({ tmC }) => tmC ?? []);
    if (tms.length === 0) {
      assert.equal(row.tm, null, getText(item.sequence_name));
      assert.equal(typeof row.no_transition_reason, 'string');
    } else if (typeof row.tm === 'number' && tms.length === REPLICATES) {
      compared += 1;
      assert.ok(
        Math.abs(row.tm - computeMean(tms)) < 0.5,
        `${getText(item.sequence_name)}: ${String(row.tm)} ${computeMean(tms)}`,
      );
      assert.equal(item.quantities?.tm?.unit, '°C');
    }
  }
  assert.ok(compared >= 16, `${compared} compared`);
  const stable = expectStatus(
    await ask('GET', `/experiments/${code}/results?filter=gte(tm_c,65)&sort=desc(tm_c)`),
    200,
  );
  const expected = items.flatMap((item) => {
    const value = item.quantities?.tm?.value;
    return typeof value === 'number' && value >= 65 ? value : [];
  });
  assert.deepEqual(
    getItems(stable.body.items).map((item) => item.quantities?.tm?.value),
    expected.toSorted((a, b) => b - a),
  );
  const [best] = items;
  assert.ok(best !== undefined);
  assertProvenance(best);
  await assertCurves(best, ['temperature_c', 'signal', 'fit', 'derivative_per_c']);
  for (const item of items) await assertPlot(item);
});

test('expression: simulated run → yields agree with the truth, and below the lowest standard a bound is given', async () => {
  const { items } = await measureType('expression');
  let compared = 0;
  for (const item of items) {
    const row = getRow(item, 'expression');
    const yields = listTruths(item, 'expression').map(({ yieldNgPerUl }) => yieldNgPerUl);
    if (yields.length < REPLICATES) continue;
    const truth = Math.exp(computeMean(yields.map(Math.log)));
    assert.notEqual(row.yield_ng_per_ul, 0);
    if (truth < 1.5) assert.equal(item.outcome, 'not_expressed', getText(item.sequence_name));
    if (truth > 2.5) assert.equal(item.outcome, 'measured', getText(item.sequence_name));
    if (row.yield_relation === ('=' as unknown) && typeof row.yield_ng_per_ul === 'number') {
      compared += 1;
      assert.ok(Math.abs(Math.log10(row.yield_ng_per_ul / truth)) < 0.1, getText(item.sequence_name));
    }
  }
  assert.ok(compared >= 16, `${compared} compared`);
  const [best] = items;
  assert.ok(best !== undefined);
  assertProvenance(best);
  await assertCurves(best, ['concentration_ng_per_ul', 'time_s', 'signal', 'recovery_pct']);
  for (const item of items) await assertPlot(item);
});

test('fluorescence: simulated run → intensities agree with the truth, and dark designs have an upper limit', async () => {
  const { items } = await measureType('fluorescence');
  let compared = 0;
  for (const item of items) {
    const row = getRow(item, 'fluorescence');
    const truths = listTruths(item, 'fluorescence').map(({ brightness }) => brightness);
    if (truths.length < REPLICATES || typeof row.normalized_to_control !== 'number') continue;
    compared += 1;
    const truth = computeMean(truths);
    if (truth === 0)
      assert.ok(row.normalized_to_control < 0.01 && row.intensity_relation !== ('=' as unknown));
    else if (row.saturated !== (true as unknown))
      assert.ok(Math.abs(Math.log2(row.normalized_to_control / truth)) < 0.15, getText(item.sequence_name));
  }
  assert.ok(compared >= 16, `${compared} compared`);
  const [best] = items;
  assert.ok(best !== undefined);
  assertProvenance(best);
  await assertCurves(best, ['well', 'role', 'signal', 'normalized', 'saturated']);
  for (const item of items) await assertPlot(item);
});
