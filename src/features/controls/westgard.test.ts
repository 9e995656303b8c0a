import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findRunBreaks, findSeriesBreaks, type WestgardRule } from './westgard.ts';

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
