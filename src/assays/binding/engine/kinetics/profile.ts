/** Identifiability of KD by its profile: do the data exclude a KD ten times lower or higher? */
import { subtractColumns } from '#analysis/numerics/matrix.ts';
import { minimizeBetween } from '#analysis/numerics/search.ts';
import { CHI_SQUARE_95 } from '#analysis/numerics/statistics.ts';
import { evaluate, prepareProblem, restoreResidual } from './problem.ts';
import type { Evaluation, FitProblem } from './problem.ts';
import { thinCurve } from './solve.ts';

export type ProfileInterval = 'closed' | 'open_low' | 'open_high' | 'open';

const PROFILE_FACTOR = Math.log(10);
const PROFILE_POINTS_PER_CURVE = 24;

/**
 * Fixes KD a factor of ten away on either side and tests whether the other rate can compensate. Runs on thinned model
 * curves; the rise of SSR is scaled to all points. `variance` is that of the residuals, widened for their
 * autocorrelation. A koff below what the curves can resolve is first raised to that value; otherwise ten times it
 * would still be invisible.
 */
export function computeProfileInterval(
  problem: FitProblem,
  best: Evaluation,
  variance: number,
): ProfileInterval {
  const { coarse, scale } = buildModelProblem(problem, PROFILE_POINTS_PER_CURVE);
  const limit = (CHI_SQUARE_95 * variance) / scale + evaluate(coarse, best.lnKon, best.lnKoff).ssr;
  const lnKd = best.lnKoff - best.lnKon;
  const hidden = computeHiddenKoff(problem, best);
  const low = findBestAtKd(coarse, lnKd - PROFILE_FACTOR, best.lnKoff) < limit;
  const high = findBestAtKd(coarse, lnKd + hidden + PROFILE_FACTOR, best.lnKoff + hidden) < limit;
  if (low && high) return 'open';
  if (low) return 'open_low';
  return high ? 'open_high' : 'closed';
}

/**
 * Returns the fitted curves without noise, on few points; `problem` must be evaluated at its best rates. A few data
 * points instead would carry noise that all points average out, and their minimum would lie elsewhere.
 */
export function buildModelProblem(
  problem: FitProblem,
  pointsPerCurve: number,
): { coarse: FitProblem; scale: number } {
  const { curves, residual } = problem;
  const fitted = curves.map((curve, g) => {
    const signal = subtractColumns(curve.signal, restoreResidual(problem, g, residual, 'left'));
    return thinCurve({ ...curve, signal }, pointsPerCurve);
  });
  const points = fitted.reduce((sum, { timeS }) => sum + timeS.length, 0);
  const scale = problem.projected.length / points;
  const { heldRmax, ...terms } = problem.terms;
  const held = heldRmax && { ...heldRmax, variance: heldRmax.variance / scale };
  return { coarse: prepareProblem(fitted, held ? { ...terms, heldRmax: held } : terms, problem.time), scale };
}

/** Fraction of the complex that must dissociate before koff becomes visible. */
const SEEN_FRACTION = 1e-3;

/**
 * Returns the distance, in ln, of the fitted koff below the smallest one that the dissociation time can show; 0 if it
 * is above.
 */
export function computeHiddenKoff({ curves }: FitProblem, { lnKoff }: { lnKoff: number }): number {
  const dissociationS = Math.max(
    ...curves.map(({ timeS, associationS }) => (timeS.at(-1) ?? 0) - associationS),
  );
  return dissociationS > 0 ? Math.max(0, Math.log(SEEN_FRACTION / dissociationS) - lnKoff) : 0;
}

/** Returns the smallest SSR at a fixed KD, over ln koff within ±5 of `center`. */
function findBestAtKd(problem: FitProblem, lnKd: number, center: number): number {
  const computeSsr = (lnKoff: number): number => evaluate(problem, lnKoff - lnKd, lnKoff).ssr;
  return minimizeBetween(computeSsr, { low: center - 5, high: center + 5, steps: 14 }).value;
}
