import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findRunRules, findSequenceRules, westgardRules } from './westgard.ts';
import type { WestgardRule } from './westgard.ts';

const repeat = (value: number, count: number): number[] => Array.from({ length: count }, () => value);

interface Example {
  readonly rule: WestgardRule;
  readonly breaks: readonly (number | null)[];
  readonly keeps: readonly (number | null)[];
  readonly condition: string;
}

const EXAMPLES: readonly Example[] = [
  { rule: '1_2s', breaks: [0, 2.01], keeps: [0, 2], condition: 'beyond 2 s' },
  { rule: '1_2s', breaks: [0, -2.01], keeps: [0, -2], condition: 'beyond −2 s' },
  { rule: '1_3s', breaks: [0, -3.01], keeps: [0, -3], condition: 'beyond 3 s' },
  { rule: '2_2s', breaks: [2.1, 2.2], keeps: [2.1, 0, 2.2], condition: 'two consecutive beyond 2 s' },
  { rule: '2_2s', breaks: [-2.1, -2.2], keeps: [2.1, -2.2], condition: 'two on the same side' },
  { rule: '4_1s', breaks: repeat(1.1, 4), keeps: repeat(1.1, 3), condition: 'four consecutive beyond 1 s' },
  { rule: '4_1s', breaks: repeat(-1.1, 4), keeps: [1.1, 1.1, -1.1, 1.1], condition: 'four on the same side' },
  { rule: '8_x', breaks: repeat(0.1, 8), keeps: repeat(0.1, 7), condition: 'eight on one side' },
  { rule: '8_x', breaks: repeat(-0.1, 8), keeps: [...repeat(0.1, 7), 0], condition: 'the mean is no side' },
  { rule: '10_x', breaks: repeat(0.1, 10), keeps: repeat(0.1, 9), condition: 'ten on one side' },
  { rule: '4_1s', breaks: repeat(1.1, 4), keeps: [1.1, 1.1, null, 1.1, 1.1], condition: 'a gap interrupts' },
];

describe('rules of consecutive values', () => {
  for (const { rule, breaks, keeps, condition } of EXAMPLES)
    test(`${rule}: ${condition} → broken by the last value, and kept by the counterexample`, () => {
      const broken = findSequenceRules(breaks);
      assert.ok(broken.at(-1)?.includes(rule));
      assert.ok(broken.slice(0, -1).every((rules) => !rules.includes(rule)));
      assert.ok(findSequenceRules(keeps).every((rules) => !rules.includes(rule)));
    });
});

describe('rules of one run', () => {
  test('R_4s: one value above 2 s and one below → broken; both above, or one within → kept', () => {
    assert.deepEqual(findRunRules([2.1, -2.1]), ['R_4s']);
    assert.ok(!findRunRules([2.1, 4.2]).includes('R_4s'));
    assert.deepEqual(findRunRules([2.1, -2]), []);
  });

  test('2_2s: two controls of a run beyond the same limit → broken; one alone → kept', () => {
    assert.deepEqual(findRunRules([-2.1, 0, -2.5]), ['2_2s']);
    assert.deepEqual(findRunRules([2.1, 0.5]), []);
  });
});

test('rules: each of them → has an example that breaks it', () => {
  const shown = new Set([...EXAMPLES.map(({ rule }) => rule), ...findRunRules([2.1, -2.1])]);
  assert.deepEqual(
    westgardRules.filter((rule) => !shown.has(rule)),
    [],
  );
});
