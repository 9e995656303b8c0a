/**
 * Fitted time zero: the true start and end of association, one pair for the whole experiment.
 *
 * The objective is continuous, but its derivative jumps at every sample. Therefore a pattern search is used: a coarse
 * grid over the window, then smaller and smaller steps from its best points, with the rates refined at every point. The
 * grid and the long steps use thinned curves, and only the last steps use all points.
 */
import { computeDot, appendDirection, projectOut } from '#analysis/numerics/matrix.ts';
import { listBlocks, removeShape } from './amplitudes.ts';
import { takeCopy, takeZeros } from './column-room.ts';
import { solveKinetics, type FitOptions, type SolvedFit } from './fit.ts';
import { computeInnovationGain, computeLagOneWithin, takeInnovations } from './innovations.ts';
import { NOMINAL_TIME, type FitCurve, type TimeZero, addResponse } from './model.ts';
import {
  evaluate,
  moveToTime,
  prepareProblem,
  solveLocalTerms,
  type Evaluation,
  type FitProblem,
} from './problem.ts';
import { isCorrelated, isExact } from './residual-limits.ts';
import { computeStepAhead, refine, solveMultistart, thinCurve } from './solve.ts';
import { projectLocal } from './local-basis.ts';

const GRID_STEPS_EACH_SIDE = 3;
const SEEDS = 2;
const COARSE_STEPS_S = [1, 0.5, 0.25];
const FINE_STEPS_S = [0.5, 0.25];
const COARSE_POINTS_PER_CURVE = 120;
const MOVES_MAX = 40;
/** Times whose forecast exceeds the best sum of squares by this factor are not refined. */
const HOPELESS_NEARBY = 1.001;

interface Rates {
  lnKon: number;
  lnKoff: number;
}

interface Node {
  time: TimeZero;
  ssr: number;
  start: Rates;
}

/**
 * Fits the rates and both shifts within ± `windowS`. The curves should reach `windowS` into the baseline (negative times),
 * where the model is zero; every node is fitted to the same points.
 */
export function solveWithTimeZero(
  curves: readonly FitCurve[],
  options: FitOptions,
  windowS: number,
): SolvedFit {
  const thin = prepareProblem(
    curves.map((curve) => thinCurve(curve, COARSE_POINTS_PER_CURVE)),
    options,
  );
  const coarse = new TimeSearch(thin, windowS);
  const seeds = coarse.searchGrid(solveMultistart(thin).evaluation);
  const fine = new TimeSearch(prepareProblem(curves, options), windowS);
  const best = seeds
    .map((seed) => coarse.descend(seed, COARSE_STEPS_S))
    .map(({ time, start }) => fine.descend(fine.visit(time, start), FINE_STEPS_S))
    .reduce((left, right) => (right.ssr < left.ssr ? right : left));
  return solveKinetics(curves, {
    ...options,
    timeZero: best.time,
    extraParameters: (options.extraParameters ?? 0) + 2,
    start: { kon: Math.exp(best.start.lnKon), koff: Math.exp(best.start.lnKoff) },
  });
}

/** A search for the times that visits each pair once. */
class TimeSearch {
  readonly #problem: FitProblem;
  readonly #windowS: number;
  readonly #known = new Map<string, Node>();

  constructor(problem: FitProblem, windowS: number) {
    this.#problem = problem;
    this.#windowS = windowS;
  }

