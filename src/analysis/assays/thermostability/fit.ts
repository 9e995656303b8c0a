/** Fits of one melting curve: multistart, uncertainty, and how many transitions the data support. */
import { chooseStride, takeEvery } from '../../numerics/thinning.ts';
import { NORMAL_95 } from '../../numerics/quantiles.ts';
import {
  computeCorrelationInflation,
  computeLagOne,
  countIndependentPoints,
} from '../../numerics/autocorrelation.ts';
import { minimizeSquares } from '../../numerics/least-squares.ts';
import type { Bound, SquaresMinimum } from '../../numerics/least-squares.ts';
import { invertPositive } from '../../numerics/matrix.ts';
import { computeRSquared } from '../../numerics/moments.ts';
import { KELVIN, R_KCAL, evaluate, linearPart, prepare } from './model.ts';
import type { MeltEvaluation, MeltModel, MeltProblem, Shape } from './model.ts';

export interface Curve {
  /** Strictly ascending. */
  temperatureC: Float64Array;
  signal: Float64Array;
}

export interface Transition {
  tmC: number;
  seTmC: number;
  /** ΔH in kcal/mol, or the width a in °C of a Boltzmann curve. */
  width: number;
  seLnWidth: number;
  widthAtBound: boolean;
  /** Change of signal through the transition, at its Tm. */
  amplitude: number;
}

export interface MeltFit {
  model: MeltModel;
  /** Ascending Tm. */
  transitions: Transition[];
  /** One transition more, where BIC asks for it and it is not apart from its neighbour; else empty. */
  unresolved: Transition[];
  foldedSlopePerC: number;
  unfoldedSlopePerC: number;
  fitted: Float64Array;
  ssr: number;
  rms: number;
  r2: number;
  points: number;
  parameters: number;
  /** Of the residuals; widens the standard errors and thins the points that BIC counts. */
  autocorrelation: number;
  converged: boolean;
}

/** ΔH in kcal/mol: below, a transition is as wide as any range; above, narrower than any protein's. */
const DELTA_H = { min: 20, max: 1_000, starts: [50, 100, 220] } as const;
const BOLTZMANN_WIDTH_C = { min: 0.15, max: 12, starts: [0.8, 1.6, 3.2] } as const;
const TM_BEYOND_RANGE_C = 5;
const TM_STARTS = 11;
const REFINED = 3;
const SCAN_ITERATIONS_MAX = 25;
const ITERATIONS_MAX = 60;
const SEARCH = {
  damping: { start: 1e-3, min: 1e-12, max: 1e10 },
  ssrTolerance: 1e-9,
  stepTolerance: 1e-3,
  leastStep: 1e-6,
  converges: 'both',
  atBounds: 'hold',
} as const;
/** Residuals less correlated than this leave nothing for a further transition to describe. */
const WHITE = 0.1;
const SCAN_POINTS = 64;
/** Tm of a further transition known no better than this is none. */
const SE_TM_MAX_C = 2;
const BIC_GAIN_MIN = 15;
/** A transition that leaves less than one in so many of the squares is seen by eye: a few long steps count as few points. */
const CLEAR_SSR_RATIO = 20;

function limits(shape: Shape): { min: number; max: number; starts: readonly number[] } {
  return shape === 'boltzmann' ? BOLTZMANN_WIDTH_C : DELTA_H;
}

function bounds(problem: MeltProblem): Bound[] {
  const { kelvin, model } = problem;
  const { min, max } = limits(model.shape);
  const tm = {
    min: kelvin[0] - TM_BEYOND_RANGE_C,
    max: kelvin[kelvin.length - 1] + TM_BEYOND_RANGE_C,
    step: 8,
  };
  const width = { min: Math.log(min), max: Math.log(max), step: 1 };
  return Array.from({ length: model.transitions }, () => [tm, width]).flat();
}

/** Every k-th point, so that at most `points` remain. */
export function thinned({ temperatureC, signal }: Curve, points: number): Curve {
  const stride = chooseStride(temperatureC.length, points);
  if (stride === 1) return { temperatureC, signal };
  return { temperatureC: takeEvery(temperatureC, stride, 0), signal: takeEvery(signal, stride, 0) };
}

/** One transition's starts, or those of the transition to add to the ones already found. */
function starts(problem: MeltProblem, known: readonly number[]): number[][] {
  const { kelvin, model } = problem;
  const first = kelvin[0];
  const span = kelvin[kelvin.length - 1] - first;
  const found: number[][] = [];
  for (let k = 0; k < TM_STARTS; k += 1) {
    const tm = first + (span * (k + 0.5)) / TM_STARTS;
    for (const width of limits(model.shape).starts) found.push([...known, tm, Math.log(width)]);
  }
  return found;
}

