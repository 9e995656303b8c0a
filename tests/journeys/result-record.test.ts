/** What a result shows: everything behind its numbers, settings that can be sent back, and every sequence that was paid for. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runFiles } from '#sandbox/run-files.ts';
import { createBuilders, expectStatus, createSequences, VHH } from '#testing/builders.ts';
import { createRawFile, withShortReason } from '#testing/lab-by-hand.ts';
import { getItems, testService, getText, type Json } from '#testing/service.ts';

const service = await testService();
const { ask, runLab } = service;
const build = await createBuilders(service);

interface File {
  readonly name: string;
  readonly content_base64: string;
}

const decodeText = ({ content_base64: content }: File): string =>
  Buffer.from(content, 'base64').toString('utf8');

function changeFile(file: File, change: (content: string) => string): File {
  return { ...file, content_base64: Buffer.from(change(decodeText(file))).toString('base64') };
}

/** The results of an experiment that was run by hand, by the name of the sequence, with the answer to the upload. */
async function measureFile(
  spec: Readonly<Record<string, unknown>>,
  file: File,
  settings: Readonly<Record<string, unknown>> = {},
) {
  const { id } = await build.createRunning(build.createBody(spec));
  const post = async (path: string, body: unknown, status = 200): Promise<Json> =>
    expectStatus(
      await ask('POST', `/lab/experiments/${id}/${path}`, { body: withShortReason(path, body) }),
      status,
    ).body;
  const uploaded = await post('files', file, 201);
  await post('complete', { settings });
  await runLab();
  await post('release', {});
  const results = async (): Promise<Map<string, Json>> => {
    const { body } = expectStatus(await ask('GET', `/experiments/${id}/results`), 200);
    return new Map(getItems(body.items).map((item) => [getText(item.sequence_name), item]));
  };
  const again = async (other: unknown): Promise<Map<string, Json>> => {
    await post('reanalyze', { settings: other, reason: 'To see that nothing changes.' }, 201);
    await runLab();
    await post('amend', { reason: 'Nothing changes.' });
    return results();
  };
  return { taken: uploaded, again, results: await results() };
}

function getRow(item: Json | undefined): Json {
  const [row] = getItems(item?.summary);
  assert.ok(row !== undefined);
  return row;
}

/** The designs, and a sequence of the order that the lab runs as its control under that name. */
const withControl = (name: string) => ({
  ...createSequences(2),
  [name]: { aa_string: `${VHH}KK`, control: true },
});

const CONTROL = 'cetuximabScFv';
const kinetic = changeFile(createRawFile(createSequences(2), 'affinity'), (content) =>
  content.replaceAll('Cetuximab scFv', CONTROL).replaceAll(/^T(\d+),/gm, 'sensorA$1,'),
);
const affinity = await measureFile(
  { experiment_type: 'affinity', n_replicates: 2, sequences: withControl(CONTROL) },
  kinetic,
  {
    assign: { sensorA029: { exclude: true }, 'P1/sensorA034': { concentration_m: 1e-6 } },
    control_kd_m: { [CONTROL]: 6.6e-9 },
  },
);

test('details: an affinity result → the arithmetic mean, every model tried, and what identifies the rates', async () => {
  const item = affinity.results.get('design-1');
  const details = item?.details;
  assert.equal(details?.fit_kind, 'kinetic');
  const kds = getItems(getRow(item).replicates).map(({ kd }) => Number(kd));
  assert.equal(details?.kd_arithmetic_mean_m, ((kds[0] ?? 0) + (kds[1] ?? 0)) / 2);
  assert.equal(getRow(item).kd_arithmetic_mean, details?.kd_arithmetic_mean_m);
  const models = getItems(details?.models);
  assert.deepEqual(
    models.map(({ replicate }) => replicate),
    [1, 2],
  );
  for (const model of models) {
    const tried = getItems(model.candidates);
    assert.equal(tried[0]?.model, '1:1');
    assert.equal(tried.filter(({ accepted }) => Boolean(accepted)).length, 1);
    for (const each of tried) assert.ok(each.delta_bic === null || typeof each.delta_bic === 'number');
    assert.equal(model.identifiability?.profile, 'closed');
    assert.equal(typeof model.identifiability?.condition_number, 'number');
    assert.equal(model.reference_rule, 'double');
    assert.deepEqual([model.drift, model.association_s, model.dissociation_s], [true, 300, 599]);
  }
  assert.equal(getItems(getRow(item).replicates)[0]?.reference_rule, 'double');
  const one = expectStatus(await ask('GET', `/results/${getText(item?.id)}`), 200).body;
  assert.deepEqual(one.details, details);
});

