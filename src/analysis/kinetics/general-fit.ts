/** Fits of the alternative models: variable projection for a handful of nonlinear parameters. */
import { ALTERNATIVES } from './alternatives.ts';
import type { AlternativeModel } from './alternatives.ts';
import type { TimeZero } from './model.ts';
import { prepareProblem, projectOut } from './problem.ts';
import type { FitProblem, LinearTerms } from './problem.ts';
import { refine, thinned } from './solve.ts';
import type { FitCurve } from './model.ts';

export interface GeneralSolution {
  theta: number[];
  ssr: number;
  /** One per curve; all equal when Rmax is global. */
  rmax: Float64Array;
  residual: Float64Array;
  /** Projected responses with unit Rmax. */
  shape: Float64Array;
  /** Jacobian of the nonlinear parameters, without what amplitudes and local columns span. */
  columns: Float64Array[];
  /** Inverse of JᵀJ for the nonlinear parameters; null where the data do not determine them. */
  inverse: number[][] | null;
  iterations: number;
  converged: boolean;
}

const PRECISE = { iterations: 40, ssrTolerance: 1e-8 } as const;
/** Enough to see whether a model is worth the points. */
const ROUGH = { iterations: 14, ssrTolerance: 1e-4 } as const;
const DIFFERENCE = 1e-4;
const STEP_MAX = 1;
const STEP_TOLERANCE = 1e-5;
/** Logarithms of any rate: no sensor of this kind resolves more. */
const LN_MAX = 23;
const LN_MIN = -20;
const SCAN_POINTS_PER_CURVE = 40;

/** Of the starts around a 1:1 fit the best on thinned curves, with what it gains over 1:1 on the same points. */
export function solveThinned(
  model: AlternativeModel,
  { curves, terms, time }: { curves: readonly FitCurve[]; terms: LinearTerms; time: TimeZero },
  near: { kon: number; koff: number },
): { theta: number[]; ssrRatio: number } {
  const coarse = curves.map((curve) => thinned(curve, SCAN_POINTS_PER_CURVE));
  const problem = prepareProblem(coarse, terms, time);
  const found = ALTERNATIVES[model].starts(near).map((start) => minimiseFrom(model, problem, start, ROUGH));
  const best = found.reduce((left, right) => (right.ssr < left.ssr ? right : left));
  const rates = { lnKon: Math.log(near.kon), lnKoff: Math.log(near.koff) };
  return { theta: best.theta, ssrRatio: best.ssr / refine(problem, rates).evaluation.ssr };
}

export interface Effort {
  iterations: number;
  ssrTolerance: number;
}

/** Levenberg–Marquardt from one start; with `directions` only along these, so that what they leave alone keeps its value. */
export function solveFrom(
  model: AlternativeModel,
  problem: FitProblem,
  start: readonly number[],
  effort: Effort = PRECISE,
  directions?: readonly (readonly number[])[],
): GeneralSolution {
  const { normal, ...found } = minimiseFrom(model, problem, start, effort, directions);
  const { jtj, columns } = normal ?? normalAt(model, problem, found.theta, found);
  return { ...found, columns, inverse: inverted(jtj) };
}

interface Minimum extends Omit<GeneralSolution, 'columns' | 'inverse'> {
  /** Null where the last step ended the search. */
  normal: Normal | null;
}

