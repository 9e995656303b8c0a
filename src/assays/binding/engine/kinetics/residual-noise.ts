/**
 * The covariance of fitted rates under correlated residuals. The noise is modeled as white plus an Ornstein–Uhlenbeck
 * process of unknown share and correlation time, both averaged over by their restricted likelihood (REML: Patterson &
 * Thompson 1971; Harville 1977), which accounts for the part of the noise that the fit removed from the residuals.
 * The rates stay those of plain least squares; only their covariance, (XᵀX)⁻¹·XᵀΩX·(XᵀX)⁻¹, uses the estimated noise.
 */
import {
  appendDirection,
  projectOut,
  computeDot,
  invertPositive,
  multiplyMatrices,
  scaleColumn,
  subtractScaled,
  type Matrix,
} from '#analysis/numerics/matrix.ts';
import { averageBlocks } from '#analysis/numerics/thinning.ts';
import { takeColumn, takeCopy, takeZeros } from './column-room.ts';
import { computeWhiteningShrinkage, reduceAlong, type Held } from './held-column.ts';

/** The products of columns under correlated noise, for its likelihood. */

/** Room for the innovations of a curve of so many columns, which every noise model fills anew. */
interface Room {
  state: Float64Array;
  surprise: Float64Array;
  gram: Float64Array;
}

const rooms: (Room | undefined)[] = [];

/** Returns zeros for so many columns, which hold until the next call for as many. */
function clearRoom(count: number): Room {
  const room = (rooms[count] ??= {
    state: new Float64Array(count),
    surprise: new Float64Array(count),
    gram: new Float64Array(count * count),
  });
  room.state.fill(0);
  room.gram.fill(0);
  return room;
}

/**
 * Returns the products of the columns as innovations of the Kalman filter for noise of unit variance, of which the
 * fraction `share` decays by `decay[i]` from one block to the next and the rest is white, and the logarithm of their
 * scale. Runs for every noise model and curve, so it allocates no arrays; the products hold until the next call.
 */
function computeWhitenedGram(
  columns: readonly Float64Array[],
  share: number,
  decay: Float64Array,
): { gram: Float64Array; count: number; lnVariance: number } {
  const count = columns.length;
  const { state, surprise, gram } = clearRoom(count);
  let variance = share;
  let lnVariance = 0;
  for (let i = 0; i < decay.length; i += 1) {
    const phi = decay[i];
    variance = phi * phi * variance + (1 - phi * phi) * share;
    const total = variance + 1 - share;
    const gain = variance / total;
    const scale = 1 / Math.sqrt(total);
    lnVariance += Math.log(total);
    variance *= 1 - gain;
    for (let c = 0; c < count; c += 1) {
      const predicted = phi * state[c];
      const left = columns[c][i] - predicted;
      state[c] = predicted + gain * left;
      surprise[c] = left * scale;
      for (let d = 0; d <= c; d += 1) gram[c * count + d] += surprise[c] * surprise[d];
    }
  }
  for (let c = 0; c < count; c += 1) {
    for (let d = c + 1; d < count; d += 1) gram[c * count + d] = gram[d * count + c];
  }
  return { gram, count, lnVariance };
}

export interface NoiseProblem {
  /** Start of each curve in the concatenated arrays; the last entry is the total length. */
  offsets: ArrayLike<number>;
  /** Times of each curve in s, ascending. */
  timesS: readonly Float64Array[];
  residual: Float64Array;
  /** Derivatives of the model for the parameters that the curves share, over all points. */
  shared: readonly Float64Array[];
  /** For each curve, the columns of its own linear parameters, over its points. */
  local: readonly (readonly Float64Array[])[];
  /** For each curve, what is held by a prior. */
  held: readonly Held[];
  /** For each curve, the columns of the levels that have an error, over its points. */
  levels: readonly (readonly Float64Array[])[];
  /**
   * Amplitudes held to a common one: for each curve its shape, the entries of the shared columns in the row of its
   * prior, and the standard deviation of that row. The shared columns are free of their span.
   */
  heldRmax?: { shapes: readonly Float64Array[]; rows: readonly (readonly number[])[]; sd: number };
  /** Whether the errors of levels and of a held drift are added elsewhere. Default false. */
  leavesLevels?: boolean;
  /** For each curve, the fraction of the variance of its noise, and of these errors, that all curves share. */
  common: readonly number[];
}

/**
 * Number of blocks into which all curves together are averaged; correlation within a block appears in the scatter of
 * the means.
 */
