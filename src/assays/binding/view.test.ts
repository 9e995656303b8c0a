import assert from 'node:assert/strict';
import { test } from 'node:test';
import { affinityWords } from '../affinity/shown.ts';
import { formatQuantityCell } from '#features/results/report/cells.ts';
import { formatRate } from '#documents/rates.ts';
import { formatReplicateKd } from './replicate-kd.ts';
import type { Quantity } from '#features/results/contract.ts';
import fc from '#testing/properties.ts';
import type { Item } from '../cells.ts';
import { formatBareRate, toQuantityReading } from '#features/results/pages/readings.ts';
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

test('quantities on a page: a temperature, a rate, a value below zero → a tenth of a degree, a power of ten, a minus', () => {
  const read = (value: number, unit: string, half: number) =>
    toQuantityReading({
      value,
      unit,
      relation: '=',
      ci95_low: value - half,
      ci95_high: value + half,
      log10_sd: null,
      n: 2,
    });
  assert.deepEqual(read(55.0066, '°C', 1.22), { value: '55.0 °C', interval: '53.8–56.2' });
  assert.deepEqual(read(-2.63, '°C', 0.31), { value: '−2.6 °C', interval: '−2.9 to −2.3' });
  assert.deepEqual(read(3.1e5, '1/(M·s)', 2e4), {
    value: '3.1×10⁵ 1/(M·s)',
    interval: '2.9–3.3×10⁵',
  });
});

test('replicates of binding: an expression of some replicate → a column for it; of none → no empty column before the flags', () => {
  const render = (expression: string | null): string => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the table reads
    const item = {
      experiment_type: 'affinity',
      quantities: {},
      outcome: 'measured',
      rows: [
        {
          result_type: 'affinity',
          replicates: [{ replicate: 1, outcome: 'measured', kd: 1e-8, expression }],
        },
      ],
    } as unknown as Item;
    return bindingView.renderReplicates(item)?.text ?? '';
  };
  const countCells = (table: string) => [
    table.match(/<th scope="col"/g)?.length,
    table.match(/<td/g)?.length,
  ];
  const [heads, cells] = countCells(render(null));
  assert.doesNotMatch(render(null), /Expression/);
  assert.match(render('high'), /Expression.*High/s);
  assert.deepEqual(countCells(render('high')), [(heads ?? 0) + 1, (cells ?? 0) + 1]);
});

test('replicates of binding: a titration without a KD → no columns of a z score; a screening → both', () => {
  const render = (row: object): string => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the table reads
    const item = {
      experiment_type: 'affinity',
      quantities: {},
      outcome: 'non_binder',
      rows: [
        {
          result_type: 'affinity',
          response_unit: 'nm',
          replicates: [{ replicate: 1, outcome: 'non_binder', kd: null, response: 0.01, ...row }],
        },
      ],
    } as unknown as Item;
    return bindingView.renderReplicates(item)?.text ?? '';
  };
  assert.doesNotMatch(render({}), /z score|Threshold/);
  assert.match(render({ z_score: 1.2, threshold: 0.02 }), /z score.*Threshold.*1\.20?.*0\.0200?/s);
});

test('rates: any value and relation → page and report write it as the figure does', () => {
  const rates = fc.record({
    exponent: fc.double({ min: -7, max: 8, noNaN: true }),
    relation: fc.constantFrom('=', '<', '>', '~'),
    unit: fc.constantFrom('1/s', '1/(M·s)'),
  });
  fc.assert(
    fc.property(rates, ({ exponent, relation, unit }) => {
      const bare = { value: 10 ** exponent, relation, unit, ci95_low: null, ci95_high: null };
      const quantity: Quantity = { ...bare, log10_sd: null, n: 3 };
      const said = formatRate(bare.value, relation);
      assert.equal(formatBareRate(quantity), said);
      assert.equal(formatQuantityCell(quantity, true), said);
      assert.equal(toQuantityReading(quantity)?.value, `${said} ${unit}`);
    }),
    { numRuns: 200, seed: 7 },
  );
});

test('replicates of binding: a titration without a KD, Rmax 2.8 → the unit of the signal, the outcome of the page, three digits', () => {
  const render = (row: object): string => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the table reads
    const item = {
      experiment_type: 'affinity',
      quantities: {},
      outcome: 'non_binder',
      rows: [{ result_type: 'affinity', replicates: [{ replicate: 1, response: 0.0125, ...row }] }],
      analysis: { plates: [{ plate: 'P1', signal_unit: 'nm' }] },
    } as unknown as Item;
    return bindingView.renderReplicates(item)?.text ?? '';
  };
  assert.match(render({ outcome: 'non_binder', kd: null }), /Response \(nm\).*Non-binder.*0\.0125/s);
  const kinetic = render({ outcome: 'measured', kd: 1e-8, kon: 6_290, koff: 0.0133, rmax: 2.8 });
  assert.match(kinetic, />6\.3×10³<.*>1\.3×10⁻²<.*>2\.80</s);
});
