import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeLowerLimit, computeUpperLimit, computeUpperTail, findMedian } from './statistics.ts';

test('Clopper–Pearson: every trial is an event → lower limit is 0.05^(1/n)', () => {
  for (const trials of [1, 10, 50, 2000])
    assert.ok(Math.abs(computeLowerLimit(trials, trials) - 0.05 ** (1 / trials)) < 1e-9);
});

test('Clopper–Pearson: one event → lower limit is 1 − 0.95^(1/n)', () => {
  for (const trials of [1, 10, 50, 2000])
    assert.ok(Math.abs(computeLowerLimit(1, trials) - (1 - 0.95 ** (1 / trials))) < 1e-9);
});

test('Clopper–Pearson: no event → lower limit 0, upper limit 1 − 0.05^(1/n)', () => {
  assert.equal(computeLowerLimit(0, 50), 0);
  assert.ok(Math.abs(computeUpperLimit(0, 50) - (1 - 0.05 ** (1 / 50))) < 1e-9);
});

test('Clopper–Pearson: 8 of 20, a printed example of the two-sided 90 % interval → 0.217 to 0.606', () => {
  assert.ok(Math.abs(computeLowerLimit(8, 20) - 0.2171) < 5e-4, String(computeLowerLimit(8, 20)));
  assert.ok(Math.abs(computeUpperLimit(8, 20) - 0.6064) < 5e-4, String(computeUpperLimit(8, 20)));
});

test('binomial tail: terms counted by hand → the same', () => {
  assert.ok(Math.abs(computeUpperTail(2, 3, 0.5) - 0.5) < 1e-9);
  assert.ok(Math.abs(computeUpperTail(1, 4, 0.1) - (1 - 0.9 ** 4)) < 1e-9);
});

test('median: odd, even and no numbers → middle, mean of the two, NaN', () => {
  assert.equal(findMedian([3, 1, 2]), 2);
  assert.equal(findMedian([4, 1, 2, 3]), 2.5);
  assert.ok(Number.isNaN(findMedian([])));
});
