/**
 * Equilibrium isotherm R_eq = Rmax·C/(KD + C), with a constant if the settings ask for it: for interactions whose
 * curves reach equilibrium. There is one nonlinear parameter, so the profile is the exact likelihood interval; it
 * uses Student's t, because the noise is estimated from few points.
 */
import { computeMean, computeRSquared, computeT95 } from '#analysis/numerics/statistics.ts';
import { bisect, minimizeBetween } from '#analysis/numerics/search.ts';
import type { ProfileFactors } from './profile-bounds.ts';

export interface SteadyStatePoint {
  concentrationM: number;
  /** Response at the end of association. */
  response: number;
}

export interface SteadyStateFit {
  kdM: number;
  seLnKd: number;
  /** 95 % interval of KD by profile, as factors; null sides are open. */
  interval: ProfileFactors;
  rmax: number;
  /** Fitted constant; null where it is not part of the model. */
  offset: number | null;
  parameters: number;
  r2: number;
  points: SteadyStatePoint[];
}

const GRID_PER_DECADE = 12;
const REFINEMENTS = 60;
/** KD is searched up to this factor outside the concentrations. */
const REACH = 1e3;

/** Fits the isotherm; null below three concentrations (four with an offset) or when the response does not rise. */
export function fitSteadyState(
  points: readonly SteadyStatePoint[],
  { offset = false }: { offset?: boolean } = {},
): SteadyStateFit | null {
  const distinct = new Set(points.map((point) => point.concentrationM));
  const parameters = offset ? 3 : 2;
  if (distinct.size <= parameters) return null;
  const ends = {
    from: Math.log(Math.min(...distinct) / REACH),
    to: Math.log(Math.max(...distinct) * REACH),
  };
  const steps = Math.ceil(((ends.to - ends.from) / Math.LN10) * GRID_PER_DECADE);
  const width = (ends.to - ends.from) / steps;
  const computeSsr = (lnKd: number): number => solveIsotherm(points, lnKd, offset).ssr;
  let best = ends.from;
  let least = computeSsr(best);
  for (let i = 1; i <= steps; i += 1) {
    const lnKd = ends.from + i * width;
    const ssr = computeSsr(lnKd);
    if (ssr < least) [best, least] = [lnKd, ssr];
  }
  const lnKd = minimizeBetween(computeSsr, { low: best - width, high: best + width, steps: REFINEMENTS }).x;
  const at = solveIsotherm(points, lnKd, offset);
  if (at.rmax <= 0) return null;
  const freedom = points.length - parameters;
  const variance = at.ssr / Math.max(1, freedom);
  const limit = at.ssr + computeT95(Math.max(1, freedom)) ** 2 * variance;
  return {
    kdM: Math.exp(lnKd),
    seLnKd: at.information > 0 ? Math.sqrt(variance / at.information) : Number.POSITIVE_INFINITY,
    interval: {
      low: findCrossing(computeSsr, limit, { from: lnKd, to: ends.from, width }),
      high: findCrossing(computeSsr, limit, { from: lnKd, to: ends.to, width }),
    },
    rmax: at.rmax,
    offset: offset ? at.offset : null,
    parameters,
    r2: computeRSquared(at.ssr, [points.map(({ response }) => response)]),
    points: [...points],
  };
}

/** Returns the factor on KD at which the profile first rises to the limit; null when it does not. */
function findCrossing(
  ssrAt: (lnKd: number) => number,
  limit: number,
  { from, to, width }: { from: number; to: number; width: number },
): number | null {
  const direction = Math.sign(to - from);
  let inside = from;
  for (let at = from + direction * width; direction * (to - at) >= 0; at += direction * width) {
    if (ssrAt(at) < limit) {
      inside = at;
      continue;
    }
    const found = bisect((x) => ssrAt(x) < limit, { inside, outside: at, steps: REFINEMENTS });
    return Math.exp(found.inside - from);
  }
  return null;
}

interface Isotherm {
  rmax: number;
  offset: number;
  ssr: number;
  /** Squared length of the projected derivative for ln KD. */
  information: number;
}

/** Solves the linear part at one KD; centering the columns eliminates an offset. */
function solveIsotherm(points: readonly SteadyStatePoint[], lnKd: number, offset: boolean): Isotherm {
  const kd = Math.exp(lnKd);
  const computeOccupancy = ({ concentrationM }: SteadyStatePoint): number =>
    concentrationM / (kd + concentrationM);
  let s0 = 0;
  let j0 = 0;
  let y0 = 0;
  if (offset) {
    const saturation = points.map(computeOccupancy);
    s0 = computeMean(saturation);
    j0 = computeMean(saturation.map((s) => -s * (1 - s)));
    y0 = computeMean(points.map((each) => each.response));
  }
  // In loops without arrays, because a fit solves some hundred isotherms.
  let ss = 0;
  let sy = 0;
  let sj = 0;
  for (let i = 0; i < points.length; i += 1) {
    const s = computeOccupancy(points[i]);
    ss += (s - s0) ** 2;
    sy += (s - s0) * (points[i].response - y0);
    sj += (s - s0) * (-s * (1 - s) - j0);
  }
  const rmax = ss > 0 ? Math.max(0, sy / ss) : 0;
  let ssr = 0;
  let information = 0;
  for (let i = 0; i < points.length; i += 1) {
    const s = computeOccupancy(points[i]);
    ssr += (points[i].response - y0 - rmax * (s - s0)) ** 2;
    information += (rmax * (-s * (1 - s) - j0 - (sj / ss) * (s - s0))) ** 2;
  }
  return { rmax, offset: y0 - rmax * s0, ssr, information };
}
