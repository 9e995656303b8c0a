import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aggregateQuantity, bindingStrength } from './aggregate.ts';
import { bound, measured } from './quantity.ts';
import { t95 } from './statistics.ts';

test('aggregate: geometric mean and log10 SD of the published positive control', () => {
  const values = [3.33238529826027e-9, 9.94430540245231e-9].map((value) => measured(value, 'M', 0.02));
  const mean = aggregateQuantity(values);
  assert.ok(mean !== null && Math.abs(mean.value / 5.757e-9 - 1) < 1e-3);
  assert.ok(Math.abs((mean.log10Sd ?? 0) - 0.3358) < 1e-3);
  assert.equal(mean.n, 2);
});

test('aggregate: the interval is the wider of replicates and fits', () => {
  const tight = aggregateQuantity([measured(1, 'M', 0.5), measured(1.001, 'M', 0.5)]);
  const spread = aggregateQuantity([measured(1, 'M', 0.001), measured(2, 'M', 0.001)]);
  assert.ok(Math.abs((tight?.ci95High ?? 0) - Math.exp((1.959964 * 0.5) / Math.SQRT2)) < 0.01);
  const half = (12.706205 * (spread?.log10Sd ?? 0)) / Math.SQRT2;
  assert.ok(Math.abs(Math.log10((spread?.ci95High ?? 0) / Math.SQRT2) - half) < 1e-9);
});

test('aggregate: bounds stay bounds, the cautious one; a mixture is an estimate', () => {
  const lower = aggregateQuantity([bound(1e-9, 'M', '<'), bound(3e-9, 'M', '<')]);
  assert.deepEqual([lower?.value, lower?.relation, lower?.ci95Low], [3e-9, '<', null]);
  const upper = aggregateQuantity([bound(1e-6, 'M', '>'), bound(3e-6, 'M', '>')]);
  assert.deepEqual([upper?.value, upper?.relation], [1e-6, '>']);
  assert.equal(aggregateQuantity([bound(1e-9, 'M', '<'), measured(1e-9, 'M', 0.1)])?.relation, '~');
  assert.equal(aggregateQuantity([measured(1e-9, 'M', 0.1)])?.relation, '=');
  assert.equal(aggregateQuantity([]), null);
});

test('strength: the classes turn at 50 nM, 1 µM and 10 µM', () => {
  const of = (value: number) => bindingStrength(measured(value, 'M', null));
  assert.deepEqual([48.2e-9, 63.7e-9, 973e-9, 1.01e-6, 1e-5, 1.1e-5].map(of), [
    'strong',
    'medium',
    'medium',
    'weak',
    'weak',
    'none',
  ]);
});

test("statistics: Student's t at 95 %", () => {
  const known: [number, number][] = [
    [1, 12.706],
    [2, 4.303],
    [10, 2.228],
    [11, 2.201],
    [30, 2.042],
    [1000, 1.962],
  ];
  for (const [dof, value] of known) assert.ok(Math.abs(t95(dof) - value) < 1e-3, `${dof}: ${t95(dof)}`);
});
