/**
 * Four-parameter logistic standard curve, y = d + (a − d)/(1 + (x/c)^b), by weighted least squares
 * (Levenberg–Marquardt with the analytic Jacobian). The fitted parameters are a, d, ln c and ln b, so c and b are
 * always positive.
 */

import { minimizeSquares, type NormalEquations } from '#analysis/numerics/least-squares.ts';
import { invertPositive } from '#analysis/numerics/matrix.ts';
import { computeMean, computeRSquared } from '#analysis/numerics/statistics.ts';

export interface StandardPoint {
  /** Concentration, ≥ 0, in any unit; 0 is the zero calibrator. */
  x: number;
  response: number;
  /** Standard deviation of the response, for the weight 1/sd²; only its ratios matter. */
  sd: number;
}

export interface FourParameterFit {
  /** Response without analyte. */
  a: number;
  /** Hill slope. */
  b: number;
  /** Concentration halfway between `a` and `d`. */
  c: number;
  /** Response at infinite concentration. */
  d: number;
  /** Covariance of (a, d, ln c, ln b), scaled by the residual variance. */
  covariance: number[][];
  /** Residual standard deviation in units of the `sd` of the points. */
  scale: number;
  r2: number;
  points: number;
  converged: boolean;
}

type Parameters = [a: number, d: number, lnC: number, lnB: number];

const PARAMETERS = 4;
const START_SLOPES = [0.6, 1, 1.6];
const ANY = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY, step: Number.POSITIVE_INFINITY };
const LOGARITHM = { ...ANY, step: 2 };
const SEARCH = {
  bounds: [ANY, ANY, LOGARITHM, LOGARITHM],
  iterationsMax: 200,
  damping: { start: 1e-3, min: 1e-12, max: 1e12 },
  ssrTolerance: 1e-14,
  stepTolerance: 5e-10,
  leastStep: 0,
  converges: 'both',
  atBounds: 'hold',
} as const;

/**
 * Fits the curve; null below six points or three distinct positive concentrations, or when no start converges to
 * finite values. `near` is a fit of almost the same points, whose parameters are then the only start.
 */
export function fitFourParameter(
  points: readonly StandardPoint[],
  near?: Pick<FourParameterFit, 'a' | 'b' | 'c' | 'd'>,
): FourParameterFit | null {
  const levels = new Set(points.filter(({ x }) => x > 0).map(({ x }) => x));
  if (points.length < PARAMETERS + 2 || levels.size < 3) return null;
  if (points.some(({ x, response, sd }) => !(x >= 0) || !Number.isFinite(response) || !(sd > 0))) return null;
  const starts: Parameters[] =
    near === undefined ? findStarts(points) : [[near.a, near.d, Math.log(near.c), Math.log(near.b)]];
  const refined = starts.flatMap((start) => refine(points, start) ?? []);
  if (refined.length === 0) return null;
  const best = refined.reduce((least, each) => (each.ssr < least.ssr ? each : least));
  return summarize(points, best);
}

/** Returns the response of the curve at concentration `x`. */
export function computeResponseAt(
  { a, b, c, d }: Pick<FourParameterFit, 'a' | 'b' | 'c' | 'd'>,
  x: number,
): number {
  return x <= 0 ? a : d + (a - d) / (1 + (x / c) ** b);
}

export interface Inverted {
  x: number;
  /** Standard error of ln x from the curve and the response, by first-order propagation. */
  seLn: number;
}

/**
 * Returns the concentration at a response whose standard deviation is `responseSd`; null at or beyond an asymptote of
 * the curve.
 */
export function invert(fit: FourParameterFit, response: number, responseSd: number): Inverted | null {
  const u = (fit.a - response) / (response - fit.d);
  if (!(u > 0) || !Number.isFinite(u)) return null;
  const x = fit.c * u ** (1 / fit.b);
  const gradient = computeGradientAt([fit.a, fit.d, Math.log(fit.c), Math.log(fit.b)], x);
  // ∂y/∂ln x = −∂y/∂ln c, because y depends only on x/c.
  const slope = -gradient[2];
  let variance = responseSd ** 2;
  for (let i = 0; i < PARAMETERS; i += 1) {
    for (let j = 0; j < PARAMETERS; j += 1) variance += gradient[i] * fit.covariance[i][j] * gradient[j];
  }
  return { x, seLn: Math.sqrt(variance) / Math.abs(slope) };
}