test('settings: the shown settings are sent back → the same result, and names are unchanged', async () => {
  const before = affinity.results.get('design-1');
  const shown = before?.analysis?.settings;
  assert.deepEqual(Object.keys(shown?.assign ?? {}), ['sensorA029', 'P1/sensorA034']);
  assert.deepEqual(shown?.assign?.['P1/sensorA034'], { concentration_m: 1e-6 });
  assert.deepEqual(shown?.control_kd_m, { [CONTROL]: 6.6e-9 });
  const after = (await affinity.again(shown)).get('design-1');
  assert.equal(after?.version, 2);
  assert.deepEqual(after?.analysis, before?.analysis);
  assert.deepEqual(after?.quantities, before?.quantities);
  assert.deepEqual(after?.summary, before?.summary);
});

const FILES = { thermostability: 'Lysozyme', expression: 'no-DNA', fluorescence: 'Wild type' } as const;
const records: Json[] = [...affinity.results.values()];

test('controls: a sequence of the order is the positive control of the file → it has its own result, without a rank', () => {
  const item = affinity.results.get(CONTROL);
  assert.deepEqual(
    [item?.outcome, item?.is_control, item?.control_role, item?.place],
    ['measured', true, 'positive_control', null],
  );
  assert.equal(getRow(item).positive_control, true);
  assert.ok(Math.abs(Math.log10(Number(getRow(item).kd_mean) / 6.6e-9)) < 0.1);
  assert.equal(affinity.results.get('design-1')?.control_role, null);
  assert.deepEqual(Object.keys(getRow(affinity.results.get('design-1')).performance ?? {}), [CONTROL]);
});

test('partial release: the control of a client is not released → no verdict, no notice and no version names it', async () => {
  const { read } = service.service.database;
  const item = affinity.results.get('design-1');
  const id = getText(item?.id);
  const experiment = getText(item?.experiment_id);
  const notices = ['The files were read.', `Wells of ${CONTROL} are not in the plate map.`];
  await read.query(`update results set metadata = $2 where id = $1`, [id, JSON.stringify({ notices })]);
  const readWhole = async (path: string) => expectStatus(await ask('GET', path), 200);
  const whole = await readWhole(`/results/${id}`);
  assert.deepEqual(whole.body.metadata.notices, notices);
  assert.deepEqual(Object.keys(getRow(whole.body).comparison ?? {}), [CONTROL]);
  const release = (status: string, at: string) =>
    read.query(
      `with e as (update experiments set results_status = $2 where id = $1)
       update results set released_at = ${at} where experiment_id = $1 and record ->> 'sequence_name' = $3`,
      [experiment, status, CONTROL],
    );
  await release('partial', 'null');
  try {
    const paths = [
      `/results/${id}`,
      `/results/${id}/curves`,
      `/results/${id}/versions`,
      `/experiments/${experiment}/results`,
    ];
    for (const path of paths) {
      const { text } = await readWhole(path);
      assert.ok(text.includes('design-1') && !text.includes(CONTROL), `${path} names the control`);
    }
    const part = (await readWhole(`/results/${id}`)).body;
    assert.deepEqual(part.metadata.notices, notices.slice(0, 1));
    assert.deepEqual(
      [getRow(part).performance, getRow(part).comparison, part.details?.comparisons],
      [{}, {}, []],
    );
    for (const member of ['performance', 'comparison']) {
      const filter = `is_not_null(at(at(summary,${member}),${CONTROL}))`;
      const found = await readWhole(
        `/experiments/${experiment}/results?filter=${encodeURIComponent(filter)}`,
      );
      assert.equal(found.body.total, 0, `a filter of ${member} finds what the client does not read`);
    }
    const lab = await readWhole(`/lab/experiments/${experiment}/results/${id}`);
    assert.deepEqual(Object.keys(getRow(lab.body).comparison ?? {}), [CONTROL]);
    assert.deepEqual(lab.body.metadata.notices, notices);
  } finally {
    await release('all', 'now()');
  }
});