const BLOCKS = 180;
const BLOCKS_PER_CURVE = { min: 24, max: 120 } as const;
/** Correlation times in units of a block: from one block to twice the curve. */
const TIMES_BLOCKS = [1, 3, 9, 27, 81];
/** Variance of the white part relative to the change of the correlated part within a block. */
const WHITE_RATIOS = [0, 0.5, 4, 32];
/** Prior weight of purely white noise relative to each of the others. */
const WHITE_PRIOR = 6;
/** Noise models less likely than the best by more than this, in ln, are negligible. */
const LN_NEGLIGIBLE = -7;

/** A curve averaged over blocks. */
interface Blocked {
  timeS: Float64Array;
  shared: Float64Array[];
  local: Float64Array[];
  /** Local columns, uncertain levels, shared columns and the residual, in this order. */
  columns: Float64Array[];
  /** Columns of the uncertain levels and of the held drift, scaled by their errors. */
  levels: Float64Array[];
  common: number;
}

/**
 * Noise of unit variance: the fraction `share` decays by `decay[i]` from one block to the next, the rest is white.
 */
interface Noise {
  share: number;
  decays: readonly Float64Array[];
}

interface Weighed {
  noise: Noise;
  lnWeight: number;
  variance: number;
}

/** Returns the covariance of the shared parameters; null where the columns do not determine them. */
export function computeNoiseCovariance(problem: NoiseProblem): Matrix | null {
  const curves = problem.timesS.map((_, g) => averageIntoBlocks(problem, g));
  const size = problem.shared.length;
  const freedom = curves.reduce(
    (sum, { timeS, columns }) => sum + timeS.length + size + 1 - columns.length,
    -size,
  );
  if (freedom < 2) return null;
  const whitened = curves.map(({ shared, local }) => removeLocalSpan(shared, local));
  const products = sumProducts(whitened, whitened, size);
  const rows = listPriorRows(problem, curves);
  for (const row of rows)
    addSquare(products, scaleColumn(Float64Array.from(row.entries), Math.sqrt(row.weight)));
  const bread = invertPositive(products);
  if (bread === null) return null;
  // The fit compares whitened columns with whitened data, so data enter by columns that are whitened twice.
  const plain = whitened.map((columns, g) => reduceHeldAgain(columns, problem.held[g]));
  const weighed = estimateNoises(curves).flatMap(({ noise, prior }) => {
    const likelihood = computeRestrictedLikelihood(curves, noise, { freedom, size });
    return likelihood === null
      ? []
      : [{ noise, lnWeight: likelihood.lnLikelihood + Math.log(prior), variance: likelihood.variance }];
  });
  const best = Math.max(...weighed.map((each) => each.lnWeight));
  const relevant = weighed.filter((each) => each.lnWeight > best + LN_NEGLIGIBLE);
  const total = relevant.reduce((sum, each) => sum + Math.exp(each.lnWeight - best), 0);
  const meat = averageMeat(curves, plain, relevant, { best, total, size });
  for (const { entries, weight } of rows)
    addSquare(meat, scaleColumn(Float64Array.from(entries), weight * (problem.heldRmax?.sd ?? 0)));
  if (problem.leavesLevels !== true) addLevels(meat, plain, curves);
  const covariance = multiplyMatrices(multiplyMatrices(bread, meat), bread);
  return covariance.every((row) => row.every(Number.isFinite)) ? covariance : null;
}

/** Rows of priors, weighted as the blocks are: their products are those of all points over the points of a block. */
function listPriorRows(
  { heldRmax, residual }: NoiseProblem,
  curves: readonly Blocked[],
): { entries: readonly number[]; weight: number }[] {
  const blocks = curves.reduce((sum, { timeS }) => sum + timeS.length, 0);
  return (heldRmax?.rows ?? []).map((entries) => ({ entries, weight: blocks / residual.length }));
}

function estimateNoises(curves: readonly Blocked[]): { noise: Noise; prior: number }[] {
  const still = curves.map(({ timeS }) => takeZeros(timeS.length));
  const found = [{ noise: { share: 0, decays: still }, prior: WHITE_PRIOR }];
  for (const timeBlocks of TIMES_BLOCKS) {
    const decays = curves.map(({ timeS }) => {
      const blockS = (timeS[timeS.length - 1] - timeS[0]) / Math.max(1, timeS.length - 1);
      const decay = takeZeros(timeS.length);
      for (let i = 1; i < decay.length; i += 1)
        decay[i] = Math.exp((timeS[i - 1] - timeS[i]) / (timeBlocks * blockS));
      return decay;
    });
    for (const ratio of WHITE_RATIOS) {
      const share = 1 / (1 + ratio * (1 - Math.exp(-1 / timeBlocks)));
      found.push({ noise: { share, decays }, prior: 1 });
    }
  }
  return found;
}