  /** Refines the rates at these times, unless their forecast is hopeless beside the sum of squares of a rival. */
  visit(time: TimeZero, from: Rates, rivalSsr = Number.POSITIVE_INFINITY): Node {
    const key = `${time.startS}/${time.endS}`;
    const seen = this.#known.get(key);
    if (seen !== undefined) return seen;
    const moved = moveToTime(this.#problem, time);
    const here = evaluate(moved, from.lnKon, from.lnKoff);
    const ahead = computeStepAhead(here);
    const isHopeless = ahead.ssr > HOPELESS_NEARBY * rivalSsr;
    const found = isHopeless ? ahead : refine(moved, from, 'rough', here).evaluation;
    const node = { time, ssr: found.ssr, start: found };
    this.#known.set(key, node);
    return node;
  }

  /** Returns the best times of a grid over the window. */
  searchGrid(first: Rates): Node[] {
    let best: Node | null = null;
    for (const startS of buildGrid(this.#windowS)) {
      for (const endS of buildGrid(this.#windowS)) {
        const node = this.visit({ startS, endS }, best?.start ?? first);
        if (best === null || node.ssr <= best.ssr) best = node;
      }
    }
    return [...this.#known.values()].sort((a, b) => a.ssr - b.ssr).slice(0, SEEDS);
  }

  /** Moves to the best of the eight neighbors while one is better, with shrinking steps. */
  descend(seed: Node, stepsS: readonly number[]): Node {
    let best = seed;
    for (const step of stepsS) {
      for (let move = 0; move < MOVES_MAX; move += 1) {
        const here = best;
        const around = listNeighbors(here.time, step, this.#windowS).map((time) =>
          this.visit(time, here.start, here.ssr),
        );
        const next = around.reduce((left, right) => (right.ssr < left.ssr ? right : left), here);
        if (next === here) break;
        best = next;
      }
    }
    return best;
  }
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
  fit: Pick<SolvedFit, 'kon' | 'koff' | 'rmsPctRmax' | 'durbinWatson'>,
  windowS: number,
): boolean {
  if (isExact(fit)) return false;
  const problem = prepareProblem(curves, options);
  const rates = { lnKon: Math.log(fit.kon), lnKoff: Math.log(fit.koff) };
  const at = evaluate(problem, rates.lnKon, rates.lnKoff);
  return (
    computeScoreGain(problem, at) > BIC_GAIN_MIN ||
    (isCorrelated(fit) && isFarShiftBetter(problem, at, windowS))
  );
}

/** Returns by how much small shifts would lower the Bayesian information criterion of an evaluated problem. */
function computeScoreGain(problem: FitProblem, at: Evaluation): number {
  const { offsets, residual, buffers } = problem;
  const rho = computeLagOneWithin(residual, offsets);
  const toInnovations = (column: Float64Array): Float64Array => takeInnovations(column, offsets, rho);
  const byRate = [buffers.byLnKon, buffers.byLnKoff].map((column) => {
    const scaled = takeCopy(column);
    for (const [g, rmax] of at.rmax.entries())
      for (let i = offsets[g]; i < offsets[g + 1]; i += 1) scaled[i] *= rmax;
    return toInnovations(scaled);
  });
  const byShift = computeTimeShifts(problem, at, DIFFERENCE_S).map(toInnovations);
  const left = toInnovations(residual);
  const shape = toInnovations(buffers.shape);
  for (const block of listBlocks(problem)) removeShape([left, ...byRate, ...byShift], shape, block);
  const basis: Float64Array[] = [];
  for (const column of byRate) appendDirection(basis, column);
  projectOut(basis, left);
  const without = computeDot(left, left);
  for (const column of byShift) appendDirection(basis, column);
  projectOut(basis, left);
  return left.length * Math.log(without / computeDot(left, left)) - TIMES * Math.log(left.length);
}

/** A shift whose forecast multiplies the sum of squares by this is not refined. */
const HOPELESS_FAR = 4;

/** The score is linear in the shifts and misses large ones, so these are tried. */
function isFarShiftBetter(problem: FitProblem, start: Evaluation, windowS: number): boolean {
  const takeResidual = (moved: FitProblem, here: Evaluation): Float64Array => {
    refine(moved, start, 'rough', here);
    return takeCopy(moved.residual);
  };
  const stated = takeResidual(problem, start);
  const hopelessSsr = HOPELESS_FAR * computeDot(stated, stated);
  return [windowS / 2, windowS, -windowS / 2, -windowS].some((shiftS) => {
    const moved = moveToTime(problem, { startS: shiftS, endS: shiftS });
    const here = evaluate(moved, start.lnKon, start.lnKoff);
    if (computeStepAhead(here).ssr > hopelessSsr) return false;
    return computeInnovationGain(stated, takeResidual(moved, here), problem.offsets, TIMES) > BIC_GAIN_MIN;
  });
}

/**
 * Whether the data justify `moved`, with the options of its fit, over the best fit at the stated times, with `stated`.
 * Both are compared by the innovations of their noise. Jumps where the sensors change their wells look like a shift,
 * so where such jumps would be of the usual size, the shift has to explain more than they do.
 */
export function isTimeZeroShifted(
  curves: readonly FitCurve[],
  stated: FitOptions,
  options: FitOptions,
  moved: Pick<SolvedFit, 'kon' | 'koff' | 'timeZero'>,
): boolean {
  const start = { kon: moved.kon, koff: moved.koff };
  const isJustified = (free: Partial<FitOptions>): { gain: number; nominal: SolvedFit } => {
    const nominal = solveKinetics(curves, { ...stated, ...free, start, timeZero: NOMINAL_TIME });
    const { problem } = nominal;
    const before = takeCopy(problem.residual);
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

function buildGrid(windowS: number): number[] {
  const nodes = [];
  for (let i = -GRID_STEPS_EACH_SIDE; i <= GRID_STEPS_EACH_SIDE; i += 1) {
    nodes.push(Math.round((4 * i * windowS) / GRID_STEPS_EACH_SIDE) / 4);
  }
  return nodes;
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

/**
 * Returns, for the start and for the end of all injections, half the difference of the fitted curves between a shift by
 * `stepS` and one by as much the other way, in the unit of the signal and without the span of the local columns.
 */
function computeTimeShifts(problem: FitProblem, at: Evaluation, stepS: number): Float64Array[] {
  const { curves, offsets, time, locals } = problem;
  const rates = { kon: Math.exp(at.lnKon), koff: Math.exp(at.lnKoff) };
  return (['startS', 'endS'] as const).map((end) => {
    const column = takeZeros(offsets[curves.length]);
    for (const [g, curve] of curves.entries()) {
      for (const sign of [1, -1]) {
        const moved = { ...time, [end]: time[end] + sign * stepS };
        addResponse(curve, rates, { time: moved, weight: (sign * at.rmax[g]) / 2 }, column, offsets[g]);
      }
      projectLocal(locals[g], column, offsets[g]);
    }
    return column;
  });
}
