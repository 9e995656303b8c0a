/** Fits of one melting curve: multistart and uncertainty. */
import { chooseStride, takeEvery } from '#analysis/numerics/thinning.ts';
import { NORMAL_95, computeRSquared } from '#analysis/numerics/statistics.ts';
import {
  computeCorrelationInflation,
  computeLagOne,
  countIndependentPoints,
} from '#analysis/numerics/autocorrelation.ts';
import {
  minimizeSquares,
  type NormalEquations,
  type SquaresMinimum,
  type Bound,
} from '#analysis/numerics/least-squares.ts';
import { invertPositive } from '#analysis/numerics/matrix.ts';
import { KELVIN, R_KCAL, evaluate, linearize, prepare, solveAt, solveLinearPart } from './model.ts';
import type { MeltEvaluation, MeltModel, MeltProblem, MeltState, Shape } from './model.ts';

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
  /** Change of signal through the transition at its Tm. */
  amplitude: number;
}

export interface MeltFit {
  model: MeltModel;
  /** Ascending Tm. */
  transitions: Transition[];
  /** A fit with one transition more, if BIC supports it but it is not separate from its neighbor; else null. */
  overlapping: MeltFit | null;
  foldedSlopePerC: number;
  unfoldedSlopePerC: number;
  /** Part of the signal lost for each °C, of both baselines; 0 unless it was fitted. */
  quenchPerC: number;
  seQuenchPerC: number;
  /** Half of the fitted range. */
  halfC: number;
  fitted: Float64Array;
  ssr: number;
  rms: number;
  r2: number;
  points: number;
  parameters: number;
  /** Autocorrelation of the residuals; it widens the standard errors and reduces the points that BIC counts. */
  autocorrelation: number;
  converged: boolean;
}

/**
 * ΔH in kcal/mol: below the minimum a transition is wider than any range, above the maximum narrower than any
 * protein's.
 */
const DELTA_H = { min: 20, max: 1_000, starts: [50, 100, 220] } as const;
const BOLTZMANN_WIDTH_C = { min: 0.15, max: 12, starts: [0.8, 1.6, 3.2] } as const;
/** Fluorescence loses up to about 2 % for each °C; some ratios gain. */
const QUENCH_PER_C = { min: -0.01, max: 0.03, step: 0.01 } as const;
const TM_BEYOND_RANGE_C = 5;
const TM_STARTS = 11;
const REFINED = 3;
export const SCAN_ITERATIONS_MAX = 25;
const ITERATIONS_MAX = 60;
const SEARCH = {
  damping: { start: 1e-3, min: 1e-12, max: 1e10 },
  // A gain this small is a thousandth of what one standard error costs. Without a step criterion, because parameters that
  // the data do not determine take long steps that gain nothing.
  ssrTolerance: 1e-7,
  stepTolerance: 1e-6,
  converges: 'either',
  atBounds: 'hold',
} as const;
/** How replicates are searched together. */
export const REPLICATE_SEARCH = { ...SEARCH, iterationsMax: ITERATIONS_MAX };
export const SCAN_POINTS = 64;

export function getLimits(shape: Shape): { min: number; max: number; starts: readonly number[] } {
  return shape === 'boltzmann' ? BOLTZMANN_WIDTH_C : DELTA_H;
}

export function computeBounds(problem: MeltProblem): Bound[] {
  const { kelvin, model } = problem;
  const { min, max } = getLimits(model.shape);
  const tm = {
    min: kelvin[0] - TM_BEYOND_RANGE_C,
    max: kelvin[kelvin.length - 1] + TM_BEYOND_RANGE_C,
    step: 8,
  };
  const width = { min: Math.log(min), max: Math.log(max), step: 1 };
  const transitions = Array.from({ length: model.transitions }, () => [tm, width]).flat();
  const { min: least, max: most, step } = QUENCH_PER_C;
  const quench = { min: least * problem.halfK, max: most * problem.halfK, step: step * problem.halfK };
  return model.isQuenched ? [...transitions, quench] : transitions;
}

