import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BASELINE_VALUES,
  buildCharts,
  isOutOfControl,
  type ChartedValue,
  findRunBreaks,
  findSeriesBreaks,
  type WestgardRule,
} from './rules.ts';

let runs = 0;
const createValue = (value: number, more: Partial<ChartedValue> = {}): ChartedValue => ({
  run_id: `run-${++runs}`,
  experiment_code: 'DEMO-001-001',
  control: 'lysozyme',
  role: 'positive_control',
  quantity: 'kd',
  value,
  unit: 'log10 M',
  experiment_type: 'affinity',
  target_name: 'antigen',
  lot: 'L1',
  instrument: 'Octet R8',
  plate: 'P1',
  n_replicates: 2,
  measured_at: '2026-01-22T15:00:00.000Z',
  ...more,
});
const createAlternating = (count: number) =>
  Array.from({ length: count }, (_, index) => createValue(index % 2 === 0 ? -8.9 : -9.1));

test('limits: twenty values −8.9 and −9.1 in turn → mean −9, SD 0.1·√(20/19), as by hand', () => {
  const [chart] = buildCharts(createAlternating(BASELINE_VALUES));
  assert.ok(chart !== undefined && chart.sd !== null);
  assert.ok(Math.abs(chart.mean + 9) < 1e-12);
  assert.ok(Math.abs(chart.sd - 0.1 * Math.sqrt(20 / 19)) < 1e-12);
  assert.equal(chart.isProvisional, false);
  assert.ok(Math.abs((chart.points[0]?.z ?? 0) - Math.sqrt(19 / 20)) < 1e-9);
});

test('limits: nineteen values → provisional; later values → the limits of the first twenty stay', () => {
  assert.equal(buildCharts(createAlternating(BASELINE_VALUES - 1))[0]?.isProvisional, true);
  const drifted = [...createAlternating(BASELINE_VALUES), createValue(-8.5), createValue(-8.4)];
  const [chart] = buildCharts(drifted);
  assert.ok(Math.abs((chart?.mean ?? 0) + 9) < 1e-12);
  assert.equal(chart?.nBaseline, BASELINE_VALUES);
  assert.deepEqual(chart?.points.at(-1)?.rules, ['1_2s', '1_3s', '2_2s']);
  assert.deepEqual(chart?.points.map(isOutOfControl).slice(-3), [false, true, true]);
});

test('limits: one value, or values without scatter → no z and no rule', () => {
  const [single] = buildCharts([createValue(-9)]);
  assert.deepEqual([single?.sd, single?.points[0]?.z], [null, null]);
  const [flat] = buildCharts(Array.from({ length: 25 }, () => createValue(-9)));
  assert.deepEqual(
    flat?.points.flatMap(({ rules }) => rules),
    [],
  );
  assert.equal(flat?.points[0]?.z, null);
});

test('series: another lot, instrument, target, control or quantity → a new chart; another plate or run → the same', () => {
  const others: Partial<ChartedValue>[] = [
    { lot: 'L2' },
    { lot: null },
    { instrument: 'Octet RH16' },
    { target_name: 'other' },
    { control: 'nanobody' },
    { quantity: 'signal' },
  ];
  assert.equal(buildCharts([createValue(-9), ...others.map((each) => createValue(-9, each))]).length, 7);
  assert.equal(buildCharts([createValue(-9), createValue(-9, { plate: 'P2' })]).length, 1);
});

test('series: charts of several controls → the one with the newest value comes first', () => {
  const charts = buildCharts([createValue(-9), createValue(-8, { control: 'b' }), createValue(-9)]);
  assert.deepEqual(
    charts.map(({ latest }) => latest.control),
    ['lysozyme', 'b'],
  );
});

test('R_4s: two controls of one run far off on both sides → both; of two runs → none', () => {
  const spread = (control: string) =>
    createAlternating(BASELINE_VALUES).map((each) => ({ ...each, control }));
  const high = createValue(-8.7, { control: 'a', run_id: 'shared' });
  const low = createValue(-9.3, { control: 'b', run_id: 'shared' });
  const findLast = (values: readonly ChartedValue[]) =>
    buildCharts(values).map(({ points }) => points.at(-1)?.rules);
  for (const rules of findLast([...spread('a'), ...spread('b'), high, low]))
    assert.ok(rules?.includes('R_4s'));
  for (const rules of findLast([...spread('a'), ...spread('b'), high, { ...low, run_id: 'other' }]))
    assert.ok(!rules?.includes('R_4s'));
});

