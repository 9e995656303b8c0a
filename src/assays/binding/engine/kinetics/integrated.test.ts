/** Integrated models: derivatives against differences, and slow transport against 1:1 binding. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveTransport, writeTransport } from './integrated.ts';
import { NOMINAL_TIME, addResponse } from './model.ts';
import type { FitCurve } from './model.ts';

const POINTS = 90;

function createCurve(changes: Partial<FitCurve> = {}): FitCurve {
  const timeS = Float64Array.from({ length: POINTS }, (_, i) => -8 + 7 * i);
  return { timeS, signal: new Float64Array(POINTS), concentrationM: 5e-8, associationS: 300, ...changes };
}

function write(curve: FitCurve, theta: readonly number[]): Float64Array {
  const out = new Float64Array(POINTS);
  writeTransport(curve, theta, NOMINAL_TIME, out, 0);
  return out;
}

test('transport: single samples, means and several injections → the derivatives are those of the curve', () => {
  const injections = [
    { startS: 0, endS: 120, concentrationM: 1e-8 },
    { startS: 200, endS: 320, concentrationM: 5e-8 },
  ];
  const step = 1e-5;
  for (const curve of [
    createCurve(),
    createCurve({ averaging: { samples: 7, intervalS: 1 } }),
    createCurve({ injections }),
  ])
    for (const theta of [
      [2e6, 1e-3, 1e6],
      [1e5, 2e-2, 4e6],
    ].map((rates) => rates.map(Math.log))) {
      const found = theta.map(() => new Float64Array(POINTS).fill(7));
      deriveTransport(curve, theta, NOMINAL_TIME, found, 0);
      for (const [k, column] of found.entries()) {
        const move = (by: number) => write(curve, theta.with(k, (theta[k] ?? 0) + by));
        const [above, below] = [move(step), move(-step)];
        for (let i = 0; i < POINTS; i += 1)
          assert.ok(Math.abs((above[i] - below[i]) / (2 * step) - column[i]) < 1e-8, `${k} at ${i}`);
      }
    }
});

test('transport: arrival that is a thousand times faster than binding → 1:1 binding, and nothing by its coefficient', () => {
  const [kon, koff] = [1e5, 1e-3];
  const theta = [kon, koff, 1e3 * kon].map(Math.log);
  const found = theta.map(() => new Float64Array(POINTS));
  const curve = createCurve();
  deriveTransport(curve, theta, NOMINAL_TIME, found, 0);
  const plain = new Float64Array(POINTS);
  addResponse(curve, { kon, koff }, { time: NOMINAL_TIME, weight: 1 }, plain, 0);
  const written = write(curve, theta);
  assert.ok(plain.every((value, i) => Math.abs(value - written[i]) < 1e-3));
  assert.ok(found[2].every((value) => Math.abs(value) < 1e-3));
  assert.ok(found[0].some((value) => value > 0.1));
});

test('transport: binding faster than any step resolves → no number', () => {
  const theta = [1e12, 1e-3, 1e13].map(Math.log);
  const out = write(createCurve(), theta);
  assert.ok(Number.isNaN(out[POINTS - 1]));
});