/** Keeps every k-th point, so that at most `points` remain. */
export function thinCurve({ temperatureC, signal }: Curve, points: number): Curve {
  const stride = chooseStride(temperatureC.length, points);
  if (stride === 1) return { temperatureC, signal };
  return { temperatureC: takeEvery(temperatureC, stride, 0), signal: takeEvery(signal, stride, 0) };
}

/** Returns starts for one transition, or for a transition added to those already found. */
export function findStarts(problem: MeltProblem, known: readonly number[]): number[][] {
  const { kelvin, model } = problem;
  const first = kelvin[0];
  const span = kelvin[kelvin.length - 1] - first;
  const found: number[][] = [];
  for (let k = 0; k < TM_STARTS; k += 1) {
    const tm = first + (span * (k + 0.5)) / TM_STARTS;
    for (const width of getLimits(model.shape).starts) found.push([...known, tm, Math.log(width)]);
  }
  return found;
}

/**
 * Returns starts that split a transition into two equal ones whose sum looks like one: each about twice as steep,
 * separated by two thirds of its width at half height. The search does not get there from the known transition and
 * another beside it. Only for free baselines, because with imposed ones any bend looks like a sum of two.
 */
function listSplits({ model: { shape, baseline } }: MeltProblem, known: readonly number[]): number[][] {
  if (baseline.kind !== 'free') return [];
  return Array.from({ length: known.length / 2 }, (_, k) => {
    const [tm, lnWidth] = known.slice(2 * k, 2 * k + 2);
    const apart = computePeakWidthC({ tmC: tm - KELVIN, width: Math.exp(lnWidth) }, shape) / 3;
    const steeper = lnWidth + (shape === 'boltzmann' ? -Math.LN2 : Math.LN2);
    const others = known.filter((_value, p) => p >> 1 !== k);
    return [...others, tm - apart, steeper, tm + apart, steeper];
  });
}

export interface MeltStarts {
  /** Parameters of the transitions of a fit with one fewer. */
  known?: readonly number[];
  /** The parameter of quenching, where the model has it. */
  quench?: readonly number[];
  /** A simpler fit that this one has to beat: without a chance of that it is not refined. */
  rival?: MeltFit | null;
}

/**
 * Returns the best of the multistart fits with one more transition than `known` holds (parameters of a fit with one
 * fewer).
 */
export function fitMelt(
  curve: Curve,
  model: MeltModel,
  { known = [], quench = [], rival = null }: MeltStarts = {},
): MeltFit {
  const problem = prepare(curve.temperatureC, curve.signal, model);
  const thin = thinCurve(curve, SCAN_POINTS);
  const coarse = prepare(thin.temperatureC, thin.signal, model);
  const selectBest = (of: readonly number[][], count: number): MeltState[] =>
    of
      .map((start) => solveAt(coarse, [...start, ...quench]))
      .sort((a, b) => a.ssr - b.ssr)
      .slice(0, count);
  const split = selectBest(listSplits(coarse, known), 1);
  const found = [...selectBest(findStarts(coarse, known), REFINED - split.length), ...split]
    .map((start) => search(coarse, start.params, SCAN_ITERATIONS_MAX).at)
    .reduce((a, b) => (b.ssr < a.ssr ? b : a));
  const hasChance = rival === null || canBeat(rival, thin, { problem: coarse, ssr: found.ssr });
  return refineMelt(curve, problem, found.params, hasChance ? ITERATIONS_MAX : 0);
}

/**
 * Whether a fit to a part of the points may beat a simpler one on all of them: its gain, without what its parameters
 * gain from noise alone, is projected to all points.
 */
export function canBeat(
  rival: MeltFit,
  thin: Curve,
  { problem, ssr }: { problem: MeltProblem; ssr: number },
): boolean {
  const simple = prepare(thin.temperatureC, thin.signal, rival.model);
  const before = solveAt(simple, listParameters(rival)).ssr;
  const n = thin.signal.length;
  const free = { before: n - simple.parameters, after: n - problem.parameters };
  if (!(free.after > 0) || !(ssr > 0)) return true;
  const gain = Math.log(before / free.before) - Math.log(ssr / free.after);
  const price = (problem.parameters - simple.parameters) * Math.log(rival.points);
  return rival.points * gain > price;
}

