/**
 * What another mechanism could do to the rates of a 1:1 fit. The fit takes up most of a small part of another mechanism by other
 * rates, so the residuals hardly show it, and an interval that knows only the noise misses the truth. Therefore each such part is
 * added to the fit to first order; what the curves say about its size, and the size before, weigh the rates that come with it.
 * The interval is that of the average over the mechanisms (Bayesian model averaging: Hoeting et al. 1999, Stat. Sci. 14, 382).
 */
import { computeAutocorrelationTime } from '#analysis/numerics/autocorrelation.ts';
import { computeDot, invertPositive, subtractScaled, type Matrix } from '#analysis/numerics/matrix.ts';
import { computeMixtureQuantile, NORMAL_95 } from '#analysis/numerics/statistics.ts';
import { listBlocks } from './amplitudes.ts';
import { takeCopy, takeZeros } from './column-room.ts';
import type { FitOptions, KineticFit } from './fit.ts';
import { listMechanisms } from './mechanisms.ts';
import type { Mechanism } from './mechanisms.ts';
import type { FitCurve } from './model.ts';
import { projectLocal } from './local-basis.ts';
import { evaluate, prepareProblem } from './problem.ts';
import type { FitProblem } from './problem.ts';
import type { ProfileFactors } from './profile-bounds.ts';
import { thinCurve } from './solve.ts';

/** A fit to which the parts of other mechanisms are added. */
export interface FitBase {
  fit: KineticFit;
  options: FitOptions;
  /** Its BIC minus that of 1:1. */
  deltaBic: number;
}

const NAMES = ['kd', 'kon', 'koff'] as const;
type RateName = (typeof NAMES)[number];

export interface MechanismError {
  /** Ends of the 95 % intervals over all mechanisms, as factors on the rates of the first base; null where one is open. */
  factors: Record<RateName, { low: number; high: number } | null>;
  /** Probability that KD is further than the factor from that of the first base because of the mechanism, noise aside. */
  computeMovedProbability: (factor: number) => number;
  /** KD of the mechanisms that describe the curves about as well, in M: from the lowest to the highest of 95 % of their weight. */
  rivals: { lowM: number; highM: number };
}

/** Weight of pure 1:1 binding before the curves are seen; all mechanisms together have the rest. */
export const PURE_PRIOR = 0.2;
/** As many points of each curve show the slow changes by which mechanisms differ. */
const POINTS_PER_CURVE = 80;
/** Points of the quadrature over the size of a part, and how far it reaches, in standard errors. */
const SIZES = 12;
const REACH_SE = 4;
type Shift = Record<RateName, number>;

interface Sides {
  low: number;
  high: number;
}

interface Considered {
  base: FitBase;
  lnWeight: number;
  shift: Shift;
}

/** Returns null where the rates of the first base are not determined. */
export function computeMechanismError(
  curves: readonly FitCurve[],
  bases: readonly [FitBase, ...FitBase[]],
): MechanismError | null {
  const [{ fit: stated }] = bases;
  const considered = bases.flatMap((base) => considerMechanisms(curves, base));
  if (!considered.some(({ base }) => base === bases[0])) return null;
  const best = Math.max(...considered.map(({ lnWeight }) => lnWeight));
  const weighed = considered.map((each) => ({ ...each, weight: Math.exp(each.lnWeight - best) }));
  // In the order in which the mixture takes them.
  const ordered = weighed.toSorted((a, b) => b.weight - a.weight);
  const compare = ({ base: { fit }, shift }: Considered, name: RateName): number =>
    Math.log(getRate(fit, name) / getRate(stated, name)) + shift[name];
  const computeFactors = (name: RateName) => {
    const sidesOf = new Map(bases.map((base) => [base, computeSides(base.fit, name)]));
    const parts = ordered.map((each) => ({
      weight: each.weight,
      middle: compare(each, name),
      sd: addShiftError(sidesOf.get(each.base) ?? computeSides(each.base.fit, name), each.shift[name]),
    }));
    if (parts.some(({ sd }) => !(sd.low > 0 && sd.high > 0 && Number.isFinite(sd.low + sd.high))))
      return null;
    const [low, high] = [0.025, 0.975].map((each) => Math.exp(computeMixtureQuantile(parts, each)));
    return { low, high };
  };
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
  return {
    factors: { kd: computeFactors('kd'), kon: computeFactors('kon'), koff: computeFactors('koff') },
    computeMovedProbability: (factor) =>
      weighed
        .filter((each) => Math.abs(compare(each, 'kd')) > Math.log(factor))
        .reduce((sum, { weight }) => sum + weight, 0) / total,
    rivals: findRange(weighed.map((each) => ({ ...each, kdM: stated.kdM * Math.exp(compare(each, 'kd')) }))),
  };
}

