/**
 * Fitted time zero: the true start and end of association, one pair for the whole experiment.
 *
 * The objective is continuous, but its derivative jumps at every sample. Therefore a pattern search is used: a coarse
 * grid over the window, then smaller and smaller steps from its best points, with the rates refined at every point.
 */
import { fitKinetics, solveKinetics } from './fit.ts';
import type { FitOptions, KineticFit } from './fit.ts';
import { NOMINAL_TIME } from './model.ts';
import type { FitCurve, TimeZero } from './model.ts';
import { moveToTime, prepareProblem } from './problem.ts';
import { refine, isRefinedBelow, solveMultistart } from './solve.ts';

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

const PROBE_STEP_S = 1;
/** A shift by one second must lower SSR by this fraction for the search to be worth its time. */
const PROBE_GAIN_MIN = 0.05;
/** The two shifts must lower the Bayesian information criterion by this much. */
const BIC_GAIN_MIN = 10;

/** Tests cheaply, before the search, whether a shift of either end by one second improves the fit. */
export function isTimeZeroSuspect(
  curves: readonly FitCurve[],
  options: FitOptions,
  fit: KineticFit,
): boolean {
  const start = { lnKon: Math.log(fit.kon), lnKoff: Math.log(fit.koff) };
  const problem = prepareProblem(curves, options);
  const limit = (1 - PROBE_GAIN_MIN) * refine(problem, start).evaluation.ssr;
  const probes = listNeighbors(NOMINAL_TIME, PROBE_STEP_S, PROBE_STEP_S);
  return probes.some((time) => isRefinedBelow(moveToTime(problem, time), start, limit));
}

/**
 * Whether the data justify the two parameters of the shifts in `moved`. Remaining autocorrelation reduces the
 * effective number of points: a model that is wrong for another reason stays correlated and gains nothing.
 */
export function isTimeZeroShifted(
  curves: readonly FitCurve[],
  options: FitOptions,
  moved: KineticFit,
): boolean {
  const start = { kon: moved.kon, koff: moved.koff };
  const nominal = solveKinetics(curves, { ...options, start });
  const effective = nominal.n / moved.correlationFactor ** 2;
  return effective * Math.log(nominal.ssr / moved.ssr) - 2 * Math.log(effective) > BIC_GAIN_MIN;
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
