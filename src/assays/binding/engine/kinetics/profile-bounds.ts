/**
 * 95 % intervals by profile likelihood: the range in which the sum of squares, minimized over the other rate, rises
 * by no more than χ²₁ allows. Unlike the quadratic interval they need not be symmetric, and a side can be open.
 */
import { locateRise, type Risen } from '#analysis/numerics/search.ts';
import { CHI_SQUARE_95 } from '#analysis/numerics/statistics.ts';
import { minimizeSquares } from '#analysis/numerics/least-squares.ts';
import { evaluate } from './problem.ts';
import type { Evaluation, FitProblem } from './problem.ts';
import { computeHiddenKoff, buildModelProblem } from './profile.ts';

/** Factors on the estimate; null where the data set no limit within a factor of 1,000. */
export interface ProfileFactors {
  low: number | null;
  high: number | null;
}

export type ProfileBounds = Record<'kd' | 'kon' | 'koff', ProfileFactors>;

const POINTS_PER_CURVE = 64;
/** Largest factor searched, in ln; a rate that may be wrong by it has no limit. */
export const REACH = Math.log(1_000);
const FIRST_STEP = 0.02;
const GROWTH = 1.6;
const HALVINGS = 9;
/** How the other rate follows: by near-Gauss–Newton steps until they are short. */
const FOLLOW = {
  bounds: [{ min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY, step: 1 }],
  iterationsMax: 12,
  damping: { start: 1e-6, min: 1e-12, max: 1e12 },
  ssrTolerance: 0,
  stepTolerance: 1e-4,
  converges: 'either',
  atBounds: 'clamp',
} as const;

interface Rates {
  lnKon: number;
  lnKoff: number;
}

/**
 * Unit directions in (ln kon, ln koff): `move` changes the quantity, `follow` changes the other rate without changing
 * the quantity.
 */
const DIRECTIONS = {
  kd: { move: { lnKon: 0, lnKoff: 1 }, follow: { lnKon: 1, lnKoff: 1 } },
  kon: { move: { lnKon: 1, lnKoff: 0 }, follow: { lnKon: 0, lnKoff: 1 } },
  koff: { move: { lnKon: 0, lnKoff: 1 }, follow: { lnKon: 1, lnKoff: 0 } },
} as const;

type Direction = (typeof DIRECTIONS)[keyof typeof DIRECTIONS];

/**
 * Works on thinned model curves, whose minimum equals that of all points. `variances` are those of the residuals of
 * all points, widened for their correlated noise.
 */
export function computeProfileBounds(
  problem: FitProblem,
  best: Evaluation,
  variances: Record<keyof ProfileBounds, number>,
): ProfileBounds {
  const { coarse, scale } = buildModelProblem(problem, POINTS_PER_CURVE);
  const hidden = computeHiddenKoff(problem, best);
  const least = evaluate(coarse, best.lnKon, best.lnKoff).ssr;
  const computeFactors = (name: keyof ProfileBounds): ProfileFactors => {
    const direction = DIRECTIONS[name];
    const search = { direction, least, needed: (CHI_SQUARE_95 * variances[name]) / scale };
    return {
      low: reach(coarse, best, { ...search, sign: -1, farthest: REACH }),
      high: reach(coarse, best, { ...search, sign: 1, farthest: REACH + direction.move.lnKoff * hidden }),
    };
  };
  return { kd: computeFactors('kd'), kon: computeFactors('kon'), koff: computeFactors('koff') };
}

interface Search {
  direction: Direction;
  sign: 1 | -1;
  /** Sum of squares at the center, and by how much it may rise. */
  least: number;
  needed: number;
  farthest: number;
}

interface Visited extends Risen {
  readonly rates: Rates;
}

/** Returns the factor at which the profile crosses the limit, or null when it does not. */
function reach(
  problem: FitProblem,
  center: Rates,
  { direction, sign, least, needed, farthest }: Search,
): number | null {
  const { move } = direction;
  const visit = (at: number, { at: before, rates }: Visited): Visited => {
    const moved = {
      lnKon: rates.lnKon + sign * (at - before) * move.lnKon,
      lnKoff: rates.lnKoff + sign * (at - before) * move.lnKoff,
    };
    const found = minimizeAlong(problem, moved, direction);
    return { at, rates: found, rise: Math.max(0, found.ssr - least) };
  };
  let inside: Visited = { at: 0, rates: center, rise: 0 };
  let outside = visit(FIRST_STEP, inside);
  while (outside.rise < needed) {
    if (outside.at >= farthest) return null;
    inside = outside;
    outside = visit(Math.min(farthest, outside.at * GROWTH), inside);
  }
  const end = locateRise(visit, { inside, outside, needed, halvings: HALVINGS });
  return Math.exp((sign * (end.inside + end.outside)) / 2);
}

/** Minimizes along the free direction. */
function minimizeAlong(
  problem: FitProblem,
  start: Rates,
  { follow: { lnKon: a, lnKoff: d } }: Direction,
): Evaluation {
  const squares = {
    evaluate: ([x]: readonly number[]) => evaluate(problem, start.lnKon + x * a, start.lnKoff + x * d),
    linearize: ({ aa, ad, dd, ga, gd }: Evaluation) => ({
      jtj: [[a * a * aa + 2 * a * d * ad + d * d * dd]],
      jtr: [a * ga + d * gd],
    }),
  };
  return minimizeSquares(squares, [0], FOLLOW).at;
}
