/** Equilibrium isotherm R_eq = Rmax·C/(KD + C): for interactions whose curves are flat. One nonlinear parameter. */

export interface SteadyStatePoint {
  concentrationM: number;
  /** Response at the end of the association. */
  response: number;
}

export interface SteadyStateFit {
  kdM: number;
  seLnKd: number;
  rmax: number;
  r2: number;
  points: SteadyStatePoint[];
}

const GRID_PER_DECADE = 12;
const REFINEMENTS = 60;

/** Null below three concentrations or when the response does not rise. */
export function fitSteadyState(points: readonly SteadyStatePoint[]): SteadyStateFit | null {
  const distinct = new Set(points.map((point) => point.concentrationM));
  if (distinct.size < 3) return null;
  const lowest = Math.min(...distinct);
  const highest = Math.max(...distinct);
  const from = Math.log(lowest) - Math.log(1e3);
  const to = Math.log(highest) + Math.log(1e3);
  const steps = Math.ceil(((to - from) / Math.LN10) * GRID_PER_DECADE);
  const width = (to - from) / steps;
  let best = from;
  for (let i = 0; i <= steps; i += 1) {
    const lnKd = from + i * width;
    if (isotherm(points, lnKd).ssr < isotherm(points, best).ssr) best = lnKd;
  }
  const lnKd = narrow((at) => isotherm(points, at).ssr, best - width, best + width);
  const at = isotherm(points, lnKd);
  if (at.rmax <= 0) return null;
  const variance = at.ssr / Math.max(1, points.length - 2);
  const centre = points.reduce((sum, point) => sum + point.response, 0) / points.length;
  const total = points.reduce((sum, point) => sum + (point.response - centre) ** 2, 0);
  return {
    kdM: Math.exp(lnKd),
    seLnKd: at.information > 0 ? Math.sqrt(variance / at.information) : Number.POSITIVE_INFINITY,
    rmax: at.rmax,
    r2: total > 0 ? 1 - at.ssr / total : 0,
    points: [...points],
  };
}

/** Rmax by projection, residual sum of squares, and the squared length of the projected derivative for ln KD. */
function isotherm(
  points: readonly SteadyStatePoint[],
  lnKd: number,
): { rmax: number; ssr: number; information: number } {
  const kd = Math.exp(lnKd);
  let ss = 0;
  let sy = 0;
  let sj = 0;
  for (const { concentrationM, response } of points) {
    const s = concentrationM / (kd + concentrationM);
    ss += s * s;
    sy += s * response;
    sj += s * s * (1 - s);
  }
  const rmax = ss > 0 ? Math.max(0, sy / ss) : 0;
  let ssr = 0;
  let information = 0;
  for (const { concentrationM, response } of points) {
    const s = concentrationM / (kd + concentrationM);
    ssr += (response - rmax * s) ** 2;
    information += (rmax * (-s * (1 - s) + (sj / ss) * s)) ** 2;
  }
  return { rmax, ssr, information };
}

function narrow(at: (x: number) => number, from: number, to: number): number {
  let low = from;
  let high = to;
  for (let step = 0; step < REFINEMENTS; step += 1) {
    const third = (high - low) / 3;
    if (at(low + third) < at(high - third)) high -= third;
    else low += third;
  }
  return (low + high) / 2;
}
