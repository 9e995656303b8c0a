/**
 * A dye is quenched by heat and leaves with aggregates, so that its curve turns down after the transition. Where a
 * curve turns says little about Tm; straight baselines, fitted beyond the maximum, say more than a flat top at it.
 */
import { refineMelt, listParameters } from './fit.ts';
import type { Curve, MeltFit } from './fit.ts';
import { prepare } from './model.ts';

export interface SlopedFit {
  curve: Curve;
  fit: MeltFit;
  /** How far Tm moves from the fit with flat baselines that ends at the maximum. */
  fromFlatC: number;
  /** How far Tm moves when the curve ends later. */
  byWindowC: number;
}

/** Degrees of the folded baseline that are fitted before the rise. */
const BEFORE_C = 15;

/**
 * Fits straight baselines, from up to 15 °C before the rise to as far behind the maximum as the maximum is behind Tm.
 * A fall that is not straight moves Tm when the curve ends later still.
 */
export function fitSlopedBaselines(curve: Curve, rise: Curve, flat: MeltFit): SlopedFit {
  const fromC = rise.temperatureC[0] - BEFORE_C;
  const topC = rise.temperatureC[rise.temperatureC.length - 1];
  const behindC = topC - flat.transitions[flat.transitions.length - 1].tmC;
  const fitUntil = (toC: number): { curve: Curve; fit: MeltFit } => {
    const isKept = (_: number, i: number): boolean =>
      curve.temperatureC[i] >= fromC && curve.temperatureC[i] <= toC;
    const part = {
      temperatureC: curve.temperatureC.filter(isKept),
      signal: curve.signal.filter(isKept),
    };
    const problem = prepare(part.temperatureC, part.signal, { ...flat.model, baseline: { kind: 'free' } });
    return { curve: part, fit: refineMelt(part, problem, listParameters(flat)) };
  };
  const near = fitUntil(topC + behindC);
  const far = fitUntil(topC + 2 * behindC);
  const tmC = near.fit.transitions[0].tmC;
  return {
    ...near,
    fromFlatC: Math.abs(tmC - flat.transitions[0].tmC),
    byWindowC: Math.abs(tmC - far.fit.transitions[0].tmC),
  };
}
