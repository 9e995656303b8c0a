import assert from 'node:assert/strict';
import { test } from 'node:test';
import { result as example } from '#features/results/examples.ts';
import { createResultsTable } from '#cli/results-view.ts';
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