/** Searches from one start, on the points of the problem. */
export function search(
  problem: MeltProblem,
  start: readonly number[],
  iterationsMax: number,
): SquaresMinimum<MeltState, NormalEquations> {
  const squares = {
    evaluate: (params: readonly number[]) => solveAt(problem, [...params]),
    linearize: (at: MeltState) => linearize(problem, at),
  };
  return minimizeSquares(squares, start, { ...SEARCH, bounds: computeBounds(problem), iterationsMax });
}

/** Refines one start on all points. */
export function refineMelt(
  { signal }: Curve,
  problem: MeltProblem,
  start: readonly number[],
  iterationsMax = ITERATIONS_MAX,
): MeltFit {
  const { at, converged } = search(problem, start, iterationsMax);
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
  const computeSe = (p: number): number => {
    return covariance === null
      ? Number.POSITIVE_INFINITY
      : inflation * Math.sqrt(variance * covariance[p][p]);
  };
  const linear = solveLinearPart(problem, at);
  const range = getLimits(model.shape);
  const transitions = linear.amplitudes.map((amplitude, k): Transition => {
    const lnWidth = at.params[2 * k + 1];
    const margin = 1e-3;
    return {
      tmC: at.params[2 * k] - KELVIN,
      seTmC: computeSe(2 * k),
      width: Math.exp(lnWidth),
      seLnWidth: computeSe(2 * k + 1),
      widthAtBound: lnWidth < Math.log(range.min) + margin || lnWidth > Math.log(range.max) - margin,
      amplitude,
    };
  });
  return {
    model,
    transitions: transitions.sort((a, b) => a.tmC - b.tmC),
    overlapping: null,
    foldedSlopePerC: linear.foldedSlope,
    unfoldedSlopePerC: linear.unfoldedSlope,
    quenchPerC: model.isQuenched ? at.params[2 * model.transitions] / problem.halfK : 0,
    seQuenchPerC: model.isQuenched ? computeSe(2 * model.transitions) / problem.halfK : 0,
    halfC: problem.halfK,
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
 * Whether the interval of the width reaches the bound of the narrowest protein transition. Such a step more likely
 * comes from a detector, a bubble or a particle, and only one or two samples support it.
 */
export function isNarrowerThanProtein({ width, seLnWidth }: Transition, shape: Shape): boolean {
  const { min, max } = getLimits(shape);
  const margin = 1e-3;
  const reach = margin + NORMAL_95 * (Number.isFinite(seLnWidth) ? seLnWidth : 0);
  return shape === 'boltzmann'
    ? Math.log(width) - reach < Math.log(min)
    : Math.log(width) + reach > Math.log(max);
}

/** Returns the number of independent points under first-order autocorrelation. */
export function computeEffectivePoints(points: number, autocorrelation: number): number {
  return countIndependentPoints(points, computeCorrelationInflation(autocorrelation));
}

/**
 * Returns how much better `b` describes the same points than `a`: BIC(a) − BIC(b) on effectively independent points.
 */
export function computeBicGain(
  a: { ssr: number; parameters: number },
  b: { ssr: number; parameters: number },
  points: number,
): number {
  if (b.ssr <= 0) return a.ssr > 0 ? Number.POSITIVE_INFINITY : 0;
  return points * Math.log(a.ssr / b.ssr) - (b.parameters - a.parameters) * Math.log(points);
}

export function listParameters(fit: MeltFit): number[] {
  return [...listTransitions(fit), ...listQuench(fit)];
}

export function listTransitions({ transitions }: MeltFit): number[] {
  return transitions.flatMap(({ tmC, width }) => [tmC + KELVIN, Math.log(width)]);
}

export function listQuench({ model, quenchPerC, halfC }: MeltFit): number[] {
  return model.isQuenched ? [quenchPerC * halfC] : [];
}

/**
 * Returns the full width at half maximum of the derivative: 3.53 RT²/ΔH of a two-state transition, 3.53 a of a
 * Boltzmann curve. Closer transitions are not resolved.
 */
export function computePeakWidthC({ tmC, width }: Pick<Transition, 'tmC' | 'width'>, shape: Shape): number {
  return 3.5255 * (shape === 'boltzmann' ? width : (R_KCAL * (tmC + KELVIN) ** 2) / width);
}
