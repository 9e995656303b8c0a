import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Truth } from '../families/family.ts';
import { markVerdict, readResult, type Mark, type Reading } from './verdict.ts';

const binder: Truth = { kind: 'binder', kdM: 1e-8, isFirm: true, isDetectable: true };
const nonBinder: Truth = { kind: 'non_binder' };
const measured: Reading = {
  outcome: 'measured',
  call: 'binder',
  kdM: 1.05e-8,
  relation: '=',
  lowM: 9e-9,
  highM: 1.2e-8,
  detectableM: null,
  flags: [],
};
const unseen: Reading = {
  ...measured,
  outcome: 'non_binder',
  call: 'non_binder',
  kdM: null,
  relation: null,
  lowM: null,
  highM: null,
};
const mark = (truth: Truth, reading: Partial<Reading>): Mark[] =>
  markVerdict({ truth, reading: { ...measured, ...reading } });

test('attack judge: a firm KD whose interval holds the truth → right, within twofold', () => {
  assert.deepEqual(mark(binder, {}), ['exact', 'exact_right', 'twofold']);
});

test('attack judge: a firm interval beside the truth, 20 % off → a miss, not a silent one', () => {
  assert.deepEqual(mark(binder, { kdM: 1.2e-8, lowM: 1.1e-8, highM: 1.3e-8 }), [
    'exact',
    'exact_missed',
    'twofold',
  ]);
});

test('attack judge: an estimate 31 % off → silent without a flag, told with one', () => {
  const estimate = { kdM: 1.31e-8, relation: '~', lowM: null, highM: null };
  assert.deepEqual(mark(binder, estimate), ['silent', 'twofold']);
  assert.deepEqual(mark(binder, { ...estimate, flags: ['POOR_FIT'] }), ['flagged', 'twofold']);
});

test('attack judge: a silent miss whose interval lies beside the truth → both are counted', () => {
  const marks = mark(binder, { kdM: 3e-8, lowM: 2e-8, highM: 4e-8 });
  assert.deepEqual(marks, ['exact', 'exact_missed', 'silent', 'silent_outside']);
});

test('attack judge: limits → wrong only on the wrong side', () => {
  assert.deepEqual(mark(binder, { kdM: 2e-8, relation: '<' }), ['limit']);
  assert.deepEqual(mark(binder, { kdM: 5e-9, relation: '<' }), ['limit', 'limit_wrong']);
  assert.deepEqual(mark(binder, { kdM: 5e-9, relation: '>' }), ['limit']);
  assert.deepEqual(mark(binder, { kdM: 2e-8, relation: '>' }), ['limit', 'limit_wrong']);
});

test('attack judge: a binder called a non-binder → firm only without flag, doubt or a weaker claim', () => {
  assert.deepEqual(mark(binder, unseen), ['firm_non_binder']);
  assert.deepEqual(mark(binder, { ...unseen, flags: ['NSB'] }), ['flagged']);
  assert.deepEqual(mark(binder, { ...unseen, call: 'inconclusive' }), []);
  assert.deepEqual(mark(binder, { ...unseen, outcome: 'inconclusive' }), []);
  assert.deepEqual(mark(binder, { ...unseen, detectableM: 1e-9 }), []);
  assert.deepEqual(mark({ ...binder, isDetectable: false }, unseen), []);
  assert.deepEqual(mark({ ...binder, isDetectable: false }, { ...unseen, detectableM: 1e-7 }), [
    'firm_non_binder',
  ]);
});

test('attack judge: a non-binder → false only where it is called a binder', () => {
  assert.deepEqual(mark(nonBinder, {}), ['false_binder']);
  assert.deepEqual(mark(nonBinder, { ...unseen, call: 'inconclusive', flags: ['DRIFT'] }), ['flagged']);
});

test('attack judge: a run that is refused with a sentence → refused', () => {
  assert.deepEqual(markVerdict({ truth: binder, reading: null }), ['refused']);
});

const makeResult = (rowKd: number) => ({
  outcome: 'measured' as const,
  summary: [{ result_type: 'affinity' as const, kd_mean: rowKd, kd_relation: '=', call: 'binder' as const }],
  record: { qc: { flags: ['DRIFT'] }, quantities: { kd: { value: 1e-8, relation: '=', ci95_low: 9e-9 } } },
});

test('attack judge: row and record agree → both are read; they differ → an error', () => {
  // A client reads these members alone, so the row has no others here.
  const read = (rowKd: number) => readResult(makeResult(rowKd));
  assert.deepEqual(read(1e-8), {
    outcome: 'measured',
    call: 'binder',
    kdM: 1e-8,
    relation: '=',
    lowM: 9e-9,
    highM: null,
    detectableM: null,
    flags: ['DRIFT'],
  });
  assert.throws(() => read(2e-8), /different KD/);
});
