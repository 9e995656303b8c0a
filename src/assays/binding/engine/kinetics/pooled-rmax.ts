/**
 * Partial pooling of Rmax: sensors that were loaded alike, and cycles on one surface, have nearly the same Rmax.
 *
 * The logarithm of each Rmax has a normal prior around a common value. Its scale is estimated from the curves by their
 * restricted likelihood (REML), with a half-Cauchy prior (Gelman 2006), as few curves say little about their scatter; the
 * median of its posterior holds the Rmax of the fit. Curves far from a plateau tell kon times Rmax only, so this is what
 * tells their kon. A dead sensor among the others makes the scale large, and each Rmax is then its own.
 */
import { NORMAL_95 } from '#analysis/numerics/statistics.ts';
import { fitKinetics } from './fit.ts';
import type { FitOptions, KineticFit } from './fit.ts';
import type { FitCurve } from './model.ts';
import { computeRmaxWeights } from './held-rmax.ts';
import type { HeldRmax } from './held-rmax.ts';
import { evaluate, prepareProblem } from './problem.ts';
import type { Evaluation, FitProblem } from './problem.ts';
import { refine } from './solve.ts';

/** The scatter of fewer curves says nothing. */
const CURVES_MIN = 3;
/** Scale of the half-Cauchy prior: sensors that were loaded alike differ by some percent. */
const TYPICAL_SD = 0.05;
/** Scales of the posterior, from free to common. */
const SCALES = [1, 0.5, 0.3, 0.2, 0.14, 0.1, 0.07, 0.05, 0.035, 0.025, 0.016, 0.01, 0.006, 0.003];
/** A fit that is exact to rounding leaves nothing to explain. */
const EXACT_RMS_PCT = 1e-3;

/** A standard error of ln KD above this leaves KD unknown by more than a factor of two. */
const SE_LN_KD_MAX = 0.35;

/** Whether an Rmax for each curve leaves KD open: what they have in common is assumed only where it is needed. */
export function needsCommonRmax(
  { profile, intervals, seLnKd, widening }: KineticFit,
  { rmax }: FitOptions,
): boolean {
  if (rmax !== 'local') return false;
  const { low, high } = intervals?.kd ?? { low: null, high: null };
  const se = low === null || high === null ? seLnKd * widening.kd : Math.log(high / low) / (2 * NORMAL_95);
  return profile !== 'closed' || !(se < SE_LN_KD_MAX);
}

/** Returns the fit with pooled Rmax, and its options; null where there is nothing to pool or nothing is gained. */
export function fitPooledRmax(
  curves: readonly FitCurve[],
  fit: KineticFit,
  options: FitOptions,
): { fit: KineticFit; options: FitOptions } | null {
  if (curves.length < CURVES_MIN || fit.rmsPctRmax < EXACT_RMS_PCT) return null;
  const variance = fit.chi2 * fit.correlationFactor ** 2;
  const scale = estimateScale(prepareProblem(curves, options, fit.timeZero), fit, variance);
  if (scale === null) return null;
  const pooled: FitOptions = {
    ...options,
    heldRmax: { sd: scale.sd, variance },
    timeZero: fit.timeZero,
    start: scale.start,
  };
  const pooledFit = fitKinetics(curves, pooled);
  // A common Rmax that leaves KD open on both sides tells less than each by itself.
  return pooledFit.profile === 'open' ? null : { fit: pooledFit, options: pooled };
}

interface Scale {
  /** Median of the posterior of the standard deviation of ln Rmax. */
  sd: number;
  start: { kon: number; koff: number };
}

/** `variance`: that of the noise of one point, widened for its correlation. */
function estimateScale(
  free: FitProblem,
  { kon, koff }: Pick<KineticFit, 'kon' | 'koff'>,
  variance: number,
): Scale | null {
  if (!(variance > 0)) return null;
  let at = evaluate(free, Math.log(kon), Math.log(koff));
  const weighed = SCALES.map((sd) => {
    const held = { sd, variance };
    const problem = { ...free, terms: { ...free.terms, heldRmax: held } };
    at = refine(problem, at).evaluation;
    return { sd, at, lnLikelihood: computeLnLikelihood(problem, at, held) };
  });
  // The scales are even in the logarithm, nearly, so each counts by itself, times its prior.
  const lnWeights = weighed.map(({ sd, lnLikelihood }) => {
    return lnLikelihood + Math.log(sd) - Math.log(1 + (sd / TYPICAL_SD) ** 2);
  });
  const most = Math.max(...lnWeights);
  const weights = lnWeights.map((lnWeight) => Math.exp(lnWeight - most));
  const half = weights.reduce((sum, weight) => sum + weight, 0) / 2;
  let sum = 0;
  const median = weighed.find((_, i) => {
    sum += weights[i];
    return sum >= half;
  });
  if (median === undefined || !Number.isFinite(most)) return null;
  const { lnKon, lnKoff } = median.at;
  return {
    sd: median.sd,
    start: { kon: Math.exp(lnKon), koff: Math.exp(lnKoff) },
  };
}

/** The restricted likelihood: the common Rmax and the rates are integrated out. */
function computeLnLikelihood(problem: FitProblem, at: Evaluation, held: HeldRmax): number {
  const { weights } = computeRmaxWeights(problem, held, at.rmax);
  const { ssr, aa, ad, dd } = at;
  const ofScatter = weights.reduce((sum, weight) => sum - Math.log(weight), 0);
  const ofCommon = Math.log(weights.reduce((sum, weight) => sum + weight, 0));
  const ofRates = Math.log((aa * dd - ad * ad) / held.variance ** 2);
  return -0.5 * (ssr / held.variance + ofScatter + ofCommon + ofRates);
}