/** Part of the weight that lies beyond either end of a range. */
const BEYOND_EACH_END = 0.025;

function findRange(parts: readonly { kdM: number; weight: number }[]): MechanismError['rivals'] {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const findEnd = (ordered: readonly { kdM: number; weight: number }[]): number => {
    let passed = 0;
    const end = ordered.find(({ weight }) => (passed += weight) > BEYOND_EACH_END * total);
    return end?.kdM ?? Number.NaN;
  };
  const ascending = parts.toSorted((a, b) => a.kdM - b.kdM);
  return { lowM: findEnd(ascending), highM: findEnd(ascending.toReversed()) };
}

/** A shift is known to first order, for a few ratios of sites: to this part of itself. */
const SHIFT_ERROR = 0.85;

export function addShiftError({ low, high }: Sides, shift: number): Sides {
  const error = SHIFT_ERROR * shift;
  return { low: Math.hypot(low, error), high: Math.hypot(high, error) };
}

function getRate(fit: KineticFit, name: RateName): number {
  return name === 'kd' ? fit.kdM : fit[name];
}

/** Returns the standard errors of a logarithm downward and upward; infinite on an open side. */
function computeSides(fit: KineticFit, name: RateName): Sides {
  const se = { kd: fit.seLnKd, kon: fit.seLnKon, koff: fit.seLnKoff }[name] * fit.widening[name];
  const ends: ProfileFactors | undefined = fit.intervals?.[name];
  if (ends === undefined) return { low: se, high: se };
  const toSe = (factor: number | null): number =>
    factor === null ? Number.POSITIVE_INFINITY : Math.abs(Math.log(factor)) / NORMAL_95;
  return { low: toSe(ends.low), high: toSe(ends.high) };
}

interface Linearized {
  mechanism: Mechanism;
  /** The part of the shape that neither the rates nor the amplitudes take up. */
  left: Float64Array;
  /** Its square and its product with the residual. */
  square: number;
  along: number;
  /** Change of the logarithms of the rates for each unit of size. */
  byKon: number;
  byKoff: number;
}

/** Returns the base alone and with each mechanism at each size, with the logarithms of their weights. */
function considerMechanisms(curves: readonly FitCurve[], base: FitBase): Considered[] {
  const { fit, options, deltaBic } = base;
  const thin = curves.map((curve) => thinCurve(curve, POINTS_PER_CURVE));
  const problem = prepareProblem(thin, options, fit.timeZero);
  const tangent = buildTangent(problem, fit);
  if (tangent === null) return [];
  const parts = listMechanisms(thin, fit)
    .map((mechanism) => linearize(mechanism, problem, tangent))
    .filter(({ square }) => square > 0 && Number.isFinite(square));
  const variance = computeNoiseVariance(problem, tangent.residual, parts);
  const lnPure = Math.log(PURE_PRIOR) - deltaBic / 2;
  const pure = { base, lnWeight: lnPure, shift: { kd: 0, kon: 0, koff: 0 } };
  const all = parts.reduce((sum, { mechanism }) => sum + mechanism.prior, 0);
  return [
    pure,
    ...parts.flatMap((part) => {
      const lnPrior = Math.log(((1 - PURE_PRIOR) * part.mechanism.prior) / all) - deltaBic / 2;
      return computeSizeWeights(part, variance).map(({ size, lnWeight }) => ({
        base,
        lnWeight: lnPrior + lnWeight,
        shift: shiftRates(part, size),
      }));
    }),
  ];
}

function shiftRates({ mechanism, byKon, byKoff }: Linearized, size: number): Shift {
  const reach = mechanism.computeReach(size);
  const limit = (change: number): number => Math.max(-reach, Math.min(reach, change));
  const [kon, koff] = [size * byKon, size * byKoff];
  return {
    kon: limit(kon),
    koff: limit(koff),
    kd: limit(koff - kon - mechanism.computeTightening(size)),
  };
}

