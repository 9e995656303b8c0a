/**
 * Fitted time zero: the true start and end of association, one pair for the whole experiment.
 *
 * The objective is continuous, but its derivative jumps at every sample. Therefore a pattern search is used: a coarse
 * grid over the window, then smaller and smaller steps from its best points, with the rates refined at every point.
 */
import { computeDot } from '../../../numerics/matrix.ts';
import { appendDirection, projectOut } from '../../../numerics/projection.ts';
import { fitKinetics, solveKinetics } from './fit.ts';
import { computeInnovationGain, computeLagOneWithin, takeInnovations } from './innovations.ts';
import type { FitOptions, KineticFit, SolvedFit } from './fit.ts';
import { NOMINAL_TIME } from './model.ts';
import type { FitCurve, TimeZero } from './model.ts';
import { evaluate, moveToTime, prepareProblem, solveLocalTerms } from './problem.ts';
import { refine, solveMultistart } from './solve.ts';

const GRID_STEPS_EACH_SIDE = 3;
const SEEDS = 2;
const PATTERN_STEPS_S = [1, 0.5, 0.25];
const MOVES_MAX = 40;

interface Node {
  time: TimeZero;
  ssr: number;
  start: { lnKon: number; lnKoff: number };
}

/**
 * Fits the rates and both shifts within ± `windowS`. The curves should reach `windowS` into the baseline (negative times),
 * where the model is zero; every node is fitted to the same points.
 */
export function fitWithTimeZero(
  curves: readonly FitCurve[],
  options: FitOptions,
  windowS: number,
): KineticFit {
  const known = new Map<string, Node>();
  const problem = prepareProblem(curves, options);
  const first = solveMultistart(problem).evaluation;
  const visit = (time: TimeZero, from: { lnKon: number; lnKoff: number }): Node => {
    const key = `${time.startS}/${time.endS}`;
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    const { evaluation } = refine(moveToTime(problem, time), from);
    const node = { time, ssr: evaluation.ssr, start: evaluation };
    known.set(key, node);
    return node;
  };
  let start: { lnKon: number; lnKoff: number } = first;
  for (const startS of buildGrid(windowS)) {
    for (const endS of buildGrid(windowS)) {
      const node = visit({ startS, endS }, start);
      if (node.ssr <= Math.min(...[...known.values()].map((each) => each.ssr))) start = node.start;
    }
  }
  const seeds = [...known.values()].sort((a, b) => a.ssr - b.ssr).slice(0, SEEDS);
  const best = seeds
    .map((seed) => descend(seed, visit, windowS))
    .reduce((left, right) => (right.ssr < left.ssr ? right : left));
  return fitKinetics(curves, {
    ...options,
    timeZero: best.time,
    extraParameters: (options.extraParameters ?? 0) + 2,
    start: { kon: Math.exp(best.start.lnKon), koff: Math.exp(best.start.lnKoff) },
  });
}

/** Number of shifts: of the start and of the end. */
const TIMES = 2;
/** They must lower the Bayesian information criterion by this much. */
const BIC_GAIN_MIN = 10;
/** Half the shift, in s, from which derivatives are taken. */
const DIFFERENCE_S = 0.5;

/**
 * Tests cheaply, before the search, whether shifts of both ends would improve the fit: a score test (Rao 1948) on
 * innovations, which shows a misfit at the turns beside slow noise.
 */
export function isTimeZeroSuspect(
  curves: readonly FitCurve[],
  options: FitOptions,
  fit: Pick<KineticFit, 'kon' | 'koff' | 'rmsPctRmax' | 'durbinWatson'>,
  windowS: number,
): boolean {
  if (!(fit.rmsPctRmax > EXACT_RMS_PCT)) return false;
  if (fit.durbinWatson < DURBIN_WATSON_MIN && isFarShiftBetter(curves, options, fit, windowS)) return true;
  const problem = prepareProblem(curves, options);
  const [lnKon, lnKoff] = [Math.log(fit.kon), Math.log(fit.koff)];
  const takeShape = (time: TimeZero): Float64Array => {
    const moved = moveToTime(problem, time);
    evaluate(moved, lnKon, lnKoff);
    return Float64Array.from(moved.buffers.shape);
  };
  const byShift = (['startS', 'endS'] as const).map((end) => {
    const later = takeShape({ ...NOMINAL_TIME, [end]: DIFFERENCE_S });
    const earlier = takeShape({ ...NOMINAL_TIME, [end]: -DIFFERENCE_S });
    return later.map((value, i) => value - earlier[i]);
  });
  const at = evaluate(problem, lnKon, lnKoff);
  const { offsets, residual, buffers } = problem;
  const rho = computeLagOneWithin(residual, offsets);
  const scale = (column: Float64Array): Float64Array => {
    const out = Float64Array.from(column);
    for (const [g, rmax] of at.rmax.entries())
      for (let i = offsets[g]; i < offsets[g + 1]; i += 1) out[i] *= rmax;
    return out;
  };
  const toInnovations = (column: Float64Array): Float64Array => takeInnovations(column, offsets, rho);
  const rates = [buffers.byLnKon, buffers.byLnKoff].map((column) => toInnovations(scale(column)));
  const amplitudes = listAmplitudes(toInnovations(buffers.shape), offsets, options.rmax);
  const left = toInnovations(residual);
  const basis: Float64Array[] = [];
  for (const column of [...amplitudes, ...rates]) appendDirection(basis, column);
  projectOut(basis, left);
  const without = computeDot(left, left);
  for (const column of byShift) appendDirection(basis, toInnovations(scale(column)));
  projectOut(basis, left);
  return (
    left.length * Math.log(without / computeDot(left, left)) - TIMES * Math.log(left.length) > BIC_GAIN_MIN
  );
}

