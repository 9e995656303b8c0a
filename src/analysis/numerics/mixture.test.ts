/** Quantiles of mixtures against the normal distribution and its symmetry. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { computeMixtureQuantile } from './mixture.ts';
import { NORMAL_95 } from './quantiles.ts';

const createEven = (sd: number) => ({ low: sd, high: sd });

describe('quantiles of a mixture', () => {
  test('mixture: one normal component → its own quantiles', () => {
    const components = [{ weight: 3, middle: 2, sd: createEven(0.5) }];
    assert.ok(Math.abs(computeMixtureQuantile(components, 0.975) - (2 + 0.5 * NORMAL_95)) < 1e-4);
    assert.ok(Math.abs(computeMixtureQuantile(components, 0.025) - (2 - 0.5 * NORMAL_95)) < 1e-4);
  });

  test('mixture: two sides of different width → each end by its own side', () => {
    const components = [{ weight: 1, middle: 0, sd: { low: 1, high: 3 } }];
    assert.ok(Math.abs(computeMixtureQuantile(components, 0.025) + NORMAL_95) < 1e-4);
    assert.ok(Math.abs(computeMixtureQuantile(components, 0.975) - 3 * NORMAL_95) < 1e-4);
  });

  test('mixture: two narrow components far apart → the quantile lies in the one that its share reaches', () => {
    const components = [
      { weight: 0.9, middle: 0, sd: createEven(0.01) },
      { weight: 0.1, middle: 5, sd: createEven(0.01) },
    ];
    assert.ok(Math.abs(computeMixtureQuantile(components, 0.45)) < 1e-3);
    assert.ok(Math.abs(computeMixtureQuantile(components, 0.95) - 5) < 1e-3);
  });

  test('mixture: no component → not a number', () => {
    assert.ok(Number.isNaN(computeMixtureQuantile([], 0.5)));
  });
});
