/** Melting curves in the tables of a report. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPackaged, KD, readRows, readWithoutValue } from '#testing/report-tables.ts';
import { createRecord } from '#testing/texts.ts';
import { buildRanking } from '#features/results/report/ranking.ts';
import { hasValue } from '#features/results/report/cells.ts';
import { buildWithoutValue } from '#features/results/report/without-value.ts';
import { thermostabilityWords } from './melt-captions.ts';

test('report: a curve without a transition → counted and listed as such, and not ranked; with one → ranked', () => {
  const flat = createPackaged({
    outcome: 'measured',
    rows: [{ tm: null, no_transition_reason: 'amplitude_below_noise', replicates: [] }],
  });
  const tm = { ...KD, value: 62, unit: '°C', ci95_low: 61, ci95_high: 63 };
  const melting = createPackaged({ outcome: 'measured', place: 1, quantities: { tm }, rows: [{ tm: 62 }] });
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
  const [row = {}] = readWithoutValue('thermostability', [createPackaged({ outcome: 'measured', rows, qc })]);
  assert.deepEqual([row.Outcome, row.Remarks], ['no transition', 'no inflection; blank melts']);
});

test('SEVERAL_TRANSITIONS: a Tm that is the first of two → the ranking names the other with its interval; a single one → it does not', () => {
  const tm = { ...KD, value: 62, unit: '°C', ci95_low: 61, ci95_high: 63 };
  const second = { ...KD, value: 71, unit: '°C', relation: '~' as const, ci95_low: 70, ci95_high: 72 };
  const melt = (all: readonly number[]) =>
    createPackaged({
      outcome: 'measured',
      quantities: all.length > 1 ? { tm, tm_2: second } : { tm },
      rows: [{ tm: 62, tm_all: all }],
    });
  const results = [melt([62, 71]), melt([62])];
  assert.deepEqual(
    readRows(buildRanking('thermostability', results, results)).map(({ Remarks: remarks }) => remarks),
    ['first of 2 transitions, then ≈ 71.0 °C (95% CI 70.0–72.0)', ''],
  );
  const told = { quantities: { tm, tm_2: second }, summary: { tm_all: [62, 71] } };
  assert.match(
    thermostabilityWords.writeLine(createRecord('thermostability', told)),
    /first of 2 transitions \(the other: ≈ 71\.0 °C \(95% CI 70\.0–72\.0\)\)/,
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

test('SATURATED: a curve without Tm whose detector was saturated → said so; not saturated → no transition', () => {
  const write = (flags: readonly string[]) =>
    thermostabilityWords.writeLine(
      createRecord('thermostability', { quantities: {}, flags, summary: { tm: null } }),
    );
  assert.equal(write(['NO_TRANSITION', 'SATURATED']), 'no Tm: the detector was saturated');
  assert.equal(write(['NO_TRANSITION']), 'no transition within the range');
});
