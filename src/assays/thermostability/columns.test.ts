import assert from 'node:assert/strict';
import { test } from 'node:test';
import { result as example } from '#features/results/examples.ts';
import { createResultsTable, writeResultsCsv } from '../results-view.ts';
import type { Result } from '../columns.ts';

function createMelt(row: object): Result {
  return {
    ...example,
    experiment_type: 'thermostability',
    quantities: {},
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the table reads
    rows: [{ result_type: 'thermostability', ...row }] as unknown as Result['rows'],
  };
}

test('resultsTable: a melting curve without a transition → said in the outcome; one with a Tm → measured', () => {
  const [, flat, curved] = createResultsTable([
    createMelt({ tm: null, no_transition_reason: 'no_inflection' }),
    createMelt({ tm: 63.4, no_transition_reason: null }),
  ]).lines;
  assert.match(flat ?? '', /design-1 {2}no transition/);
  assert.match(curved ?? '', /design-1 {2}measured/);
});

test('resultsCsv: results of several assays → the columns of each, a shared one once', () => {
  const melt = createMelt({ tm: 63.4, no_transition_reason: null });
  const tm = { ...example.quantities.kd, value: 63.4, unit: '°C' };
  const results = [example, { ...melt, quantities: { tm } }];
  const [titles = [], ...rows] = writeResultsCsv(results)
    .split('\r\n')
    .map((line) => line.split(','));
  const read = (title: string) => rows.slice(0, 2).map((row) => row[titles.indexOf(title)]);
  assert.deepEqual(
    [read('kd_m'), read('tm_c')],
    [
      ['9.3e-9', ''],
      ['', '63.4'],
    ],
  );
  assert.equal(new Set(titles).size, titles.length);
});
