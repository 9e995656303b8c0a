import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecord } from '#testing/texts.ts';
import { thermostabilityWords } from '../assays/thermostability/words.ts';
import type { Quantity } from '#domain/results/contract.ts';
import type { PackagedResult } from '../data-package/packaged.ts';
import type { PdfBlock } from '../document.ts';
import { hasValue } from './remarks.ts';
import { buildRanking } from './ranking.ts';
import { buildWithoutValue } from './without-value.ts';

const kd: Quantity = {
  value: 9e-9,
  unit: 'M',
  relation: '=',
  ci95_low: 8e-9,
  ci95_high: 1e-8,
  log10_sd: null,
  n: 2,
};

function createResult(changes: Partial<PackagedResult>): PackagedResult {
  return {
    id: 'r1',
    title: 'Affinity of design-1',
    sequence_name: 'design-1',
    is_control: false,
    outcome: 'non_binder',
    status: 'final',
    version: 1,
    place: null,
    binding_score: null,
    n_replicates: 2,
    n_replicates_passed: 2,
    excluded_replicates: [],
    qc: { pass: true, flags: [] },
    quantities: {},
    rows: [{}],
    details: null,
    analysis: {},
    ...changes,
  };
}

/** Returns each row by the titles of its columns. */
function readRows(blocks: readonly PdfBlock[]): Record<string, string>[] {
  const table = blocks.find((block) => block.kind === 'table');
  if (table?.kind !== 'table') return [];
  return table.rows.map((row) =>
    Object.fromEntries(table.columns.map(({ title }, index) => [title, row[index] ?? ''])),
  );
}

const read = (type: string, results: readonly PackagedResult[]) =>
  readRows(buildWithoutValue(type, results, results));

test('report: a non-binder with its basis → one row with dose, signal over noise and the KD that is excluded', () => {
  const basis = { noise: 0.002, top_concentration_m: 1e-6 };
  const replicate = { outcome: 'non_binder', response: -0.003, kd_detectable_basis: basis };
  const rows = [{ kd_detectable_m: 9.3e-6, kd_detectable_basis: basis, replicates: [replicate, replicate] }];
  assert.deepEqual(read('affinity', [createResult({ rows, qc: { pass: true, flags: ['LOADING_LOW'] } })]), [
    {
      Sequence: 'design-1',
      Outcome: 'no binding detected',
      'Highest conc.': '1 µM',
      'Signal/noise': '−1.5',
      'KD excluded': 'below 9.3 µM',
      n: '2/2',
      Remarks: 'loading low',
    },
  ]);
});

test('report: no value and nothing known of it → columns without content are left out', () => {
  const found = read('affinity', [
    createResult({ outcome: 'not_tested', n_replicates: 0, n_replicates_passed: 0 }),
  ]);
  assert.deepEqual(found, [{ Sequence: 'design-1', Outcome: 'not tested', n: '0/0' }]);
});

test('inconclusive: a screened sequence → the word stands once, and no KD is excluded', () => {
  const rows = [
    { call: 'inconclusive', response: 0.03, threshold: 0.027, response_unit: 'nm', kd_detectable_m: 1e-6 },
  ];
  const [row = {}] = read('screening', [createResult({ outcome: 'inconclusive', rows })]);
  assert.equal(
    Object.values(row)
      .join(' ')
      .match(/inconclusive/g)?.length,
    1,
  );
  assert.deepEqual([row.Response, row.Threshold, row['KD excluded']], ['0.030 nm', '0.027 nm', undefined]);
});

test('report: a curve without a transition → counted and listed as such, and not ranked; with one → ranked', () => {
  const flat = createResult({
    outcome: 'measured',
    rows: [{ tm: null, no_transition_reason: 'amplitude_below_noise', replicates: [] }],
  });
  const tm = { ...kd, value: 62, unit: '°C', ci95_low: 61, ci95_high: 63 };
  const melting = createResult({ outcome: 'measured', place: 1, quantities: { tm }, rows: [{ tm: 62 }] });
  assert.deepEqual(
    [flat, melting].map((result) => hasValue(result, 'thermostability')),
    [false, true],
  );
  const blocks = buildWithoutValue('thermostability', [flat, melting], [flat]);
  assert.match(JSON.stringify(blocks), /1 with no transition\./);
  const [row = {}] = readRows(blocks);
  assert.deepEqual([row.Outcome, row.Remarks], ['no transition', 'amplitude below noise']);
  const ranked = readRows(buildRanking('thermostability', [flat, melting], [melting]));
  assert.deepEqual(
    ranked.map((each) => each['Tm (95% CI)']),
    ['62.0 °C (61.0–63.0)'],
  );
});

test('NO_TRANSITION: the outcome says it → the flag does not stand beside it again; another flag → does', () => {
  const rows = [{ tm: null, no_transition_reason: 'no_inflection', replicates: [] }];
  const qc = { pass: true, flags: ['NO_TRANSITION', 'BLANK_MELTS'] };
  const [row = {}] = read('thermostability', [createResult({ outcome: 'measured', rows, qc })]);
  assert.deepEqual([row.Outcome, row.Remarks], ['no transition', 'no inflection; blank melts']);
});

test('SEVERAL_TRANSITIONS: a Tm that is the first of two → the ranking says so; a single one → it does not', () => {
  const tm = { ...kd, value: 62, unit: '°C', ci95_low: 61, ci95_high: 63 };
  const melt = (all: readonly number[]) =>
    createResult({ outcome: 'measured', quantities: { tm }, rows: [{ tm: 62, tm_all: all }] });
  const results = [melt([62, 71]), melt([62])];
  assert.deepEqual(
    readRows(buildRanking('thermostability', results, results)).map(({ Remarks: remarks }) => remarks),
    ['first of 2 transitions', ''],
  );
  const record = { quantities: { tm }, summary: { tm_all: [62, 71] } };
  assert.match(
    thermostabilityWords.writeLine(createRecord('thermostability', record)),
    /first of 2 transitions \(the other: 71\.0 °C\)/,
  );
  assert.doesNotMatch(
    thermostabilityWords.writeLine(createRecord('thermostability', { ...record, summary: { tm_all: [62] } })),
    /first of/,
  );
});

test('report: every sequence has a value → no table of the others; none has → no ranking', () => {
  const binder = createResult({ outcome: 'measured', quantities: { kd } });
  assert.equal(hasValue(binder, 'affinity'), true);
  assert.deepEqual(buildWithoutValue('affinity', [binder], []), []);
  assert.deepEqual(buildRanking('affinity', [createResult({})], []), []);
});

test('ranking: a measured sequence without a KD → listed without a value, because there is nothing to rank it by', () => {
  const open = createResult({ outcome: 'measured', quantities: { kd: { ...kd, value: null } } });
  assert.equal(hasValue(open, 'affinity'), false);
});
