/** Fits of the alternative models: variable projection for a few nonlinear parameters. */
import { minimizeSquares, type NormalEquations } from '#analysis/numerics/least-squares.ts';
import {
  computeDot,
  computeDots,
  invertPositive,
  multiplyColumns,
  scaleInPlace,
} from '#analysis/numerics/matrix.ts';
import { ALTERNATIVES } from './alternatives.ts';
import type { AlternativeModel } from './alternatives.ts';
import { listBlocks, removeShape } from './amplitudes.ts';
import { takeColumn } from './column-room.ts';
import type { TimeZero } from './model.ts';
import { projectLocal, projectLocalAll } from './local-basis.ts';
import { prepareProblem } from './problem.ts';
import type { LinearTerms } from './local-basis.ts';
import type { FitProblem } from './problem.ts';
import { refine, thinCurve } from './solve.ts';
import type { FitCurve } from './model.ts';

export interface GeneralSolution {
  theta: number[];
  ssr: number;
  /** One per curve; all equal when Rmax is global. */
  rmax: Float64Array;
  residual: Float64Array;
  /** Projected responses with unit Rmax. */
  shape: Float64Array;
  /** Jacobian of the nonlinear parameters, without the span of amplitudes and local columns. */
  columns: Float64Array[];
  /** Inverse of JᵀJ for the nonlinear parameters; null where the data do not determine them. */
  inverse: number[][] | null;
  iterations: number;
  converged: boolean;
}

const PRECISE = { iterations: 40, ssrTolerance: 1e-8 } as const;
/** Tolerances that suffice to see whether a model is worth a full fit. */
const ROUGH = { iterations: 14, ssrTolerance: 1e-4 } as const;
const DIFFERENCE = 1e-4;
/** Upper bound of the logarithm of any rate; no sensor of this kind resolves faster ones. */
const LN_MAX = 23;
const LN_MIN = -20;
const RATE = { min: LN_MIN, max: LN_MAX, step: 1 };
const DISTANCE = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY, step: 1 };
const SEARCH = {
  damping: { start: 1e-2, min: 1e-12, max: 1e10 },
  stepTolerance: 1e-5,
  converges: 'either',
  // Rates reach a bound only where the curves do not determine them; a model gains no evidence there.
  atBounds: 'clamp',
} as const;
const SCAN_POINTS_PER_CURVE = 40;

/**
 * Fits the starts around a 1:1 fit on thinned curves and returns the best, with its gain over 1:1 on the same points.
 */
export function solveThinned(
  model: AlternativeModel,
  { curves, terms, time }: { curves: readonly FitCurve[]; terms: LinearTerms; time: TimeZero },
  near: { kon: number; koff: number },
): { theta: number[]; ssrRatio: number } {
  const coarse = curves.map((curve) => thinCurve(curve, SCAN_POINTS_PER_CURVE));
  const problem = prepareProblem(coarse, terms, time);
  const found = ALTERNATIVES[model]
    .getStarts(near)
    .map((start) => minimizeFrom(model, problem, start, ROUGH));
  const best = found.reduce((left, right) => (right.ssr < left.ssr ? right : left));
  const rates = { lnKon: Math.log(near.kon), lnKoff: Math.log(near.koff) };
  return { theta: best.theta, ssrRatio: best.ssr / refine(problem, rates).evaluation.ssr };
}

export interface Effort {
  iterations: number;
  ssrTolerance: number;
}

/**
 * Levenberg–Marquardt from one start. With `directions` it moves only along these, so that quantities orthogonal to
 * them keep their values.
 */
export function solveFrom(
  model: AlternativeModel,
  problem: FitProblem,
  start: readonly number[],
  effort: Effort = PRECISE,
  directions?: readonly (readonly number[])[],
): GeneralSolution {
  const { normal, ...found } = minimizeFrom(model, problem, start, effort, directions);
  const { jtj, columns } = normal ?? computeNormal(model, problem, found.theta, found);
  return { ...found, columns, inverse: invertPositive(jtj) };
}

interface Minimum extends Omit<GeneralSolution, 'columns' | 'inverse'> {
  /** Null where the last step ended the search. */
  normal: Normal | null;
}