/** The rules that the last value breaks. */
const findLastBreaks = (...z: number[]) => findSeriesBreaks(z).at(-1);
const repeat = (value: number, count: number) => Array.from({ length: count }, () => value);

const CASES: readonly {
  readonly rule: WestgardRule;
  readonly fires: readonly (readonly number[])[];
  readonly doesNot: readonly (readonly number[])[];
}[] = [
  { rule: '1_2s', fires: [[2.1], [-2.1]], doesNot: [[2], [-2], [1.99]] },
  { rule: '1_3s', fires: [[3.1], [-3.1]], doesNot: [[3], [2.9], [3.1, 0]] },
  {
    rule: '2_2s',
    fires: [
      [2.1, 2.5],
      [-2.1, -2.2],
      [0, 2.1, 2.1],
    ],
    doesNot: [
      [2.1, -2.1],
      [2.1, 2],
      [2.1, 0, 2.1],
    ],
  },
  {
    rule: '4_1s',
    fires: [repeat(1.1, 4), repeat(-1.1, 4), [0, 1.1, 1.2, 1.3, 1.4]],
    doesNot: [repeat(1.1, 3), repeat(1, 4), [1.1, 1.1, -1.1, 1.1]],
  },
  {
    rule: '8_x',
    fires: [repeat(0.1, 8), repeat(-0.1, 9)],
    doesNot: [repeat(0.1, 7), repeat(0.1, 10), repeat(0, 8)],
  },
  {
    rule: '10_x',
    fires: [repeat(0.1, 10), repeat(-0.1, 11)],
    doesNot: [repeat(0.1, 9), repeat(0.1, 12), [...repeat(0.1, 5), -0.1, ...repeat(0.1, 5)]],
  },
  {
    rule: '12_x',
    fires: [repeat(0.1, 12), repeat(-0.1, 30)],
    doesNot: [repeat(0.1, 11), [...repeat(0.1, 11), 0]],
  },
];

for (const { rule, fires, doesNot } of CASES)
  test(`${rule}: values of one control at and beyond its condition → it fires only beyond`, () => {
    for (const z of fires) assert.ok(findLastBreaks(...z)?.includes(rule), `fires: ${z.join(' ')}`);
    for (const z of doesNot) assert.ok(!findLastBreaks(...z)?.includes(rule), `does not: ${z.join(' ')}`);
  });

test('R_4s: in one run one control above +2s, another below −2s → both; on one side, or on the limit → none', () => {
  assert.deepEqual(findRunBreaks([2.1, -2.1]), [['R_4s'], ['R_4s']]);
  assert.deepEqual(findRunBreaks([2.1, -2]), [[], []]);
  assert.ok(!findRunBreaks([2.1, 2.4]).flat().includes('R_4s'));
});

test('2_2s: two controls of a run beyond the same limit → both; beyond different ones, or alone → none', () => {
  assert.deepEqual(findRunBreaks([2.1, 2.2]), [['2_2s'], ['2_2s']]);
  assert.ok(!findRunBreaks([2.1, -2.2]).flat().includes('2_2s'));
  assert.deepEqual(findRunBreaks([2.1]), [[]]);
});

test('2of3_2s: two of three controls of a run beyond the same limit → in place of 2_2s; one of three → none', () => {
  assert.deepEqual(findRunBreaks([2.1, 0, 2.2]), [['2of3_2s'], [], ['2of3_2s']]);
  assert.deepEqual(findRunBreaks([2.1, 0, 0]), [[], [], []]);
});

test('series: no values, and values within one SD on both sides → nothing', () => {
  assert.deepEqual(findSeriesBreaks([]), []);
  assert.deepEqual(findSeriesBreaks([0.5, -0.5, 0.9, -0.9]), [[], [], [], []]);
});
