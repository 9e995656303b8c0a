/** What stands below the figures of a whole experiment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResultInfo } from '../contract.ts';
import { renderFigures } from './figures.ts';

function render(quantities: object): string {
  const read: unknown = { experiment_type: 'screening', quantities, rows: [] };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the figures read
  const item = read as ResultInfo;
  return renderFigures('/e', 'E-1', [item]).text;
}

test('ranking: no value has an interval → none is announced; one has → announced', () => {
  assert.doesNotMatch(render({}), /95 % intervals/);
  assert.match(
    render({ kd: { value: 2e-8, ci95_low: 1e-8, ci95_high: 4e-8 } }),
    /Values with 95 % intervals/,
  );
});