/** Returns the likelihood of each size over that of none, times its share of the plausible sizes. */
function computeSizeWeights(
  { mechanism: { sizeMax }, square, along }: Linearized,
  variance: number,
): { size: number; lnWeight: number }[] {
  const best = along / square;
  const reach = REACH_SE * Math.sqrt(variance / square);
  const low = Math.max(0, Math.min(sizeMax, best) - reach);
  const high = Math.min(sizeMax, Math.max(0, best) + reach);
  const step = (high - low) / SIZES;
  return Array.from({ length: SIZES }, (_, k) => {
    const size = low + (k + 0.5) * step;
    const gain = (size * along - (size ** 2 * square) / 2) / variance;
    return { size, lnWeight: Math.log(step / sizeMax) + gain };
  });
}

/** What the rates take up of a column, and what they leave of it. */
interface Tangent {
  residual: Float64Array;
  removeAmplitudes: (column: Float64Array) => void;
  removeRates: (column: Float64Array) => { byKon: number; byKoff: number };
}

function buildTangent(problem: FitProblem, { kon, koff }: KineticFit): Tangent | null {
  const { rmax } = evaluate(problem, Math.log(kon), Math.log(koff));
  const { offsets, curves, buffers } = problem;
  const residual = takeCopy(problem.residual);
  const parts = listBlocks(problem).map(([from, to]) => {
    const own = buffers.shape.slice(from, to);
    return { own, from, to, squares: computeDot(own, own) };
  });
  const removeAmplitudes = (column: Float64Array): void => {
    for (let g = 0; g < curves.length; g += 1)
      for (let i = offsets[g]; i < offsets[g + 1]; i += 1) column[i] *= rmax[g];
    for (const { own, from, to, squares } of parts) {
      const part = column.subarray(from, to);
      if (squares > 0) subtractScaled(part, own, computeDot(own, part) / squares);
    }
  };
  const rates = [takeCopy(buffers.byLnKon), takeCopy(buffers.byLnKoff)];
  for (const column of rates) removeAmplitudes(column);
  const inverse: Matrix | null = invertPositive(rates.map((a) => rates.map((b) => computeDot(a, b))));
  if (inverse === null) return null;
  const removeRates: Tangent['removeRates'] = (column) => {
    const along = rates.map((rate) => computeDot(rate, column));
    const [byKon, byKoff] = inverse.map((row) => computeDot(row, along));
    subtractScaled(column, rates[0], byKon);
    subtractScaled(column, rates[1], byKoff);
    return { byKon, byKoff };
  };
  // On fewer points the best rates are slightly others.
  removeRates(residual);
  return { residual, removeAmplitudes, removeRates };
}

/** What a part adds to the curves is missing from what the rates explain, so they move the other way. */
function linearize(
  mechanism: Mechanism,
  { curves, offsets, locals }: FitProblem,
  { residual, removeAmplitudes, removeRates }: Tangent,
): Linearized {
  const left = takeZeros(residual.length);
  for (const [g, curve] of curves.entries()) {
    mechanism.add(curve, left, offsets[g]);
    projectLocal(locals[g], left, offsets[g]);
  }
  removeAmplitudes(left);
  const { byKon, byKoff } = removeRates(left);
  const [square, along] = [computeDot(left, left), computeDot(left, residual)];
  return { mechanism, left, square, along, byKon: -byKon, byKoff: -byKoff };
}

/** Returns the variance of an independent point to which the noise corresponds that the best of the parts leaves. */
function computeNoiseVariance(
  { offsets, curves }: FitProblem,
  residual: Float64Array,
  parts: readonly Linearized[],
): number {
  const fitted = parts.map(({ left, square, along, mechanism: { sizeMax } }) => {
    const size = Math.max(0, Math.min(sizeMax, along / square));
    return { left, size, gain: 2 * size * along - size ** 2 * square };
  });
  const noise = takeCopy(residual);
  if (fitted.length > 0) {
    const best = fitted.reduce((found, each) => (each.gain > found.gain ? each : found));
    subtractScaled(noise, best.left, best.size);
  }
  const parameters = 2 + curves.length;
  const freedom = Math.max(1, noise.length - parameters);
  return (computeDot(noise, noise) / freedom) * computeAutocorrelationTime(noise, offsets, parameters);
}
