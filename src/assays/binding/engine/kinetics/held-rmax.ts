/** Rmax of curves that are held to a common one: what the prior adds to a fit with free amplitudes. */
import type { Evaluation, FitProblem } from './problem.ts';

/** A normal prior around a common value for the logarithm of the Rmax of each curve. */
export interface HeldRmax {
  /** Its standard deviation. */
  sd: number;
  /** The variance of the noise of one point, widened for its correlation. */
  variance: number;
}

/** How much the Rmax of each curve counts toward the common one, and the shapes that it rests on. */
export interface RmaxWeights {
  squares: number[];
  /** At least a small part of the largest. */
  rmax: number[];
  /** One over the variance of its logarithm: that of the prior and that by noise. */
  weights: number[];
}

export function computeRmaxWeights(
  { curves, offsets, buffers: { shape } }: Pick<FitProblem, 'curves' | 'offsets' | 'buffers'>,
  { sd, variance }: HeldRmax,
  found: ArrayLike<number>,
): RmaxWeights {
  const least = RMAX_LEAST * Math.max(...Array.from(found));
  const squares = curves.map((_, g) => sumProducts(shape, shape, offsets, g));
  const rmax = squares.map((_, g) => Math.max(found[g], least, Number.MIN_VALUE));
  return {
    squares,
    rmax,
    weights: squares.map((square, g) => 1 / (sd ** 2 + variance / (square * rmax[g] ** 2))),
  };
}

/** A smaller part of the largest Rmax is no amplitude. */
const RMAX_LEAST = 1e-3;

/** What the estimate of a rate takes from each point, and from the deviation of each Rmax from the common one. */
interface Reduced {
  values: Float64Array;
  ofPrior: Float64Array;
}

/**
 * Removes the span of free amplitudes from a projected column, and adds what it takes from the amplitudes by the prior
 * that holds them together.
 */
export function reduceByHeldRmax(
  problem: Pick<FitProblem, 'curves' | 'offsets' | 'buffers'>,
  held: HeldRmax,
  { column, rmax: found }: { column: Float64Array; rmax: ArrayLike<number> },
): Reduced {
  const { offsets, buffers } = problem;
  const { squares, rmax, weights } = computeRmaxWeights(problem, held, found);
  const along = squares.map((square, g) => sumProducts(buffers.shape, column, offsets, g) / square);
  const relative = along.map((value, g) => value / rmax[g]);
  const common = computeWeightedMean(relative, weights);
  const values = Float64Array.from(column);
  const ofPrior = new Float64Array(squares.length);
  for (const [g, square] of squares.entries()) {
    const apart = weights[g] * (relative[g] - common);
    const times = along[g] - (held.variance * apart) / (square * rmax[g]);
    for (let i = offsets[g]; i < offsets[g + 1]; i += 1) values[i] -= times * buffers.shape[i];
    ofPrior[g] = Math.sqrt(held.variance) * held.sd * apart;
  }
  return { values, ofPrior };
}

function computeWeightedMean(values: readonly number[], weights: readonly number[]): number {
  let sum = 0;
  let total = 0;
  for (const [g, weight] of weights.entries()) {
    sum += weight * values[g];
    total += weight;
  }
  return sum / total;
}

function sumProducts(one: Float64Array, other: Float64Array, offsets: Int32Array, g: number): number {
  let sum = 0;
  for (let i = offsets[g]; i < offsets[g + 1]; i += 1) sum += one[i] * other[i];
  return sum;
}

/**
 * Adds the prior to sums with free amplitudes: one more row for each curve, in which the logarithm of its Rmax deviates
 * from the common one. The deviation is relative, because an absolute one would favor small amplitudes.
 */
export function addHeldRmax(problem: FitProblem, held: HeldRmax, sums: Evaluation): void {
  const { offsets, remainder, buffers } = problem;
  const { squares, rmax, weights } = computeRmaxWeights(problem, held, sums.rmax);
  const logarithms = rmax.map(Math.log);
  const derive = (column: Float64Array, left: Float64Array | undefined): number[] =>
    squares.map((square, g) => {
      const ofLeft = left === undefined ? 0 : sumProducts(buffers.shape, left, offsets, g) / rmax[g];
      return (sumProducts(buffers.shape, column, offsets, g) + ofLeft) / square;
    });
  const byKon = derive(buffers.byLnKon, remainder?.byLnKon);
  const byKoff = derive(buffers.byLnKoff, remainder?.byLnKoff);
  const [meanLn, meanKon, meanKoff] = [logarithms, byKon, byKoff].map((each) =>
    computeWeightedMean(each, weights),
  );
  for (const [g, weight] of weights.entries()) {
    const row = held.variance * weight;
    const [apart, a, d] = [logarithms[g] - meanLn, byKon[g] - meanKon, byKoff[g] - meanKoff];
    sums.ssr += row * apart ** 2;
    sums.aa += row * a * a;
    sums.ad += row * a * d;
    sums.dd += row * d * d;
    sums.ga += row * a * apart;
    sums.gd += row * d * apart;
  }
}
