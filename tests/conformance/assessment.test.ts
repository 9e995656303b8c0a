import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ASSESSMENT_RULES, computeAssessment, type Assessed } from '#features/results/assessment.ts';
import type { Quantity } from '#features/results/contract.ts';
import { addAssessments } from '#features/results/store.ts';

const ROOT = join(import.meta.dirname, '../..');

const createKd = (change: Partial<Quantity> = {}): Quantity => ({
  value: 9e-9,
  unit: 'M',
  relation: '=',
  ci95_low: 7e-9,
  ci95_high: 1.2e-8,
  log10_sd: 0.05,
  n: 3,
  ...change,
});

const createAssessed = (change: Partial<Assessed> = {}): Assessed => ({
  outcome: 'measured',
  experiment_type: 'affinity',
  n_replicates_ordered: 3,
  n_replicates: 3,
  n_replicates_passed: 3,
  qc: { flags: [], details: [] },
  quantities: { kd: createKd() },
  row: {},
  ...change,
});

const createQc = (severity: string, ...codes: string[]) => ({
  flags: codes,
  details: codes.map((code) => ({ code, severity, message: '' })),
});

const grade = (change: Partial<Assessed>) => computeAssessment(createAssessed(change)).grade;

test('guide: the table of grades → equals the rules, in their order', () => {
  const guide = readFileSync(join(ROOT, 'docs/guide/results.md'), 'utf8');
  const [, section = ''] = guide.split(/^## Grade$/m);
  const rows = (section.split(/^## /m)[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const expected = Object.values(ASSESSMENT_RULES).map((rule) => ['', `\`${rule.grade}\``, rule.reason, '']);
  assert.deepEqual(rows, expected);
});

test('assessment: a narrow interval, all replicates and no warning → solid, without a reason', () => {
  assert.deepEqual(computeAssessment(createAssessed()), { grade: 'solid', reasons: [] });
  assert.equal(grade({ qc: createQc('info', 'MODEL_EXTENDED') }), 'solid');
});

test('assessment: the lab left single curves out → with reservations; a whole replicate → by the count alone', () => {
  const curve = { replicate: 2, plate: 'P1', well: null, concentration_m: 1e-6, reason: 'A misfit.' };
  const found = computeAssessment(createAssessed({ excluded_replicates: [curve] }));
  assert.deepEqual(found, {
    grade: 'with_reservations',
    reasons: ['The lab left single curves out of it.'],
  });
  assert.equal(grade({ excluded_replicates: [{ ...curve, concentration_m: null }] }), 'solid');
});

test('assessment: one of three replicates, a wide interval and six warnings → indicative, with each reason', () => {
  const codes = ['NO_REFERENCE', 'NSB', 'OTHER_MECHANISM', 'WINDOW_DEPENDENT', 'SLOPE_NOT_DRIFT', 'DRIFT'];
  const found = computeAssessment(
    createAssessed({
      n_replicates: 1,
      n_replicates_passed: 1,
      qc: createQc('warning', ...codes),
      quantities: { kd: createKd({ value: 2.7e-8, ci95_low: 1.4e-8, ci95_high: 1.65e-7 }) },
    }),
  );
  assert.deepEqual(found, {
    grade: 'indicative',
    reasons: [
      'The interval is open, or its ends are more than a factor of 10 apart.',
      'Fewer than half of the ordered replicates support it: 1 of 3.',
      `Four warnings or more stand against it: ${codes.join(', ')}.`,
      'The interval reaches into another strength class.',
      'A single replicate supports it.',
    ],
  });
});

test('assessment: a wide interval of a temperature → the reason names its width in °C', () => {
  const tm = { ...createKd({ value: 60, ci95_low: 58, ci95_high: 61 }), unit: '°C' };
  const { reasons } = computeAssessment(
    createAssessed({ experiment_type: 'thermostability', quantities: { tm } }),
  );
  assert.deepEqual(reasons, ['The ends of the interval are more than 2 °C apart.']);
});

test('assessment: each doubt alone → its grade', () => {
  assert.equal(grade({ n_replicates: 2, n_replicates_passed: 2 }), 'with_reservations');
  assert.equal(grade({ n_replicates_passed: 1 }), 'indicative');
  assert.equal(grade({ quantities: { kd: createKd({ relation: '~' }) } }), 'indicative');
  assert.equal(
    grade({ quantities: { kd: createKd({ relation: '<', ci95_low: null, ci95_high: null }) } }),
    'with_reservations',
  );
  assert.equal(grade({ quantities: { kd: createKd({ ci95_high: 3e-8 }) } }), 'with_reservations');
  assert.equal(grade({ quantities: { kd: createKd({ ci95_high: null }) } }), 'indicative');
  assert.equal(
    grade({ quantities: { kd: createKd({ value: 4.5e-8, ci95_low: 4e-8, ci95_high: 6e-8 }) } }),
    'with_reservations',
  );
  assert.equal(grade({ qc: createQc('warning', 'NSB') }), 'with_reservations');
  assert.equal(grade({ qc: { flags: ['NSB'] } }), 'with_reservations');
  assert.equal(grade({ qc: createQc('error', 'POOR_FIT') }), 'indicative');
  assert.equal(grade({ quantities: {} }), 'indicative');
});

test('assessment: a limit whose control, model or fit is in doubt → indicative; with another warning → reservations', () => {
  const quantities = { kd: createKd({ relation: '<', ci95_low: null, ci95_high: null }) };
  for (const code of ['CONTROL_FAILED', 'MODEL_IN_DOUBT', 'POOR_FIT'])
    assert.equal(grade({ quantities, qc: createQc('warning', code) }), 'indicative', code);
  assert.equal(grade({ quantities, qc: createQc('warning', 'NSB') }), 'with_reservations');
});

test('assessment: an error of a replicate that does not count → reservations; of one that counts → indicative', () => {
  const qc = createQc('error', 'NOT_LOADED');
  const createRow = (outcome: string) => ({
    replicates: [
      { outcome: 'measured', flags: [] },
      { outcome, flags: ['NOT_LOADED'] },
    ],
  });
  assert.equal(grade({ qc, row: createRow('not_expressed'), n_replicates_passed: 2 }), 'with_reservations');
  assert.equal(grade({ qc, row: createRow('measured') }), 'indicative');
});

test('assessment: a non-binder, no expression or a flat melting curve, with all replicates → solid', () => {
  assert.equal(grade({ outcome: 'non_binder', quantities: {} }), 'solid');
  assert.equal(grade({ outcome: 'not_expressed', quantities: {}, experiment_type: 'expression' }), 'solid');
  const flat = { no_transition_reason: 'no_inflection' };
  const qc = createQc('warning', 'NO_TRANSITION');
  assert.equal(grade({ quantities: {}, row: flat, experiment_type: 'thermostability', qc }), 'solid');
  assert.equal(grade({ outcome: 'non_binder', quantities: {}, n_replicates_passed: 1 }), 'indicative');
});

test('assessment: nothing measured, or no answer → indicative', () => {
  for (const outcome of ['failed_qc', 'not_tested', 'inconclusive', 'not_expressed'] as const)
    assert.equal(grade({ outcome, quantities: {} }), 'indicative', outcome);
});

test('assessment: a stored result without one → graded when it is read, with its rows', () => {
  const stored = { ...createAssessed(), assessment: null, rows: [{ place: 1 }], summary: [{ place: 1 }] };
  const assessment = { grade: 'solid', reasons: [] };
  const graded = {
    ...stored,
    assessment,
    rows: [{ place: 1, assessment }],
    summary: [{ place: 1, assessment }],
  };
  assert.deepEqual(JSON.parse(addAssessments(JSON.stringify(stored))), graded);
  const page = JSON.stringify({ items: [stored], count: 1 });
  assert.deepEqual(JSON.parse(addAssessments(page)), { items: [graded], count: 1 });
});