/**
 * Returns XᵀΩX, averaged over the noise models by weight. Noise shared by all curves, such as that of a subtracted
 * blank, acts on the sum of their columns.
 */
function averageMeat(
  curves: readonly Blocked[],
  plain: readonly Float64Array[][],
  relevant: readonly Weighed[],
  { best, total, size }: { best: number; total: number; size: number },
): Matrix {
  const meat: Matrix = Array.from({ length: size }, () => Array.from({ length: size }, () => 0));
  const own = plain.map((columns, g) =>
    columns.map((column) => scaleColumn(column, Math.sqrt(1 - curves[g].common))),
  );
  const sums = sumCommonColumns(curves, plain);
  const left = [...own, ...sums.map(({ columns }) => columns)];
  const decayOf = [...own.keys(), ...sums.map(({ first }) => first)];
  for (const { noise, lnWeight, variance } of relevant) {
    const spread = left.map((columns, k) =>
      columns.map((column) => correlateColumn(column, noise, decayOf[k])),
    );
    const weight = (variance * Math.exp(lnWeight - best)) / total;
    for (const [i, row] of sumProducts(left, spread, size).entries()) {
      for (const [j, value] of row.entries()) meat[i][j] += weight * value;
    }
  }
  return meat;
}

/**
 * Returns the sums of the columns over the curves of one length, each weighted by the root of its shared fraction.
 */
function sumCommonColumns(
  curves: readonly Blocked[],
  plain: readonly Float64Array[][],
): { columns: Float64Array[]; first: number }[] {
  const sharing = [...curves.keys()].filter((g) => curves[g].common > 0);
  const groups = Map.groupBy(sharing, (g) => curves[g].timeS.length);
  return [...groups.values()].map((members) => {
    const [first] = members;
    const columns = plain[first].map((column, k) => {
      const sum = takeZeros(column.length);
      for (const g of members) subtractScaled(sum, plain[g][k], -Math.sqrt(curves[g].common));
      return sum;
    });
    return { columns, first };
  });
}

/** Adds the errors of levels to XᵀΩX. */
function addLevels(meat: Matrix, plain: readonly Float64Array[][], curves: readonly Blocked[]): void {
  // Errors of the same blank move the levels of all curves together.
  const together: Float64Array[] = [];
  for (const [g, { levels, common }] of curves.entries()) {
    for (const [k, level] of levels.entries()) {
      const moved = Float64Array.from(plain[g], (column) => computeDot(column, level));
      together[k] ??= new Float64Array(meat.length);
      subtractScaled(together[k], moved, -Math.sqrt(common));
      addSquare(meat, scaleColumn(moved, Math.sqrt(1 - common)));
    }
  }
  for (const moved of together) addSquare(meat, moved);
}

function addSquare(matrix: Matrix, vector: ArrayLike<number>): void {
  for (const [i, row] of matrix.entries()) {
    for (let j = 0; j < row.length; j += 1) row[j] += vector[i] * vector[j];
  }
}

function averageIntoBlocks(problem: NoiseProblem, g: number): Blocked {
  const { offsets, timesS, residual, shared, local, held, levels: uncertain, common } = problem;
  const n = timesS[g].length;
  const { min, max } = BLOCKS_PER_CURVE;
  const blocks = Math.min(n, max, Math.max(min, Math.round(BLOCKS / timesS.length)));
  const averageColumn = (values: Float64Array, offset: number): Float64Array =>
    averageBlocks(values, { offset, length: n, blocks });
  const sharedMeans = shared.map((column) => averageColumn(column, offsets[g]));
  const localMeans = local[g].map((column) => averageColumn(column, 0));
  const heldShapes = problem.heldRmax === undefined ? [] : [averageColumn(problem.heldRmax.shapes[g], 0)];
  const levels = uncertain[g].map((column) => averageColumn(column, 0));
  const { drift } = held[g];
  if (drift !== null) levels.push(averageColumn(drift, 0));
  return {
    timeS: averageColumn(timesS[g], 0),
    shared: sharedMeans,
    local: localMeans,
    // The error of a level is added separately, so its effect on the residuals must not count as correlated noise
    // again.
    columns: [...localMeans, ...heldShapes, ...levels, ...sharedMeans, averageColumn(residual, offsets[g])],
    levels,
    common: common[g],
  };
}