/** As `solveFrom`, without what is asked only of a solution that is kept. */
function minimiseFrom(
  model: AlternativeModel,
  problem: FitProblem,
  start: readonly number[],
  effort: Effort,
  directions: readonly (readonly number[])[] = start.map((_, k) => start.map((__, j) => (j === k ? 1 : 0))),
): Minimum {
  let theta = start.map(clamp);
  let current = residualAt(model, problem, theta);
  let normal = normalAt(model, problem, theta, current);
  let damping = 1e-2;
  let converged = false;
  let isCurrent = true;
  let iterations = 0;
  while (iterations < effort.iterations && !converged) {
    iterations += 1;
    const along = dampedStep(reduced(normal, directions), damping);
    const step = theta.map((_, k) => directions.reduce((sum, each, j) => sum + along[j] * each[k], 0));
    const next = theta.map((value, k) => clamp(value + step[k]));
    const moved = Math.max(...next.map((value, k) => Math.abs(value - theta[k])));
    const trial = residualAt(model, problem, next);
    if (trial.ssr <= current.ssr) {
      converged = current.ssr - trial.ssr <= effort.ssrTolerance * current.ssr || moved < STEP_TOLERANCE;
      theta = next;
      current = trial;
      damping = Math.max(damping / 9, 1e-12);
      isCurrent = !converged;
      if (isCurrent) normal = normalAt(model, problem, theta, current);
    } else {
      converged = moved < STEP_TOLERANCE || damping > 1e10;
      damping *= 11;
    }
  }
  return { theta, ...current, normal: isCurrent ? normal : null, iterations, converged };
}

function clamp(value: number): number {
  return Math.max(LN_MIN, Math.min(LN_MAX, value));
}

/** What the model with its best amplitudes leaves over. */
function residualAt(
  model: AlternativeModel,
  problem: FitProblem,
  theta: readonly number[],
): Pick<GeneralSolution, 'ssr' | 'rmax' | 'residual' | 'shape'> {
  const { curves, offsets, locals, projected, terms } = problem;
  const shape = responses(model, problem, theta);
  for (let g = 0; g < curves.length; g += 1) projectOut(locals[g].basis, shape, offsets[g]);
  const residual = new Float64Array(shape.length);
  const rmax = new Float64Array(curves.length);
  let ssr = 0;
  for (const [index, [from, to]] of blocksOf(problem).entries()) {
    let ss = 0;
    let sy = 0;
    for (let i = from; i < to; i += 1) {
      ss += shape[i] * shape[i];
      sy += shape[i] * projected[i];
    }
    const amplitude = ss > 0 ? Math.max(0, sy / ss) : 0;
    for (let i = from; i < to; i += 1) {
      residual[i] = projected[i] - amplitude * shape[i];
      ssr += residual[i] * residual[i];
    }
    if (terms.rmax === 'global') rmax.fill(amplitude);
    else rmax[index] = amplitude;
  }
  return { ssr: Number.isFinite(ssr) ? ssr : Number.POSITIVE_INFINITY, rmax, residual, shape };
}

interface Normal {
  jtj: number[][];
  jtr: number[];
  columns: Float64Array[];
}

/** The normal equations for steps along the directions. */
function reduced({ jtj, jtr, columns }: Normal, directions: readonly (readonly number[])[]): Normal {
  const along = directions.map((each) => jtj.map((row) => row.reduce((sum, v, k) => sum + v * each[k], 0)));
  const inner = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, k) => sum + value * b[k], 0);
  return {
    jtj: along.map((row) => directions.map((each) => inner(row, each))),
    jtr: directions.map((each) => inner(each, jtr)),
    columns,
  };
}

/** The Jacobian of variable projection without the derivative of the projector (Kaufman 1975). */
function normalAt(
  model: AlternativeModel,
  problem: FitProblem,
  theta: readonly number[],
  at: Pick<GeneralSolution, 'rmax' | 'residual' | 'shape'>,
): Normal {
  const { curves, offsets, locals } = problem;
  const columns = derivatives(model, problem, theta);
  for (const column of columns) {
    for (let g = 0; g < curves.length; g += 1) {
      projectOut(locals[g].basis, column, offsets[g]);
      for (let i = offsets[g]; i < offsets[g + 1]; i += 1) column[i] *= at.rmax[g];
    }
    for (const [from, to] of blocksOf(problem)) withoutShape(column, at.shape, from, to);
  }
  const product = (a: Float64Array, b: Float64Array): number => {
    let sum = 0;
    for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
    return sum;
  };
  return {
    jtj: columns.map((a) => columns.map((b) => product(a, b))),
    jtr: columns.map((a) => product(a, at.residual)),
    columns,
  };
}

