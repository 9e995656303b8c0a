import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareSeries } from './dose-series.ts';

const ORDERED = [1e-6, 3.162e-7, 1e-7, 3.16e-8, 0];

const scale = (factor: number): number[] => ORDERED.map((dose) => dose * factor);

test('CONCENTRATIONS_DIFFER: doses as ordered, within a fifth, without the blank → no difference', () => {
  assert.equal(compareSeries([3.16e-8, 1e-7, 3.162e-7, 1e-6], ORDERED), null);
  assert.equal(compareSeries([3.4e-8, 0.9e-7, 3.1e-7, 1.15e-6], ORDERED), null);
});

test('CONCENTRATIONS_DIFFER: nothing ordered, or nothing measured → no difference', () => {
  assert.equal(compareSeries([1e-7], []), null);
  assert.equal(compareSeries([], ORDERED), null);
  assert.equal(compareSeries([1e-7], [0]), null);
});

for (const factor of [1e3, 1e6, 1e-3, 1.1e3, 0.9e-6]) {
  test(`CONCENTRATIONS_DIFFER: all doses times ${factor} → an error of the unit`, () => {
    const found = compareSeries(scale(factor), ORDERED);
    assert.equal(found?.isUnit, true);
    assert.ok(Math.abs((found.factor ?? 0) / factor - 1) < 1e-9);
  });
}

for (const factor of [2, 0.5, 10, 100, 1e4, 700]) {
  test(`CONCENTRATIONS_DIFFER: all doses times ${factor} → a factor, and no error of the unit`, () => {
    // Uneven steps, so that a factor of one step does not look like a shifted series.
    const uneven = [1e-6, 4e-7, 6e-8, 2e-8];
    const found = compareSeries(
      uneven.map((dose) => dose * factor),
      uneven,
    );
    assert.equal(found?.isUnit, false);
    assert.ok(Math.abs((found.factor ?? 0) / factor - 1) < 1e-9);
  });
}

test('CONCENTRATIONS_DIFFER: doses missing → listed, without a factor', () => {
  const found = compareSeries([1e-6, 1e-7], ORDERED);
  assert.deepEqual([found?.factor, found?.extra, found?.missing], [null, [], [3.162e-7, 3.16e-8]]);
});

test('CONCENTRATIONS_DIFFER: one dose a thousandfold too high → listed, and no error of the unit of all', () => {
  const found = compareSeries([1e-3, 3.162e-7, 1e-7, 3.16e-8], ORDERED);
  assert.deepEqual(
    [found?.factor, found?.isUnit, found?.extra, found?.missing],
    [null, false, [1e-3], [1e-6]],
  );
});

test('CONCENTRATIONS_DIFFER: a series shifted by one of its steps → the doses too many and missing', () => {
  const found = compareSeries([3.162e-6, 1e-6, 3.162e-7, 1e-7], ORDERED);
  assert.deepEqual([found?.factor, found?.extra, found?.missing], [null, [3.162e-6], [3.16e-8]]);
});

test('CONCENTRATIONS_DIFFER: doses without any relation to the order → listed', () => {
  const found = compareSeries([5e-6, 2e-8], ORDERED);
  assert.deepEqual([found?.factor, found?.extra], [null, [5e-6, 2e-8]]);
});

test('CONCENTRATIONS_DIFFER: a thousandfold with doses missing from equal steps → no factor, because several fit', () => {
  const equal = [1e-6, 1e-7, 1e-8, 1e-9];
  assert.equal(compareSeries([1e-4, 1e-5], equal)?.factor, null);
});