function computeGradientAt([a, d, lnC, lnB]: Parameters, x: number): Parameters {
  if (x <= 0) return [1, 0, 0, 0];
  const b = Math.exp(lnB);
  const distance = Math.log(x) - lnC;
  const u = Math.exp(b * distance);
  const share = 1 / (1 + u);
  // u/(1 + u)² without overflow for large u.
  const bell = share * (1 - share);
  return [share, 1 - share, (a - d) * b * bell, -(a - d) * b * distance * bell];
}

function computeValueAt([a, d, lnC, lnB]: Parameters, x: number): number {
  if (x <= 0) return a;
  return d + (a - d) / (1 + Math.exp(Math.exp(lnB) * (Math.log(x) - lnC)));
}

/** Starts with the asymptotes at the ends of the data, the inflection at each inner level, and three slopes. */
function findStarts(points: readonly StandardPoint[]): Parameters[] {
  const byX = points.toSorted((p, q) => p.x - q.x);
  const ends = Math.max(1, Math.floor(points.length / 8));
  const average = (some: readonly StandardPoint[]): number =>
    computeMean(some.map(({ response }) => response));
  const a = average(byX.slice(0, ends));
  const last = average(byX.slice(-ends));
  const d = a + 1.2 * (last - a);
  const levels = [...new Set(byX.filter(({ x }) => x > 0).map(({ x }) => x))];
  const inner = levels.length > 4 ? levels.filter((_, index) => index % 2 === 1) : levels;
  return inner.flatMap((x) => START_SLOPES.map((b): Parameters => [a, d, Math.log(x), Math.log(b)]));
}

interface System extends NormalEquations {
  parameters: Parameters;
  ssr: number;
  /** JᵀWJ. */
  jtj: number[][];
  /** JᵀW(y − f). */
  jtr: number[];
}

function buildSystemAt(points: readonly StandardPoint[], parameters: Parameters): System {
  const jtj = Array.from({ length: PARAMETERS }, () => Array.from({ length: PARAMETERS }, () => 0));
  const jtr = [0, 0, 0, 0];
  let ssr = 0;
  for (const { x, response, sd } of points) {
    const gradient = computeGradientAt(parameters, x);
    const residual = (response - computeValueAt(parameters, x)) / sd;
    ssr += residual ** 2;
    for (let i = 0; i < PARAMETERS; i += 1) {
      jtr[i] += (gradient[i] / sd) * residual;
      for (let j = 0; j < PARAMETERS; j += 1) jtj[i][j] += (gradient[i] * gradient[j]) / sd ** 2;
    }
  }
  return { parameters, ssr, jtj, jtr };
}

/** Returns null where the search ends at values that are not finite. */
function refine(
  points: readonly StandardPoint[],
  start: Parameters,
): (System & { converged: boolean }) | null {
  const { at, converged } = minimizeSquares(
    {
      evaluate: ([a, d, lnC, lnB]: readonly number[]) => buildSystemAt(points, [a, d, lnC, lnB]),
      linearize: (system: System) => system,
    },
    start,
    SEARCH,
  );
  return at.parameters.every(Number.isFinite) && Number.isFinite(at.ssr) ? { ...at, converged } : null;
}

function summarize(
  points: readonly StandardPoint[],
  { parameters, ssr, jtj, converged }: System & { converged: boolean },
): FourParameterFit | null {
  const inverse = invertPositive(jtj);
  if (inverse === null) return null;
  const variance = ssr / (points.length - PARAMETERS);
  const covariance = inverse.map((row) => row.map((value) => value * variance));
  const [a, d, lnC, lnB] = parameters;
  return {
    a,
    b: Math.exp(lnB),
    c: Math.exp(lnC),
    d,
    covariance,
    scale: Math.sqrt(variance),
    r2: computeRSquared(ssr, [points.map(({ response }) => response)], [points.map(({ sd }) => sd)]),
    points: points.length,
    converged,
  };
}