test('plate map: a release in part of an assay on plates → the client gets the map without the other wells', async () => {
  const { read } = service.service.database;
  const sequences = createSequences(2);
  const { id } = await build.createReleased({
    name: 'plates',
    experiment_spec: { experiment_type: 'fluorescence', n_replicates: 1, sequences },
  });
  const items = getItems((await ask('GET', `/experiments/${id}/results`)).body.items);
  const shown = items.find((item) => getText(item.sequence_name) === 'design-1');
  const path = `/results/${getText(shown?.id)}/curves`;
  assert.ok((await ask('GET', path)).text.includes('design-2'));
  await read.query(`update experiments set results_status = 'partial' where id = $1`, [id]);
  await read.query(
    `update results set released_at = null where experiment_id = $1 and record ->> 'sequence_name' = 'design-2'`,
    [id],
  );
  const partial = expectStatus(await ask('GET', path), 200);
  assert.ok(!partial.text.includes('design-2') && partial.text.includes('design-1'));
  const lab = await ask('GET', `/lab/experiments/${id}/results/${getText(shown?.id)}/curves`);
  assert.ok(lab.text.includes('design-2'));
});

test('published meanings: an affinity result → fit, technique and concentrations each under the published name', () => {
  const row = getRow(affinity.results.get('design-1'));
  assert.deepEqual([row.binding, row.call, row.outcome], ['true', 'binder', 'measured']);
  assert.deepEqual([row.method, row.binding_model], [['1:1'], ['standard']]);
  assert.deepEqual([row.technique, row.model], ['bli', ['1:1']]);
  assert.deepEqual([row.concentration_value, row.concentration_display], [null, null]);
  const doses = affinity.results.get('design-1')?.details?.concentrations_m;
  assert.ok(Array.isArray(doses) && doses.length > 1);
  assert.deepEqual(row.concentrations_m, doses);
  assert.equal(row.expression, 'high');
  const verdict: unknown = row.comparison?.[CONTROL];
  assert.ok(['better', 'comparable', 'worse', 'not_comparable'].includes(String(verdict)));
  const published = verdict === 'better' || verdict === 'worse' ? verdict : null;
  assert.deepEqual(row.performance, { [CONTROL]: published });
  for (const each of getItems(row.replicates)) {
    assert.deepEqual([each.method, each.kon_method, each.koff_method], ['1:1', '1:1', '1:1']);
    assert.deepEqual([each.technique, each.model, each.binding, each.call], ['bli', '1:1', 'true', 'binder']);
  }
});

/** Rows and curves beside `records`. */
const others: unknown[] = [];

test('RESULT_SUMMARY: nothing is said → summary and rows have the row of every shape', () => {
  const shapes = new Set<string>();
  for (const record of records) {
    assert.deepEqual(record.summary, record.rows);
    shapes.add(getText(getRow(record).result_type));
  }
  assert.ok(shapes.has('affinity'));
});

test('unmeasurable: a sequence does not bind or is not expressed → its KD and rates are null, and no quantity', async () => {
  for (const [force, outcome, binding] of [
    ['non_binder', 'non_binder', 'false'],
    ['not_expressed', 'not_expressed', 'unknown'],
  ]) {
    const spec = { experiment_type: 'affinity', n_replicates: 1, parameters: { sandbox: { force } } };
    const { id } = await build.createReleased(build.createBody(spec));
    const [item] = getItems((await ask('GET', `/experiments/${id}/results`)).body.items);
    const row = getRow(item);
    others.push(row);
    assert.deepEqual([row.outcome, row.binding], [outcome, binding]);
    for (const each of [row, ...getItems(row.replicates)])
      for (const [name, value] of Object.entries(each))
        if (/^(?:kd|kon|koff)(?:_mean|_app|_1to1|_method|_log_std)?$|^method$/.test(name))
          assert.equal(value, null, name);
    assert.equal(item?.quantities?.kd, undefined);
    assert.equal(row.expression, force === 'not_expressed' ? 'low' : 'high');
  }
});