/** Like `solveFrom`, without the results that only a final solution needs. */
function minimizeFrom(
  model: AlternativeModel,
  problem: FitProblem,
  start: readonly number[],
  effort: Effort,
  directions?: readonly (readonly number[])[],
): Minimum {
  // With directions, the parameters of the search are distances along them.
  const toTheta = (parameters: readonly number[]): number[] =>
    directions === undefined
      ? [...parameters]
      : start.map((value, k) =>
          clamp(directions.reduce((sum, each, j) => sum + parameters[j] * each[k], value)),
        );
  const columns = start.map(() => takeColumn(problem.projected.length));
  const [one, other] = [createResponse(problem), createResponse(problem)];
  const { at, equations, iterations, converged } = minimizeSquares<
    Residual,
    NormalEquations & { whole: Normal }
  >(
    {
      // A trial may take the place of any but the current point of the search.
      evaluate: (parameters, from) =>
        computeResidual(model, problem, toTheta(parameters), from?.shape === one.shape ? other : one),
      linearize: (found) => {
        const whole = computeNormal(model, problem, found.theta, found, columns);
        return { ...(directions === undefined ? whole : reduceNormal(whole, directions)), whole };
      },
    },
    directions === undefined ? start : directions.map(() => 0),
    {
      ...SEARCH,
      bounds: directions === undefined ? start.map(() => RATE) : directions.map(() => DISTANCE),
      iterationsMax: effort.iterations,
      ssrTolerance: effort.ssrTolerance,
    },
  );
  return { ...at, normal: equations?.whole ?? null, iterations, converged };
}

function clamp(value: number): number {
  return Math.max(LN_MIN, Math.min(LN_MAX, value));
}

interface Residual extends Pick<GeneralSolution, 'ssr' | 'rmax' | 'residual' | 'shape'> {
  theta: number[];
}

type Response = Pick<Residual, 'shape' | 'residual' | 'rmax'>;

function createResponse({ curves, projected: { length } }: FitProblem): Response {
  return {
    shape: takeColumn(length),
    residual: takeColumn(length),
    rmax: new Float64Array(curves.length),
  };
}

/** Returns the residual of the model with its best amplitudes, in the arrays of `into`. */
function computeResidual(
  model: AlternativeModel,
  problem: FitProblem,
  theta: number[],
  { shape, residual, rmax }: Response,
): Residual {
  const { curves, offsets, locals, projected, terms } = problem;
  writeResponses(model, problem, theta, shape);
  for (let g = 0; g < curves.length; g += 1) projectLocal(locals[g], shape, offsets[g]);
  let ssr = 0;
  for (const [index, [from, to]] of listBlocks(problem).entries()) {
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
  return { theta, ssr: Number.isFinite(ssr) ? ssr : Number.POSITIVE_INFINITY, rmax, residual, shape };
}

interface Normal extends NormalEquations {
  jtj: number[][];
  jtr: number[];
  columns: Float64Array[];
}

/** Projects the normal equations onto the directions. */
function reduceNormal({ jtj, jtr }: Normal, directions: readonly (readonly number[])[]): NormalEquations {
  const along = directions.map((each) => jtj.map((row) => computeDot(row, each)));
  return {
    jtj: along.map((row) => directions.map((each) => computeDot(row, each))),
    jtr: directions.map((each) => computeDot(each, jtr)),
  };
}

/** Computes the Jacobian of variable projection without the derivative of the projector (Kaufman 1975). */
function computeNormal(
  model: AlternativeModel,
  problem: FitProblem,
  theta: readonly number[],
  at: Response,
  columns: Float64Array[] = theta.map(() => takeColumn(problem.projected.length)),
): Normal {
  const { curves, offsets, locals } = problem;
  writeDerivatives(model, problem, theta, columns);
  for (let g = 0; g < curves.length; g += 1) {
    const parts = columns.map((column) => column.subarray(offsets[g], offsets[g + 1]));
    projectLocalAll(locals[g], parts);
    for (const part of parts) scaleInPlace(part, at.rmax[g]);
  }
  for (const block of listBlocks(problem)) removeShape(columns, at.shape, block);
  return { jtj: multiplyColumns(columns), jtr: computeDots(at.residual, columns), columns };
}

function writeDerivatives(
  model: AlternativeModel,
  problem: FitProblem,
  theta: readonly number[],
  columns: readonly Float64Array[],
): void {
  const { curves, offsets, time } = problem;
  const { derive } = ALTERNATIVES[model];
  if (derive !== undefined) {
    for (let g = 0; g < curves.length; g += 1) derive(curves[g], theta, time, columns, offsets[g]);
    return;
  }
  for (const [k, column] of columns.entries()) {
    const moveBy = (by: number): Float64Array => {
      const movedTheta = theta.map((value, j) => (j === k ? value + by : value));
      const shape = takeColumn(column.length);
      writeResponses(model, problem, movedTheta, shape);
      return shape;
    };
    const above = moveBy(DIFFERENCE);
    const below = moveBy(-DIFFERENCE);
    for (let i = 0; i < column.length; i += 1) column[i] = (above[i] - below[i]) / (2 * DIFFERENCE);
  }
}

function writeResponses(
  model: AlternativeModel,
  problem: FitProblem,
  theta: readonly number[],
  shape: Float64Array,
): void {
  const { curves, offsets, time } = problem;
  shape.fill(0);
  for (let g = 0; g < curves.length; g += 1)
    ALTERNATIVES[model].write(curves[g], theta, time, shape, offsets[g]);
}
