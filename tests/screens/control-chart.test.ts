import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { listControlCharts } from '#features/controls/contract.ts';
import { LONG_NAME } from '#testing/hard-binding.ts';
import { findCrowding } from '#testing/svg-boxes.ts';
import { writeSvg } from '#documents/svg.ts';
import { drawControlChart, type ShownChart } from '#features/controls/control-chart.ts';
import { SMALLEST } from '#documents/figures/panel.ts';

const { charts }: { readonly charts: readonly ShownChart[] } = JSON.parse(
  JSON.stringify(listControlCharts.example.output),
);
const [chart] = charts;
assert.ok(chart !== undefined);
const [point] = chart.points;
assert.ok(point !== undefined);

const createPoints = (count: number, values: (index: number) => number): ShownChart['points'] =>
  Array.from({ length: count }, (_, index) => ({
    ...point,
    value: values(index),
    rules: [],
    is_out_of_control: false,
  }));
const withPoints = (points: ShownChart['points'], more: Partial<ShownChart> = {}): ShownChart => ({
  ...chart,
  n_values: points.length,
  n_out_of_control: points.filter((each) => each.is_out_of_control).length,
  points,
  ...more,
});
const computeWave = (index: number) => -8.52 + 0.06 * Math.sin(index);

const drawn: Readonly<Record<string, ShownChart>> = {
  usual: withPoints([...createPoints(40, computeWave), point]),
  provisional: withPoints(createPoints(3, computeWave), { is_provisional: true, n_baseline: 3 }),
  single: withPoints(createPoints(1, computeWave), { sd: null, is_provisional: true, n_baseline: 1 }),
  long: withPoints(createPoints(450, computeWave)),
  'hard names': withPoints(
    createPoints(30, (index) => 12_345 + 400 * Math.sin(index)),
    {
      control: LONG_NAME,
      target_name: LONG_NAME,
      quantity: 'signal',
      unit: 'RFU',
      mean: 12_345,
      sd: 280,
    },
  ),
};
const figures = Object.entries(drawn).map(([name, each]) => ({
  name,
  svg: writeSvg(drawControlChart(each)),
}));
/** A directory for the figures, so that people can inspect them. */
const { PLOTS } = process.env;
if (PLOTS !== undefined) {
  mkdirSync(PLOTS, { recursive: true });
  for (const { name, svg } of figures) writeFileSync(`${PLOTS}/control ${name}.svg`, svg);
}

test('control chart: usual, provisional, single, long and hard values → no text overlaps or is too small', () => {
  for (const { name, svg } of figures) {
    assert.doesNotMatch(svg, /NaN|Infinity|undefined|null/, name);
    assert.deepEqual(findCrowding(svg, { edge: 4, smallest: SMALLEST }), [], name);
  }
});

test('control chart: a value out of control → a diamond, the flag and its rule; without one → none of them', () => {
  const find = (figureName: string) => figures.find(({ name }) => name === figureName)?.svg ?? '';
  assert.match(find('usual'), /1 out of control/);
  assert.match(find('usual'), /Diamonds break 1_3s/);
  assert.doesNotMatch(find('long'), /out of control|Diamonds/);
  assert.match(find('single'), />1 value\.|1 value\. /);
  assert.doesNotMatch(find('single'), /\b1 values/);
  assert.match(find('usual'), /\d+ values/);
  assert.match(find('provisional'), /provisional/);
  assert.doesNotMatch(find('usual'), /provisional/);
});
