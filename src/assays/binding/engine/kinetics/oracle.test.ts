/**
 * Comparison with an independent optimizer: the same minimum, parameter by parameter, without separating linear from
 * nonlinear ones.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { levenbergMarquardt } from 'ml-levenberg-marquardt';
import { createEmptyCurve, createNoise, computeOneToOneResponse } from '#testing/analysis/noise.ts';
import { createNormals, computeRelativeError, createUniforms } from '#testing/analysis/synthetic.ts';
import type { Kinetics } from '#testing/analysis/synthetic.ts';
import { fitKinetics, LOCAL_RMAX } from './fit.ts';
import { NOMINAL_TIME, writeShape } from './model.ts';
import type { FitCurve } from './model.ts';
import { createShapeBuffers } from './problem.ts';

const SETS = 200;
const POINTS = 60;
const TOLERANCE = 1e-6;

interface RandomSet extends Kinetics {
  curves: FitCurve[];
  rmax: number[];
}

function createRandomSet(seed: number): RandomSet {
  const uniform = createUniforms(seed);
  const normal = createNormals(seed + 1_000);
  const kon = 10 ** (4.5 + 1.5 * uniform());
  const koff = 10 ** (-3.2 + 1.4 * uniform());
  const rmax = [0, 1, 2].map(() => 0.5 + uniform());
  const curves = rmax.map((amplitude, g) => {
    const concentrationM = (koff / kon) * [0.3, 1, 4][g];
    const curve = createEmptyCurve({ concentrationM, points: POINTS });
    const noise = createNoise(normal, { sd: 0.003 });
    const signal = computeOneToOneResponse(curve, { kon, koff }).map(
      (value, i) => amplitude * value + noise(curve.timeS[i]),
    );
    return { ...curve, signal };
  });
  return { kon, koff, rmax, curves };
}

/** Fits all five parameters at once, from a start 20 to 30 % off. */
function solveByOracle({ curves, kon, koff, rmax }: RandomSet): number[] {
  const y = curves.flatMap((curve) => [...curve.signal]);
  const shapesAt = (parameters: readonly number[]) =>
    curves.map((curve) => {
      const buffers = createShapeBuffers(POINTS);
      const rates = { kon: Math.exp(parameters[0]), koff: Math.exp(parameters[1]) };
      writeShape(curve, rates, NOMINAL_TIME, buffers, 0);
      return buffers;
    });
  const at = (x: number): [number, number] => [Math.floor(x / POINTS), x % POINTS];
  const { parameterValues } = levenbergMarquardt(
    { x: y.map((_, index) => index), y },
    (parameters) => {
      const shapes = shapesAt(parameters);
      return (x) => {
        const [g, i] = at(x);
        return parameters[2 + g] * shapes[g].shape[i];
      };
    },
    {
      initialValues: [Math.log(1.2 * kon), Math.log(0.8 * koff), ...rmax.map((value) => 1.3 * value)],
      jacobianFunction: (parameters) => {
        const shapes = shapesAt(parameters);
        return (x) => {
          const [g, i] = at(x);
          const { shape, byLnKon, byLnKoff } = shapes[g];
          const own = [0, 0, 0];
          own[g] = shape[i];
          return [parameters[2 + g] * byLnKon[i], parameters[2 + g] * byLnKoff[i], ...own];
        };
      },
      damping: 1e-3,
      errorTolerance: 1e-30,
      maxIterations: 60,
    },
  );
  return parameterValues;
}

test(`oracle: ${SETS} random sets → the fit equals an independent Levenberg–Marquardt to 1e-6`, (context) => {
  let worst = 0;
  for (let seed = 1; seed <= SETS; seed += 1) {
    const set = createRandomSet(seed);
    const fit = fitKinetics(set.curves, LOCAL_RMAX);
    const [lnKon, lnKoff, ...rmax] = solveByOracle(set);
    const differences = [
      computeRelativeError(fit.kon, Math.exp(lnKon)),
      computeRelativeError(fit.koff, Math.exp(lnKoff)),
      ...fit.curves.map((curve, g) => computeRelativeError(curve.rmax, rmax[g])),
    ];
    worst = Math.max(worst, ...differences);
    assert.ok(Math.max(...differences) < TOLERANCE, `set ${seed}: ${differences.join(', ')}`);
  }
  context.diagnostic(`largest relative difference ${worst.toExponential(1)}`);
});
