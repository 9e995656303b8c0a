import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BASELINE_VALUES, buildCharts, isOutOfControl, type ChartedValue } from './rules.ts';

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
