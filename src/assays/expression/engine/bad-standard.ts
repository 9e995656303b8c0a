/**
 * Finds the one bad standard of many: a well, or all wells of one concentration, without which the curve describes the
 * others far better. A least-squares curve bends towards a bad standard and then misreads every sample beside it.
 */
import { computeStudentQuantile } from '#analysis/numerics/statistics.ts';
import { computeResponseAt, fitFourParameter, invert } from './four-parameter.ts';
import type { FourParameterFit, StandardPoint } from './four-parameter.ts';

const PARAMETERS = 4;
/** Concentrations that must remain, so that the others can show that one is bad. */
const LEVELS_MIN = 5;
/** Probability of leaving out a standard of a plate whose standards are all good; it is shared among the candidates. */
const FALSE_ALARM = 0.005;
/** A standard is left out only if its concentration is read wrong by more than this factor; smaller errors are noise. */
const FACTOR_MIN = 1.2;
/** Others that scatter around their curve by this multiple of their expected error do not show that one is bad. */
const SCALE_MAX = 4;

export interface BadStandard<Point> {
  points: readonly Point[];
  /** Nominal concentration, and the one that the curve of the others reads; null where they read none. */
  x: number;
  read: number | null;
  /** The curve of the others. */
  fit: FourParameterFit;
}

/** Returns null where every standard belongs to the curve. */
export function findBadStandard<Point extends StandardPoint>(
  points: readonly Point[],
  fit: FourParameterFit,
): BadStandard<Point> | null {
  const levels = [...Map.groupBy(points, ({ x }) => x).values()];
  // The others say nothing about the highest concentration, because there the curve ends.
  const top = Math.max(...points.map(({ x }) => x));
  const candidates: (readonly Point[])[] = [
    ...points
      .filter(({ x }) => x < top || (levels.find(([each]) => each.x === x)?.length ?? 0) > 1)
      .map((point) => [point]),
    ...levels.filter((members) => members.length > 1 && members[0].x > 0 && members[0].x < top),
  ];
  const whole = computeSquares(fit, points);
  let best: { found: BadStandard<Point>; t: number } | null = null;
  for (const left of candidates) {
    const kept = points.filter((point) => !left.includes(point));
    if (new Set(kept.filter(({ x }) => x > 0).map(({ x }) => x)).size < LEVELS_MIN) continue;
    const without = fitFourParameter(kept, fit);
    const freedom = points.length - PARAMETERS - 1;
    if (without === null || freedom < 1 || without.scale > SCALE_MAX) continue;
    // What is left beside a shift of the candidate: the others around their curve, its wells around their mean.
    const rest = computeSquares(without, kept) + computeScatter(left);
    const t = Math.sqrt(Math.max(0, whole - rest) / (rest / freedom));
    const found = describeCandidate(left, without);
    if (isMaterial(found) && (best === null || t > best.t)) best = { found, t };
  }
  const freedom = points.length - PARAMETERS - 1;
  if (best === null || freedom < 1) return null;
  const limit = computeStudentQuantile(1 - FALSE_ALARM / 2 / candidates.length, freedom);
  return best.t > limit ? best.found : null;
}

function computeSquares(fit: FourParameterFit, points: readonly StandardPoint[]): number {
  return points.reduce(
    (sum, { x, response, sd }) => sum + ((response - computeResponseAt(fit, x)) / sd) ** 2,
    0,
  );
}

function computeScatter(points: readonly StandardPoint[]): number {
  const weight = points.reduce((sum, { sd }) => sum + 1 / sd ** 2, 0);
  const mean = points.reduce((sum, { response, sd }) => sum + response / sd ** 2, 0) / weight;
  return points.reduce((sum, { response, sd }) => sum + ((response - mean) / sd) ** 2, 0);
}

function describeCandidate<Point extends StandardPoint>(
  points: readonly Point[],
  fit: FourParameterFit,
): BadStandard<Point> {
  const response = points.reduce((sum, point) => sum + point.response, 0) / points.length;
  return { points, x: points[0].x, read: invert(fit, response, 0)?.x ?? null, fit };
}

function isMaterial({ x, read }: BadStandard<StandardPoint>): boolean {
  if (x === 0 || read === null) return true;
  return Math.abs(Math.log(read / x)) > Math.log(FACTOR_MIN);
}
