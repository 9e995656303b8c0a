import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FitCurve } from './model.ts';
import { addResponse, NOMINAL_TIME, writeShape } from './model.ts';
import { createShapeBuffers } from './problem.ts';

const CONCENTRATION_M = 1e-7;

/** Computes the values of a curve point by point, so that no point has neighbors. */
function computePointByPoint(curve: FitCurve, rates: { kon: number; koff: number }) {
  const all = createShapeBuffers(curve.timeS.length);
  for (const [i, t] of curve.timeS.entries()) {
    const timeS = Float64Array.of(t);
    writeShape({ ...curve, timeS, signal: timeS }, rates, NOMINAL_TIME, all, i);
  }
  return all;
}

const GRIDS: Record<string, (i: number) => number> = {
  'every second': (i) => i,
  'five a second, with the rounding of a clock': (i) => 0.2 * i + 1e-13 * Math.sin(i),
  'nearly even': (i) => i + 1e-6 * Math.sin(i),
  uneven: (i) => i + 0.4 * Math.sin(i),
  'even but for gaps': (i) => i + 7 * Math.floor(i / 41),
};

for (const [name, timeOf] of Object.entries(GRIDS)) {
  test(`model: samples ${name} → the response and derivatives of each point alone`, () => {
    const timeS = Float64Array.from({ length: 500 }, (_, i) => timeOf(i) - 3);
    const half = timeS[250];
    const injections = [
      { startS: 0, endS: half / 2, concentrationM: CONCENTRATION_M / 10 },
      { startS: 0.6 * half, endS: half, concentrationM: CONCENTRATION_M },
    ];
    const plain = { timeS, signal: timeS, concentrationM: CONCENTRATION_M, associationS: half };
    for (const curve of [plain, { ...plain, injections }]) {
      for (const [kon, koff] of [
        [1e4, 1e-4],
        [1e6, 1e-2],
        [1e9, 10],
      ]) {
        const found = createShapeBuffers(timeS.length);
        writeShape(curve, { kon, koff }, NOMINAL_TIME, found, 0);
        const expected = computePointByPoint(curve, { kon, koff });
        const added = new Float64Array(timeS.length).fill(1);
        addResponse(curve, { kon, koff }, { time: NOMINAL_TIME, weight: 0.3 }, added, 0);
        for (const [i, value] of added.entries())
          assert.ok(Math.abs(value - 1 - 0.3 * found.shape[i]) < 1e-12, `response at ${timeS[i]} s`);
        for (const key of ['shape', 'byLnKon', 'byLnKoff'] as const) {
          const top = Math.max(...expected[key].map(Math.abs));
          const apart = Math.max(...found[key].map((value, i) => Math.abs(value - expected[key][i])));
          assert.ok(apart <= 1e-10 * top, `${key}: ${apart} of ${top}`);
        }
      }
    }
  });
}
