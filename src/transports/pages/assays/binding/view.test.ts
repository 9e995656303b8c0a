import assert from 'node:assert/strict';
import { test } from 'node:test';
import { affinityWords } from '#presentation/assays/affinity/words.ts';
import { formatReplicateKd } from '#presentation/words/replicate-kd.ts';
import fc from '#testing/properties.ts';
import type { Item } from '../cells.ts';
import { bindingView } from './view.ts';

test('KD of a replicate: any value and interval → the page writes it as the figure does', () => {
  const numbers = fc.record({
    exponent: fc.double({ min: -11, max: -5, noNaN: true }),
    spread: fc.double({ min: 1.001, max: 30, noNaN: true }),
    hasInterval: fc.boolean(),
  });
  fc.assert(
    fc.property(numbers, ({ exponent, spread, hasInterval }) => {
      const kd = 10 ** exponent;
      const interval = hasInterval ? { value: kd, ci_low: kd / spread, ci_high: kd * spread } : null;
      const row = { replicate: 1, outcome: 'measured', kd, kd_relation: '=', kd_app: interval };
      const said = formatReplicateKd(row)?.signed ?? 'none';
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the table reads
      const item = {
        experiment_type: 'affinity',
        quantities: {},
        outcome: 'measured',
        rows: [{ result_type: 'affinity', replicates: [row] }],
      } as unknown as Item;
      assert.ok(bindingView.renderReplicates(item)?.text.includes(`<td class="nowrap">${said}</td>`), said);
      assert.ok(affinityWords.writeReplicate(row, 'nm').startsWith(`KD ${said}`), said);
    }),
    { numRuns: 100, seed: 31 },
  );
});
