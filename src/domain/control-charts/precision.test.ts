import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { computePrecision } from './precision.ts';

const assertNear = (found: number | undefined, expected: number): void => {
  assert.ok(Math.abs((found ?? Number.NaN) - expected) < 1e-12, `${found} is not ${expected}`);
};

describe('precision by ISO 5725', () => {
  test('precision: runs of 1, 3 and 5, 7 → s_r² 2, s_L² 7, limits of 2.8 standard deviations', () => {
    const found = computePrecision([
      [1, 3],
      [5, 7],
    ]);
    assertNear(found?.repeatabilitySd, Math.sqrt(2));
    assertNear(found?.betweenRunsSd, Math.sqrt(7));
    assertNear(found?.reproducibilitySd, 3);
    assertNear(found?.repeatabilityLimit, 2.8 * Math.sqrt(2));
    assertNear(found?.reproducibilityLimit, 8.4);
  });

  test('precision: runs of unequal size → the mean size of ISO 5725-2 weighs them', () => {
    // Means 2 and 6, within 2 of 3 degrees of freedom + 0; n0 = 5 − 13/5 = 2.4; MS between = 19.2.
    const found = computePrecision([
      [1, 2, 3],
      [6, 6],
    ]);
    assertNear(found?.repeatabilitySd, Math.sqrt(2 / 3));
    assertNear(found?.betweenRunsSd, Math.sqrt((19.2 - 2 / 3) / 2.4));
  });

  test('precision: runs that differ less than their values → nothing between runs', () => {
    const found = computePrecision([
      [0, 10],
      [1, 9],
    ]);
    assert.equal(found?.betweenRunsSd, 0);
    assertNear(found.reproducibilitySd, found.repeatabilitySd);
  });

  test('precision: one run, or one value a run → null', () => {
    assert.equal(computePrecision([[1, 2, 3]]), null);
    assert.equal(computePrecision([[1], [2], []]), null);
  });
});