/** Residuals below this are correlated. */
const DURBIN_WATSON_MIN = 1;

/** The score is linear in the shifts and misses large ones, so these are tried. */
function isFarShiftBetter(
  curves: readonly FitCurve[],
  options: FitOptions,
  fit: Pick<KineticFit, 'kon' | 'koff'>,
  windowS: number,
): boolean {
  const problem = prepareProblem(curves, options);
  const start = { lnKon: Math.log(fit.kon), lnKoff: Math.log(fit.koff) };
  const takeResidual = (time: TimeZero): Float64Array => {
    const moved = moveToTime(problem, time);
    const { lnKon, lnKoff } = refine(moved, start).evaluation;
    evaluate(moved, lnKon, lnKoff);
    return Float64Array.from(moved.residual);
  };
  const stated = takeResidual(NOMINAL_TIME);
  return [windowS / 2, windowS, -windowS / 2, -windowS].some((shiftS) => {
    const shifted = takeResidual({ startS: shiftS, endS: shiftS });
    return computeInnovationGain(stated, shifted, problem.offsets, TIMES) > BIC_GAIN_MIN;
  });
}

/** A fit that is exact to rounding leaves nothing to explain. */
const EXACT_RMS_PCT = 1e-3;

/**
 * Whether the data justify `moved`, with the options of its fit, over the best fit at the stated times, with `stated`.
 * Both are compared by the innovations of their noise. Jumps where the sensors change their wells look like a shift,
 * so where such jumps would be of the usual size, the shift has to explain more than they do.
 */
export function isTimeZeroShifted(
  curves: readonly FitCurve[],
  stated: FitOptions,
  options: FitOptions,
  moved: KineticFit,
): boolean {
  const start = { kon: moved.kon, koff: moved.koff };
  const isJustified = (free: Partial<FitOptions>): { gain: number; nominal: SolvedFit } => {
    const nominal = solveKinetics(curves, { ...stated, ...free, start, timeZero: NOMINAL_TIME });
    const { problem } = nominal;
    const before = Float64Array.from(problem.residual);
    const shifted = solveKinetics(curves, { ...options, ...free, start, timeZero: moved.timeZero });
    const countAmplitudes = ({ rmax }: FitOptions): number => (rmax === 'global' ? 1 : curves.length);
    const parameters = TIMES + countAmplitudes(options) - countAmplitudes(stated);
    const { residual, offsets } = shifted.problem;
    return { gain: computeInnovationGain(before, residual, offsets, parameters), nominal };
  };
  if (!(isJustified({}).gain > BIC_GAIN_MIN)) return false;
  if (curves.every(({ jumpSd }) => jumpSd === undefined)) return true;
  const { gain, nominal } = isJustified({ bulkShift: true, step: true });
  return gain > BIC_GAIN_MIN || !areJumpsUsual(curves, nominal);
}

/** Largest usual size of jumps, as a root mean square in standard deviations. */
const JUMP_SD_MAX = 3;

function areJumpsUsual(curves: readonly FitCurve[], { problem, kon, koff, at }: SolvedFit): boolean {
  const jumps = curves.flatMap(({ jumpSd = 0 }, g) => {
    const { bulkShift = 0, step = 0 } = solveLocalTerms(problem, g, { kon, koff, rmax: at.rmax[g] });
    return [bulkShift / jumpSd, (step - bulkShift) / jumpSd];
  });
  return Math.sqrt(computeDot(jumps, jumps) / jumps.length) <= JUMP_SD_MAX;
}

/** One column for all curves, or one for each, zero elsewhere. */
function listAmplitudes(
  shape: Float64Array,
  offsets: ArrayLike<number>,
  rmax: FitOptions['rmax'],
): Float64Array[] {
  if (rmax === 'global') return [shape];
  return Array.from({ length: offsets.length - 1 }, (_, g) =>
    shape.map((value, i) => (i >= offsets[g] && i < offsets[g + 1] ? value : 0)),
  );
}

function buildGrid(windowS: number): number[] {
  const nodes = [];
  for (let i = -GRID_STEPS_EACH_SIDE; i <= GRID_STEPS_EACH_SIDE; i += 1) {
    nodes.push(Math.round((4 * i * windowS) / GRID_STEPS_EACH_SIDE) / 4);
  }
  return nodes;
}

/** Moves to the best of the eight neighbors while one is better, with shrinking steps. */
function descend(seed: Node, visit: (time: TimeZero, from: Node['start']) => Node, windowS: number): Node {
  let best = seed;
  for (const step of PATTERN_STEPS_S) {
    for (let move = 0; move < MOVES_MAX; move += 1) {
      const here = best;
      const around = listNeighbors(here.time, step, windowS).map((time) => visit(time, here.start));
      const next = around.reduce((left, right) => (right.ssr < left.ssr ? right : left), here);
      if (next === here) break;
      best = next;
    }
  }
  return best;
}

function listNeighbors(at: TimeZero, step: number, windowS: number): TimeZero[] {
  const found: TimeZero[] = [];
  for (const startStep of [-step, 0, step]) {
    for (const endStep of [-step, 0, step]) {
      const time = { startS: at.startS + startStep, endS: at.endS + endStep };
      const inside = Math.abs(time.startS) <= windowS && Math.abs(time.endS) <= windowS;
      if (inside && (startStep !== 0 || endStep !== 0)) found.push(time);
    }
  }
  return found;
}