for (const [experimentType, control] of Object.entries(FILES)) {
  test(`controls: a control of ${experimentType} → a result with its role, and every number with its relation`, async () => {
    const [run] = runFiles({
      experimentCode: 'HAND-002',
      experimentType,
      method: 'bli',
      target: { id: 'none', name: 'none' },
      sequences: Object.entries(createSequences(2)).map(([name, aaString]) => ({
        id: name,
        name,
        aaString,
        isControl: false,
      })),
      nReplicates: 2,
    });
    assert.ok(run !== undefined);
    const { results, taken } = await measureFile(
      {
        experiment_type: experimentType,
        method: undefined,
        target_id: undefined,
        sequences: withControl(control),
      },
      { name: run.fileName, content_base64: Buffer.from(run.bytes).toString('base64') },
    );
    assert.ok(JSON.stringify(taken.file?.understood?.matched_sequences).includes(control));
    const item = results.get(control);
    assert.notEqual(item?.outcome, 'not_tested');
    const isNegative = control === 'no-DNA';
    assert.equal(item?.control_role, isNegative ? 'negative_control' : 'positive_control');
    assert.deepEqual([item?.is_control, getRow(item).positive_control], [true, !isNegative]);
    const curves = expectStatus(await ask('GET', `/results/${getText(item?.id)}/curves`), 200);
    others.push(...getItems(curves.body.curves));
    assert.ok(
      getItems(curves.body.curves).some(({ kind }) => !['plate', 'standard_curve'].includes(getText(kind))) ||
        experimentType === 'fluorescence',
    );
    records.push(...results.values());
  });
}

test('details: a difference in Tm → its interval and the control it is compared with', () => {
  const item = records.find(
    ({ experiment_type: type, sequence_name: name }) =>
      getText(type) === 'thermostability' && getText(name) === 'design-1',
  );
  const delta = item?.quantities?.delta_tm_vs_control;
  const row = getRow(item);
  assert.equal(row.delta_tm_vs_control, delta?.value);
  assert.equal(row.delta_tm_control, 'Lysozyme');
  assert.deepEqual(row.delta_tm_interval, {
    value: delta?.value,
    ci_low: delta?.ci95_low,
    ci_high: delta?.ci95_high,
  });
  assert.ok(Number(delta?.ci95_low) < Number(delta?.value));
  const [compared] = getItems(item?.details?.comparisons);
  assert.equal(compared?.delta_c, delta?.value);
});

/** Values in the guide that no record here happens to have, the keys of sorting, and the one number that only unsaturated pairs of doses give. */
const ABSENT = new Set(
  `false in_progress conformational bivalent_analyte spr medium published
   not_expressed failed_qc not_tested non_binder inconclusive amended comparable not_comparable boltzmann derivative
   steady_state low a280 kd_estimate theory loading excluded
   amplitude_below_noise no_inflection not_distinct_from_baseline at_range_end width_at_bound poorly_determined dye_falls
   too_few_points range_too_short constant_signal signal_returns tm_2 tm_3 rank_best rank_worst excluded_kd_m
   melt_unlike_model melt_incomplete transition_not_in_all peak_undetermined names rank_change
   experiments_not_comparable result_id expires_in shared_by shows_sequences allows_csv`.split(/\s+/),
);

test('guide: every field that the page on results names → is in a record', async () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/results.md'), 'utf8');
  const screening = await measureFile({ sequences: createSequences(2) }, createRawFile(createSequences(2)));
  const seen = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === 'string') seen.add(value);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      seen.add(key);
      collect(member);
    }
  };
  collect([...records, ...others, ...screening.results.values()]);
  const named = [...guide.matchAll(/`([a-z][a-z0-9]*(?:[._][a-z0-9]+)*)`/g)].map(([, name = '']) => name);
  assert.ok(named.length > 40);
  const missing = named.filter((name) => {
    return !name.split('.').every((part) => seen.has(part)) && !ABSENT.has(name);
  });
  assert.deepEqual([...new Set(missing)], []);
});
