import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderRankedResults } from './results-table.ts';

type Item = Parameters<typeof renderRankedResults>[0][number];

const render = (...flags: readonly (readonly string[])[]): string =>
  renderRankedResults(
    flags.map((list, index) => {
      const item = {
        id: `design-${index}`,
        experiment_type: 'screening',
        sequence_name: `design-${index}`,
        is_control: false,
        place: null,
        outcome: 'measured',
        qc: { pass: true, flags: list },
        quantities: {},
        rows: [],
        details: null,
      };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the table reads
      return item as unknown as Item;
    }),
  ).text;

test('CONTROL_FAILED: results of such a plate → a sentence above the ranking says how many; none → no sentence', () => {
  const one = '1 of the 2 results here comes from a plate on which a control failed.';
  assert.ok(render(['CONTROL_FAILED'], []).includes(one));
  const all = 'All results here come from a plate on which a control failed.';
  assert.ok(render(['CONTROL_FAILED'], ['CONTROL_FAILED']).includes(all));
  assert.ok(!render([], ['SPIKE']).includes('a control failed.'));
});