/**
 * Two equal transitions whose sum looks like one: each about twice as steep, apart by two thirds of its width at half height. From
 * the known one and another beside it no descent gets there. Only of free baselines: to imposed ones any bend is a sum of two.
 */
function splits({ model: { shape, baseline } }: MeltProblem, known: readonly number[]): number[][] {
  if (baseline.kind !== 'free') return [];
  return Array.from({ length: known.length / 2 }, (_, k) => {
    const [tm, lnWidth] = known.slice(2 * k, 2 * k + 2);
    const apart = peakWidthC({ tmC: tm - KELVIN, width: Math.exp(lnWidth) }, shape) / 3;
    const steeper = lnWidth + (shape === 'boltzmann' ? -Math.LN2 : Math.LN2);
    const others = known.filter((_value, p) => p >> 1 !== k);
    return [...others, tm - apart, steeper, tm + apart, steeper];
  });
}

/** Best of the multistart fits with one more transition than `known` holds (parameters of a fit with one fewer). */
export function fitMelt(curve: Curve, model: MeltModel, known: readonly number[] = []): MeltFit {
  const problem = prepare(curve.temperatureC, curve.signal, model);
  const thin = thinned(curve, SCAN_POINTS);
  const coarse = prepare(thin.temperatureC, thin.signal, model);
  const best = (of: readonly number[][], count: number): MeltEvaluation[] =>
    of
      .map((start) => evaluate(coarse, [...start]))
      .sort((a, b) => a.ssr - b.ssr)
      .slice(0, count);
  const split = best(splits(coarse, known), 1);
  const found = [...best(starts(coarse, known), REFINED - split.length), ...split]
    .map((start) => search(coarse, start.params, SCAN_ITERATIONS_MAX).at)
    .reduce((a, b) => (b.ssr < a.ssr ? b : a));
  return refineMelt(curve, problem, found.params);
}

/** From one start, on the points of the problem. */
function search(
  problem: MeltProblem,
  start: readonly number[],
  iterationsMax: number,
): SquaresMinimum<MeltEvaluation, MeltEvaluation> {
  const squares = {
    evaluate: (params: readonly number[]) => evaluate(problem, [...params]),
    linearize: (at: MeltEvaluation) => at,
  };
  return minimizeSquares(squares, start, { ...SEARCH, bounds: bounds(problem), iterationsMax });
}

/** From one start on all points. */
export function refineMelt({ signal }: Curve, problem: MeltProblem, start: readonly number[]): MeltFit {
  const { at, converged } = search(problem, start, ITERATIONS_MAX);
  return summarize(problem, evaluate(problem, at.params), { signal, converged });
}

function summarize(
  problem: MeltProblem,
  at: MeltEvaluation,
  of: { signal: Float64Array; converged: boolean },
): MeltFit {
  const { model } = problem;
  const n = problem.x.length;
  const { parameters } = problem;
  const autocorrelation = computeLagOne(problem.buffers.residual);
  const inflation = computeCorrelationInflation(autocorrelation);
  const variance = at.ssr / Math.max(1, n - parameters);
  const covariance = invertPositive(at.jtj);
  const se = (p: number): number => {
    return covariance === null
      ? Number.POSITIVE_INFINITY
      : inflation * Math.sqrt(variance * covariance[p][p]);
  };
  const linear = linearPart(problem, at);
  const range = limits(model.shape);
  const transitions = linear.amplitudes.map((amplitude, k): Transition => {
    const lnWidth = at.params[2 * k + 1];
    const margin = 1e-3;
    return {
      tmC: at.params[2 * k] - KELVIN,
      seTmC: se(2 * k),
      width: Math.exp(lnWidth),
      seLnWidth: se(2 * k + 1),
      widthAtBound: lnWidth < Math.log(range.min) + margin || lnWidth > Math.log(range.max) - margin,
      amplitude,
    };
  });
  return {
    model,
    transitions: transitions.sort((a, b) => a.tmC - b.tmC),
    unresolved: [],
    foldedSlopePerC: linear.foldedSlope,
    unfoldedSlopePerC: linear.unfoldedSlope,
    fitted: linear.fitted,
    ssr: at.ssr,
    rms: Math.sqrt(at.ssr / n),
    r2: computeRSquared(at.ssr, [of.signal]),
    points: n,
    parameters,
    autocorrelation,
    converged: of.converged,
  };
}

