import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellLeftOut } from '../package/sentences.ts';
import { formatOutcomeCounts } from '../package/what-was-done.ts';
import { createPackaged, KD, readWithoutValue } from '#testing/report-tables.ts';
import { buildRanking } from './ranking.ts';
import { hasValue } from './cells.ts';
import { buildWithoutValue } from './without-value.ts';

test('report: a non-binder with its basis → one row with dose, signal over noise and the KD that is excluded', () => {
  const basis = { noise: 0.002, top_concentration_m: 1e-6 };
  const replicate = { outcome: 'non_binder', response: -0.003, kd_detectable_basis: basis };
  const rows = [{ kd_detectable_m: 9.3e-6, kd_detectable_basis: basis, replicates: [replicate, replicate] }];
  assert.deepEqual(
    readWithoutValue('affinity', [createPackaged({ rows, qc: { pass: true, flags: ['LOADING_LOW'] } })]),
    [
      {
        Sequence: 'design-1',
        Outcome: 'no binding detected',
        'Highest conc.': '1 µM',
        'Signal/noise': '−1.5',
        'KD excluded': 'below 9.3 µM',
        Passed: '2/2',
        Remarks: 'loading low',
      },
    ],
  );
});

test('report: no value and nothing known of it → columns without content are left out', () => {
  const found = readWithoutValue('affinity', [
    createPackaged({ outcome: 'not_tested', n_replicates: 0, n_replicates_passed: 0 }),
  ]);
  assert.deepEqual(found, [{ Sequence: 'design-1', Outcome: 'not tested', Passed: '0/2' }]);
});

test('inconclusive: a screened sequence → the word stands once, and no KD is excluded', () => {
  const rows = [
    { call: 'inconclusive', response: 0.03, threshold: 0.027, response_unit: 'nm', kd_detectable_m: 1e-6 },
  ];
  const [row = {}] = readWithoutValue('screening', [createPackaged({ outcome: 'inconclusive', rows })]);
  assert.equal(
    Object.values(row)
      .join(' ')
      .match(/inconclusive/g)?.length,
    1,
  );
  assert.deepEqual([row.Response, row.Threshold, row['KD excluded']], ['0.0300 nm', '0.0270 nm', undefined]);
});

test('report: a sequence without a value and with a grade → the grade stands first, as in the ranking', () => {
  const assessment = { grade: 'indicative' as const, reasons: ['The data cannot be used.'] };
  const [row = {}] = readWithoutValue('affinity', [createPackaged({ outcome: 'failed_qc', assessment })]);
  assert.deepEqual(Object.entries(row)[0], ['Grade', 'indicative']);
});

test('report: the interval of a KD crosses a border of the classes → the ranking names both in its remarks', () => {
  const kd = { ...KD, value: 27e-9, ci95_low: 14e-9, ci95_high: 165e-9 };
  const binder = createPackaged({ outcome: 'measured', quantities: { kd } });
  assert.match(JSON.stringify(buildRanking('affinity', [binder], [binder])), /class strong to medium/);
});

test('report: every sequence has a value → no table of the others; none has → no ranking', () => {
  const binder = createPackaged({ outcome: 'measured', quantities: { kd: KD } });
  assert.equal(hasValue(binder, 'affinity'), true);
  assert.deepEqual(buildWithoutValue('affinity', [binder], []), []);
  assert.deepEqual(buildRanking('affinity', [createPackaged({})], []), []);
});

test('ranking: a measured sequence without a KD → listed without a value, because there is nothing to rank it by', () => {
  const open = createPackaged({ outcome: 'measured', quantities: { kd: { ...KD, value: null } } });
  assert.equal(hasValue(open, 'affinity'), false);
});

test('screening: what was found is detected, not measured → counted so; an affinity → measured', () => {
  const found = createPackaged({ outcome: 'measured', rows: [{ call: 'binder', response: 0.8 }] });
  const none = createPackaged({ outcome: 'non_binder', rows: [{ call: 'non_binder', response: 0 }] });
  assert.equal(
    formatOutcomeCounts([found, none], 'screening'),
    '1 with binding detected, 1 without detected binding',
  );
  assert.equal(formatOutcomeCounts([found], 'affinity'), '1 measured');
});

test('STANDARD_LEFT_OUT: the analysis left out a standard → the methods name it once', () => {
  const message = 'The standard of 40.6 ng/µL (C2) was left out.';
  const left = createPackaged({
    qc: { pass: true, flags: [], details: [{ code: 'STANDARD_LEFT_OUT', severity: 'info', message }] },
  });
  const told = tellLeftOut();
  told.take(left);
  told.take(left);
  assert.equal(told.writeSentence(), message);
  assert.equal(tellLeftOut().writeSentence(), undefined);
});
