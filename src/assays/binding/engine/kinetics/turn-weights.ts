/** How samples near a turn of a curve give its level at the turn. */
import {
  computeDot,
  invertPositive,
  mapColumn,
  multiplyColumns,
  subtractScaled,
} from '#analysis/numerics/matrix.ts';

/** The length of the samples that give the level. */
export const JOIN_S = 1;

/**
 * Returns the weights of samples that give their level at one time: the mean of the nearest second, corrected by the
 * slope of a parabola.
 */
export function computeTurnWeights(timeS: Float64Array, atS: number): Float64Array {
  let nearestS = Number.POSITIVE_INFINITY;
  for (let i = 0; i < timeS.length; i += 1) nearestS = Math.min(nearestS, Math.abs(timeS[i] - atS));
  const isNear = mapColumn(timeS, (t) => (Math.abs(t - atS) <= nearestS + JOIN_S + 1e-9 ? 1 : 0));
  const count = computeDot(isNear, isNear);
  const weights = mapColumn(isNear, (near) => near / count);
  const columns = [0, 1, 2].map((power) => mapColumn(timeS, (t) => (t - atS) ** power));
  const inverse = timeS.length < 4 ? null : invertPositive(multiplyColumns(columns));
  if (inverse === null) return weights;
  const distanceS = computeDot(weights, columns[1]);
  const slope = new Float64Array(timeS.length);
  for (const [k, column] of columns.entries()) subtractScaled(slope, column, -inverse[1][k]);
  subtractScaled(weights, slope, distanceS);
  return weights;
}
