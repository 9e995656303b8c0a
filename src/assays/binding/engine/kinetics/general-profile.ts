/** 95 % intervals by profile likelihood for the alternative models; `profile-bounds.ts` does the same for 1:1. */
import { narrowRise, type Risen } from '#analysis/numerics/search.ts';
import { CHI_SQUARE_95 } from '#analysis/numerics/statistics.ts';
import type { AlternativeModel } from './alternatives.ts';
import { solveFrom } from './general-fit.ts';
import type { GeneralSolution } from './general-fit.ts';
import type { FitProblem } from './problem.ts';
import { REACH } from './profile-bounds.ts';
import type { ProfileBounds, ProfileFactors } from './profile-bounds.ts';
import { buildModelProblem } from './profile.ts';

const POINTS_PER_CURVE = 40;
const CENTER = { iterations: 2, ssrTolerance: 1e-7 } as const;
const FOLLOW = { iterations: 6, ssrTolerance: 1e-5 } as const;
/** First step in standard errors of the quadratic interval, which is rarely wrong by more than a factor of two. */
const FIRST_STEP_SE = 1;
const FIRST_STEP_MAX = 0.5;
const GROWTH = 1.5;
const REFINEMENTS = 5;

export interface GeneralProfile {
  model: AlternativeModel;
  problem: FitProblem;
  solution: GeneralSolution;
  /** Index of ln kon of the interaction that is reported; ln koff follows it. */
  main: number;
  /** Variances of the residuals of all points, widened for their correlated noise. */
  variances: Record<keyof ProfileBounds, number>;
  /** Standard errors of the logarithms, from the quadratic interval. */
  se: Record<keyof ProfileBounds, number>;
}

/** Returns factors on the estimates; works on thinned model curves, whose minimum equals that of all points. */
export function computeGeneralProfileBounds(profile: GeneralProfile): ProfileBounds {
  const { model, problem, solution } = profile;
  const fitted = { ...problem, residual: solution.residual };
  const { coarse, scale } = buildModelProblem(fitted, POINTS_PER_CURVE);
  const center = solveFrom(model, coarse, solution.theta, CENTER);
  const computeFactors = (name: keyof ProfileBounds): ProfileFactors => {
    const limit = center.ssr + (CHI_SQUARE_95 * profile.variances[name]) / scale;
    const search = { ...getDirections(name, profile), limit };
    return {
      low: reach(profile, coarse, center, { ...search, sign: -1 }),
      high: reach(profile, coarse, center, { ...search, sign: 1 }),
    };
  };
  return { kd: computeFactors('kd'), kon: computeFactors('kon'), koff: computeFactors('koff') };
}

/**
 * Returns the direction that is moved, and the directions in which the other parameters may follow without moving it
 * back.
 */
function getDirections(
  name: keyof ProfileBounds,
  { solution, main, se }: GeneralProfile,
): { move: number[]; follow: number[][]; first: number } {
  const buildUnitVector = (k: number): number[] => solution.theta.map((_, j) => (j === k ? 1 : 0));
  const [kon, koff] = [main, main + 1];
  const others = solution.theta.flatMap((_, k) => (k === kon || k === koff ? [] : [buildUnitVector(k)]));
  const first = Math.min(
    FIRST_STEP_MAX,
    Number.isFinite(se[name]) ? FIRST_STEP_SE * se[name] : FIRST_STEP_MAX,
  );
  if (name === 'kon')
    return { move: buildUnitVector(kon), follow: [buildUnitVector(koff), ...others], first };
  if (name === 'koff')
    return { move: buildUnitVector(koff), follow: [buildUnitVector(kon), ...others], first };
  const both = solution.theta.map((_, j) => (j === kon || j === koff ? 1 : 0));
  return { move: buildUnitVector(koff), follow: [both, ...others], first };
}

interface Search {
  move: readonly number[];
  follow: readonly (readonly number[])[];
  first: number;
  limit: number;
  sign: 1 | -1;
}

interface Visited extends Risen {
  readonly theta: number[];
}

/** Returns the factor at which the profile crosses the limit, or null when it does not. */
function reach(
  { model }: GeneralProfile,
  problem: FitProblem,
  center: GeneralSolution,
  { move, follow, first, limit, sign }: Search,
): number | null {
  const needed = limit - center.ssr;
  const visit = (at: number, from: Visited): Visited => {
    const moved = from.theta.map((value, k) => value + sign * (at - from.at) * move[k]);
    const solution = solveFrom(model, problem, moved, FOLLOW, follow);
    return { at, theta: solution.theta, rise: Math.max(0, solution.ssr - center.ssr) };
  };
  let inside: Visited = { at: 0, theta: center.theta, rise: 0 };
  let outside = visit(Math.max(first, 1e-3), inside);
  while (outside.rise < needed) {
    if (outside.at >= REACH) return null;
    inside = outside;
    outside = visit(Math.min(REACH, outside.at * GROWTH), inside);
  }
  const end = narrowRise(visit, { inside, outside, needed, steps: REFINEMENTS });
  return Math.exp((sign * (end.inside.at + end.outside.at)) / 2);
}