/**
 * Its interval of the width reaches the bound beyond which no protein unfolds: of such a step a detector, a bubble or a particle
 * is the likelier cause, and one or two samples carry it.
 */
export function narrowerThanProtein({ width, seLnWidth }: Transition, shape: Shape): boolean {
  const { min, max } = limits(shape);
  const margin = 1e-3;
  const reach = margin + NORMAL_95 * (Number.isFinite(seLnWidth) ? seLnWidth : 0);
  return shape === 'boltzmann'
    ? Math.log(width) - reach < Math.log(min)
    : Math.log(width) + reach > Math.log(max);
}

/** Points that count as independent under first-order autocorrelation. */
export function effectivePoints(points: number, autocorrelation: number): number {
  return countIndependentPoints(points, computeCorrelationInflation(autocorrelation));
}

/** How much better `b` describes the same points than `a`, as BIC(a) − BIC(b) on effectively independent points. */
export function bicGain(
  a: { ssr: number; parameters: number },
  b: { ssr: number; parameters: number },
  points: number,
): number {
  if (b.ssr <= 0) return a.ssr > 0 ? Number.POSITIVE_INFINITY : 0;
  return points * Math.log(a.ssr / b.ssr) - (b.parameters - a.parameters) * Math.log(points);
}

export function parametersOf(fit: MeltFit): number[] {
  return fit.transitions.flatMap(({ tmC, width }) => [tmC + KELVIN, Math.log(width)]);
}

/**
 * More transitions, at most `most`, where BIC pays for them (gain above 15, or above 0 where nearly nothing is left) and every one of them is a transition: apart from the
 * others, of a protein's width, and of visible height. Points count as correlated as the two models leave them on average: the
 * simpler one leaves what it does not describe, the other has fitted part of the noise.
 */
export function addTransitions(curve: Curve, single: MeltFit, most: number): MeltFit {
  if (single.autocorrelation < WHITE) return single;
  let best = single;
  let last = single;
  for (let count = 2; count <= most; count += 1) {
    last = fitMelt(curve, { ...single.model, transitions: count }, parametersOf(last));
    const points = effectivePoints(best.points, (best.autocorrelation + last.autocorrelation) / 2);
    const needed = best.ssr > CLEAR_SSR_RATIO * last.ssr ? 0 : BIC_GAIN_MIN;
    if (!(bicGain(best, last, points) > needed && isPlausible(curve, last))) continue;
    if (isResolved(last)) best = last;
    else if (isBlend(last)) best = { ...best, unresolved: last.transitions };
  }
  return best;
}

/** Only of free baselines, since imposed ones make a further transition of any bend; and steps that undo each other are no unfolding. */
function isBlend({ model, transitions }: MeltFit): boolean {
  return (
    model.baseline.kind === 'free' && new Set(transitions.map((each) => Math.sign(each.amplitude))).size === 1
  );
}

function isResolved({ model: { shape }, transitions }: MeltFit): boolean {
  return transitions.every((each, k) => {
    const before = transitions[k - 1];
    const apart = before === undefined ? Number.POSITIVE_INFINITY : each.tmC - before.tmC;
    return apart > (peakWidthC(before ?? each, shape) + peakWidthC(each, shape)) / 2;
  });
}

function isPlausible({ temperatureC: t }: Curve, fit: MeltFit): boolean {
  const { shape } = fit.model;
  const largest = Math.max(...fit.transitions.map(({ amplitude }) => Math.abs(amplitude)));
  return fit.transitions.every((each) => {
    return (
      !each.widthAtBound &&
      Math.abs(each.amplitude) > Math.max(0.1 * largest, 5 * fit.rms) &&
      each.seTmC < SE_TM_MAX_C &&
      each.tmC > t[0] + 3 &&
      each.tmC < t[t.length - 1] - 3 &&
      // A dye only lights up as a protein unfolds.
      (shape !== 'boltzmann' || each.amplitude > 0)
    );
  });
}

/**
 * Full width at half maximum of the derivative: 3.53 RT²/ΔH of a two-state transition, 3.53 a of a Boltzmann curve. Nearer
 * transitions are not resolved.
 */
function peakWidthC({ tmC, width }: Pick<Transition, 'tmC' | 'width'>, shape: Shape): number {
  return 3.5255 * (shape === 'boltzmann' ? width : (R_KCAL * (tmC + KELVIN) ** 2) / width);
}
