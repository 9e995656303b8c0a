import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderRankedResults } from './results-table.ts';

type Item = Parameters<typeof renderRankedResults>[0][number];

const render = (...flags: readonly (readonly string[])[]): string => renderWith({}, flags);

const renderWith = (members: object, flags: readonly (readonly string[])[]): string =>
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
        ...members,
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

test('interval of a KD: of one replicate, of three → the row says so of the first alone', () => {
  const renderKd = (n: number) =>
    renderWith(
      {
        experiment_type: 'affinity',
        quantities: {
          kd: { value: 6.6e-9, unit: 'M', relation: '=', ci95_low: 6.4e-9, ci95_high: 6.8e-9, n },
        },
      },
      [[]],
    );
  assert.match(
    renderKd(1),
    /6\.4–6\.8<\/span><span class="sub nowrap" title="[^"]*fit alone\.">one replicate</,
  );
  assert.doesNotMatch(renderKd(3), /one replicate/);
});
