import assert from 'node:assert/strict';
import { test } from 'node:test';
import { combineReplicates } from './replicates.ts';
import type { ReplicateValue } from './replicates.ts';

const combine = (values: readonly ReplicateValue[], unit: string, mean: 'geometric' | 'arithmetic') =>
  combineReplicates(values, { unit, mean, amongLimits: 'median' });

const assertNear = (found: number | null | undefined, expected: number): void =>
  assert.ok(
    Math.abs((found ?? Number.NaN) - expected) < 1e-6 * Math.abs(expected),
    `${found}, not ${expected}`,
  );

test('geometric mean: three replicates → mean of logarithms with a t interval', () => {
  const values = [20, 40, 80].map((value) => ({ value, relation: '=' as const, own: 0.01 }));
  const found = combine(values, 'ng/µL', 'geometric');
  assertNear(found?.value, 40);
  assertNear(found?.log10Sd, Math.log10(2));
  // t(2) = 4.302653
  assertNear(found?.ci95High, 40 * Math.exp((4.302653 * Math.log(2)) / Math.sqrt(3)));
});

test('shared error: 100 replicates with a common error → not reduced by their number', () => {
  const values = Array.from({ length: 100 }, () => ({
    value: 10,
    relation: '=' as const,
    own: 0,
    shared: 0.1,
  }));
  assertNear(combine(values, 'ng/µL', 'geometric')?.ci95High, 10 * Math.exp(0.1959964));
});

test('arithmetic mean: one replicate → the interval of its own error, or none', () => {
  assertNear(combine([{ value: 5, relation: '=', own: 1 }], '°C', 'arithmetic')?.ci95Low, 5 - 1.959964);
  assert.equal(combine([{ value: 5, relation: '=', own: null }], '°C', 'arithmetic')?.ci95Low, null);
});

test('bounds: replicates with bounds of one kind → the most cautious bound', () => {
  const bounds = (relation: '<' | '>') => [2, 3].map((value) => ({ value, relation, own: null }));
  assert.deepEqual(
    [combine(bounds('<'), '', 'geometric'), combine(bounds('>'), '', 'geometric')].map((each) => [
      each?.value,
      each?.relation,
    ]),
    [
      [3, '<'],
      [2, '>'],
    ],
  );
});

test('bounds: a bound among values → their median as an estimate, without interval', () => {
  const found = combine(
    [
      { value: 80, relation: '=', own: 0.05 },
      { value: 0.5, relation: '<', own: null },
      { value: 84, relation: '=', own: 0.05 },
    ],
    'ng/µL',
    'geometric',
  );
  assert.equal(found?.value, 80);
  assert.equal(found?.relation, '~');
  assert.equal(found?.ci95High, null);
});

test('replicates: nothing measured → null, never zero', () => {
  assert.equal(combine([], 'ng/µL', 'geometric'), null);
});
