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
        assessment: { grade: 'solid', reasons: [] },
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

test('flags: several of a result → the worst, and how many more, which a title names', () => {
  const text = render(['SPIKE', 'DRIFT', 'NSB']);
  assert.match(
    text,
    /#SPIKE"[^>]*>Spike<\/a> <span class="muted" title="drift, non-specific binding">\+2<\/span>/,
  );
  assert.ok(!text.includes('#DRIFT'));
  assert.match(text, /<tr><td><span class="chip good" title="">Solid<\/span><\/td>/);
});

test('CONTROL_FAILED: results of such a plate → a sentence above the ranking says how many; none → no sentence', () => {
  const one = '1 of the 2 results here comes from a plate on which a control failed.';
  assert.ok(render(['CONTROL_FAILED'], []).includes(one));
  const all = 'All results here come from a plate on which a control failed.';
  assert.ok(render(['CONTROL_FAILED'], ['CONTROL_FAILED']).includes(all));
  assert.ok(!render([], ['SPIKE']).includes('a control failed.'));
});
