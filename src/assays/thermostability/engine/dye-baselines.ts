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

/** Where Tm moves further, the fall is no straight baseline, and the fit with flat ones stays. */
export const BASELINE_SHIFT_MAX_C = 1;
/** Where they are further apart, the interval of the middle is wider than ±1 °C, and it is an estimate. */
export const BETWEEN_MAX_C = 2;
/** Degrees of the folded baseline that are fitted before the rise. */
const BEFORE_C = 15;

/**
 * Fits straight baselines, from up to 15 °C before the rise to half as far behind the maximum as the maximum is behind Tm.
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
  const near = fitUntil(topC + behindC / 2);
  const far = fitUntil(topC + behindC);
  const measureShift = (other: MeltFit): number =>
    Math.max(...near.fit.transitions.map(({ tmC }, k) => Math.abs(tmC - other.transitions[k].tmC)));
  return { ...near, fromFlatC: measureShift(flat), byWindowC: measureShift(far.fit) };
}
