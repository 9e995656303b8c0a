/** Curves of 1:1 binding at seven concentrations, with noise, for fits. */
import { NOMINAL_TIME, writeShape, type FitCurve } from '#assays/binding/engine/kinetics/model.ts';
import { createUniforms } from './designs.ts';

export const CONCENTRATIONS_M = [1e-7, 5e-8, 2.5e-8, 1.25e-8, 6.25e-9, 3.1e-9, 1.6e-9];
export const POINTS = 600;
export const NOISE_SD = 0.005;
export const ASSOCIATION_S = 300;

export interface DataSet {
  readonly curves: FitCurve[];
  readonly kdM: number;
}

/** Rates over two decades each, so that no start is the lucky one. */
export function createDataSet(seed: number): DataSet {
  const uniform = createUniforms(seed);
  const kon = 10 ** (4.5 + 1.5 * uniform());
  const koff = 10 ** (-3.7 + 1.5 * uniform());
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(uniform() + 1e-12)) * Math.cos(2 * Math.PI * uniform());
  const curves = CONCENTRATIONS_M.map((concentrationM, index): FitCurve => {
    const timeS = Float64Array.from({ length: POINTS }, (_, i) => i + 1);
    const curve = { timeS, signal: new Float64Array(POINTS), concentrationM, associationS: ASSOCIATION_S };
    const out = {
      shape: new Float64Array(POINTS),
      byLnKon: new Float64Array(POINTS),
      byLnKoff: new Float64Array(POINTS),
    };
    writeShape(curve, { kon, koff }, NOMINAL_TIME, out, 0);
    const rmax = 0.8 * (1 + 0.1 * index);
    return { ...curve, signal: out.shape.map((value) => rmax * value + NOISE_SD * normal()) };
  });
  return { curves, kdM: koff / kon };
}