function withoutShape(column: Float64Array, shape: Float64Array, from: number, to: number): void {
  let ss = 0;
  let sc = 0;
  for (let i = from; i < to; i += 1) {
    ss += shape[i] * shape[i];
    sc += shape[i] * column[i];
  }
  const along = ss > 0 ? sc / ss : 0;
  for (let i = from; i < to; i += 1) column[i] -= along * shape[i];
}

function derivatives(model: AlternativeModel, problem: FitProblem, theta: readonly number[]): Float64Array[] {
  const { curves, offsets, time } = problem;
  const { derive } = ALTERNATIVES[model];
  const columns = theta.map(() => new Float64Array(offsets[curves.length]));
  if (derive !== undefined) {
    for (let g = 0; g < curves.length; g += 1) derive(curves[g], theta, time, columns, offsets[g]);
    return columns;
  }
  for (const [k, column] of columns.entries()) {
    const moved = (by: number): Float64Array => {
      const there = theta.map((value, j) => (j === k ? value + by : value));
      return responses(model, problem, there);
    };
    const above = moved(DIFFERENCE);
    const below = moved(-DIFFERENCE);
    for (let i = 0; i < column.length; i += 1) column[i] = (above[i] - below[i]) / (2 * DIFFERENCE);
  }
  return columns;
}

function responses(model: AlternativeModel, problem: FitProblem, theta: readonly number[]): Float64Array {
  const { curves, offsets, time } = problem;
  const shape = new Float64Array(offsets[curves.length]);
  for (let g = 0; g < curves.length; g += 1)
    ALTERNATIVES[model].write(curves[g], theta, time, shape, offsets[g]);
  return shape;
}

/** Points that share one amplitude. */
function blocksOf({ curves, offsets, terms }: FitProblem): [number, number][] {
  if (terms.rmax === 'global') return [[0, offsets[curves.length]]];
  return curves.map((_, g) => [offsets[g], offsets[g + 1]]);
}

function dampedStep({ jtj, jtr }: Pick<Normal, 'jtj' | 'jtr'>, damping: number): number[] {
  const matrix = jtj.map((row, k) => {
    return row.map((value, j) => (j === k ? value * (1 + damping) + Number.MIN_VALUE : value));
  });
  const step = solved(matrix, [jtr])?.[0] ?? jtr.map(() => 0);
  return step.map((value) => (Number.isFinite(value) ? Math.max(-STEP_MAX, Math.min(STEP_MAX, value)) : 0));
}

function inverted(matrix: readonly number[][]): number[][] | null {
  const unit = matrix.map((_, k) => matrix.map((__, j) => (j === k ? 1 : 0)));
  return solved(matrix, unit);
}

/** Columns x of A·x = b for each right side, by elimination with pivots; null for a singular matrix. */
function solved(matrix: readonly number[][], rightSides: readonly number[][]): number[][] | null {
  const size = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...rightSides.map((side) => side[i])]);
  for (let column = 0; column < size; column += 1) {
    let pivot = column;
    for (let i = column + 1; i < size; i += 1) {
      if (Math.abs(rows[i][column]) > Math.abs(rows[pivot][column])) pivot = i;
    }
    if (!(Math.abs(rows[pivot][column]) > 1e-14 * Math.abs(matrix[column][column]))) return null;
    [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
    for (let i = 0; i < size; i += 1) {
      if (i === column) continue;
      const factor = rows[i][column] / rows[column][column];
      for (let j = column; j < rows[i].length; j += 1) rows[i][j] -= factor * rows[column][j];
    }
  }
  return rightSides.map((_, s) => rows.map((row, i) => row[size + s] / row[i]));
}
