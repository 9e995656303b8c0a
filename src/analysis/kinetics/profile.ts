/** Identifiability of KD by its profile: is a tenfold lower or higher KD ruled out by the data? */
import { evaluate, prepareProblem } from './problem.ts';
import type { Evaluation, FitProblem } from './problem.ts';
import { thinned } from './solve.ts';

export type ProfileInterval = 'closed' | 'open_low' | 'open_high' | 'open';

const PROFILE_FACTOR = Math.log(10);
/** 95 % point of χ² with one degree of freedom. */
const PROFILE_RISE = 3.84;
const PROFILE_POINTS_PER_CURVE = 24;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Holds KD a factor of ten away on either side and asks whether the other rate can make up for it. Runs on thinned curves;
 * the rise of SSR is scaled to all points. `variance` is that of the residuals, widened for their autocorrelation.
 */
export function profileInterval(problem: FitProblem, best: Evaluation, variance: number): ProfileInterval {
  const curves = problem.curves.map((curve) => thinned(curve, PROFILE_POINTS_PER_CURVE));
  const coarse = prepareProblem(curves, problem.terms, problem.time);
  const scale = problem.projected.length / coarse.projected.length;
  const limit = evaluate(coarse, best.lnKon, best.lnKoff).ssr + (PROFILE_RISE * variance) / scale;
  const lnKd = best.lnKoff - best.lnKon;
  const low = bestAtKd(coarse, lnKd - PROFILE_FACTOR, best.lnKoff) < limit;
  const high = bestAtKd(coarse, lnKd + PROFILE_FACTOR, best.lnKoff) < limit;
  if (low && high) return 'open';
  if (low) return 'open_low';
  return high ? 'open_high' : 'closed';
}

/** Smallest SSR at a fixed KD: golden section over ln koff within ±5 of `centre`. */
function bestAtKd(problem: FitProblem, lnKd: number, centre: number): number {
  const at = (lnKoff: number): number => evaluate(problem, lnKoff - lnKd, lnKoff).ssr;
  let low = centre - 5;
  let high = centre + 5;
  let left = high - GOLDEN * (high - low);
  let right = low + GOLDEN * (high - low);
  let atLeft = at(left);
  let atRight = at(right);
  for (let step = 0; step < 14; step += 1) {
    if (atLeft < atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - GOLDEN * (high - low);
      atLeft = at(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + GOLDEN * (high - low);
      atRight = at(right);
    }
  }
  return Math.min(atLeft, atRight);
}