/** Returns the logarithm of the restricted likelihood of a noise model, and its variance. */
function computeRestrictedLikelihood(
  curves: readonly Blocked[],
  noise: Noise,
  { freedom, size }: { freedom: number; size: number },
): { lnLikelihood: number; variance: number } | null {
  let lnDeterminant = 0;
  const width = size + 1;
  const normal = takeZeros(width * width);
  for (let g = 0; g < curves.length; g += 1) {
    const { gram, count, lnVariance } = computeWhitenedGram(curves[g].columns, noise.share, noise.decays[g]);
    const locals = count - width;
    lnDeterminant += lnVariance + eliminate(gram, count, locals);
    for (let i = 0; i < width; i += 1) {
      for (let j = 0; j < width; j += 1) normal[i * width + j] += gram[(locals + i) * count + locals + j];
    }
  }
  lnDeterminant += eliminate(normal, width, size);
  const variance = normal[width * width - 1] / freedom;
  if (!(variance > 0)) return null;
  return { lnLikelihood: -0.5 * (lnDeterminant + freedom * Math.log(variance)), variance };
}

/**
 * Eliminates the first `count` columns from the others, in place, and returns the logarithm of their determinant. A
 * column that those before it span is skipped. The solver of `numerics` does neither; extended to do so, it would fit
 * at 0.88 to 0.95 of this speed.
 */
function eliminate(gram: Float64Array, width: number, count: number): number {
  let lnDeterminant = 0;
  const least = takeColumn(count);
  for (let k = 0; k < count; k += 1) least[k] = DEPENDENT * gram[k * width + k];
  for (let k = 0; k < count; k += 1) {
    const pivot = gram[k * width + k];
    if (!(pivot > least[k])) continue;
    lnDeterminant += Math.log(pivot);
    for (let i = k + 1; i < width; i += 1) {
      const times = gram[i * width + k] / pivot;
      for (let j = k; j < width; j += 1) gram[i * width + j] -= times * gram[k * width + j];
    }
  }
  return lnDeterminant;
}

/** Computes Ω·column by the two one-sided recursions of an exponential kernel. */
function correlateColumn(column: Float64Array, { share, decays }: Noise, g: number): Float64Array {
  const decay = decays[g];
  const out = takeCopy(column);
  let before = 0;
  for (let i = 1; i < column.length; i += 1) {
    before = decay[i] * (before + column[i - 1]);
    out[i] += share * before;
  }
  let after = 0;
  for (let i = column.length - 2; i >= 0; i -= 1) {
    after = decay[i + 1] * (after + column[i + 1]);
    out[i] += share * after;
  }
  return out;
}

/** A local column whose square is independent of the others by less than this fraction is dropped. */
const DEPENDENT = 1e-12;

function removeLocalSpan(columns: readonly Float64Array[], local: readonly Float64Array[]): Float64Array[] {
  const basis: Float64Array[] = [];
  for (const column of local) appendDirection(basis, column, Math.sqrt(DEPENDENT));
  const rest = columns.map((column) => takeCopy(column));
  for (const column of rest) projectOut(basis, column);
  return rest;
}

/** Whitens whitened columns of blocks again by what is held in their curve. */
function reduceHeldAgain(columns: readonly Float64Array[], held: Held): Float64Array[] {
  const out = columns.map((column) => takeCopy(column));
  if (out.length === 0) return out;
  const blocks = out[0].length;
  for (const { direction: ofPoints, varianceRatio } of held.columns.toReversed()) {
    const mean = averageBlocks(ofPoints, { length: ofPoints.length, blocks });
    const length = Math.sqrt(computeDot(mean, mean));
    if (!(length > 0)) continue;
    const direction = mean.map((value) => value / length);
    for (const column of out) reduceAlong(direction, computeWhiteningShrinkage({ varianceRatio }), column);
  }
  return out;
}

/** Sums the products of columns over curves. */
function sumProducts(
  left: readonly Float64Array[][],
  right: readonly Float64Array[][],
  size: number,
): Matrix {
  return Array.from({ length: size }, (_, i) => {
    return Array.from({ length: size }, (__, j) => {
      let sum = 0;
      for (let g = 0; g < left.length; g += 1) sum += computeDot(left[g][i], right[g][j]);
      return sum;
    });
  });
}
