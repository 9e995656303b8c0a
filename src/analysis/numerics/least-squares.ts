/**
 * Least squares of a few bounded parameters with Levenberg–Marquardt damping (Marquardt 1963; Moré 1978). All fits
 * use this loop: binding rates, melting temperatures, standard curves, shared baseline slopes.
 * This folder: the only least squares, solver, projections, quantiles and robust statistics. Not here: anything that
 * knows an assay.
 */
import { solvePositive, type Matrix } from './matrix.ts';

/** Normal equations of r = data − model and J = ∂model/∂parameters. */
export interface NormalEquations {
  /** JᵀJ, one row per parameter. */
  readonly jtj: Matrix;
  /** Jᵀr. */
  readonly jtr: readonly number[];
}

/** The fit of the model at one set of parameters. */
export interface SquaresAt {
  /** Sum of the squared residuals; infinite where the model has no value. */
  readonly ssr: number;
}

export interface SquaresProblem<At extends SquaresAt, Equations extends NormalEquations> {
  /** Evaluates the model; `from` is the current point of the search, null at the start. */
  readonly evaluate: (parameters: readonly number[], from: At | null) => At;
  /** Called once for every accepted step, right after `evaluate`. */
  readonly linearize: (at: At, parameters: readonly number[]) => Equations;
}

export interface Bound {
  readonly min: number;
  readonly max: number;
  /**
   * Largest change in one step and the unit in which steps are measured. Infinite: any change, measured relative to
   * the parameter.
   */
  readonly step: number;
}

export interface SquaresRules {
  /** One per parameter. */
  readonly bounds: readonly Bound[];
  readonly iterationsMax: number;
  readonly damping: { readonly start: number; readonly min: number; readonly max: number };
  /** A step that reduces the sum of squares by less than this fraction has converged … */
  readonly ssrTolerance: number;
  /** … if it is also (`both`), or a step that is (`either`), shorter than this, in units of the largest step. */
  readonly stepTolerance: number;
  readonly converges: 'both' | 'either';
  /** A step shorter than this that reduces nothing ends the search. Default `stepTolerance`. */
  readonly leastStep?: number;
  /**
   * `hold`: a parameter that is at a bound and would cross it stays there while the others are searched. `clamp`: it
   * takes part in the step and is moved back, so a search that ends at a bound may stop short of the minimum along
   * it.
   */
  readonly atBounds: 'hold' | 'clamp';
}

export interface SquaresMinimum<At, Equations> {
  readonly at: At;
  readonly parameters: readonly number[];
  /** At the minimum; null where the last step ended the search and no equations were computed for it. */
  readonly equations: Equations | null;
  readonly iterations: number;
  readonly converged: boolean;
}

/**
 * The damping is divided by this after a step that reduces the sum of squares, and multiplied after one that does
 * not.
 */
const DAMPING_FALL = 9;
const DAMPING_RISE = 11;

/**
 * Searches from `start`, moved inside the bounds. Never throws: a search that does not end returns `converged:
 * false`.
 */
export function minimizeSquares<At extends SquaresAt, Equations extends NormalEquations>(
  { evaluate, linearize }: SquaresProblem<At, Equations>,
  start: readonly number[],
  rules: SquaresRules,
): SquaresMinimum<At, Equations> {
  const { bounds, damping: limits, iterationsMax, stepTolerance, leastStep = stepTolerance } = rules;
  let parameters = start.map((value, k) => clamp(value, bounds[k]));
  let at = evaluate(parameters, null);
  let equations: Equations | null = linearize(at, parameters);
  let damping = limits.start;
  let iterations = 0;
  const finish = (converged: boolean) => ({ at, parameters, equations, iterations, converged });
  while (iterations < iterationsMax) {
    iterations += 1;
    equations ??= linearize(at, parameters);
    const step = dampStep(equations, parameters, damping, rules);
    const next = parameters.map((value, k) => clamp(value + step[k], bounds[k]));
    const moved = measureStep(parameters, next, bounds);
    if (moved === 0) return finish(true);
    const trial = evaluate(next, at);
    if (trial.ssr <= at.ssr) {
      const gain = at.ssr - trial.ssr;
      const isFlat = gain <= rules.ssrTolerance * at.ssr;
      const isShort = moved < stepTolerance;
      const isDone = rules.converges === 'both' ? isFlat && isShort : isFlat || isShort;
      at = trial;
      parameters = next;
      equations = null;
      damping = Math.max(damping / DAMPING_FALL, limits.min);
      if (isDone) return finish(true);
    } else {
      if (moved < leastStep) return finish(true);
      damping *= DAMPING_RISE;
      if (damping > limits.max) return finish(true);
    }
  }
  return finish(false);
}

/** Returns the longest component of a step, in units of its largest step or of the parameter itself. */
function measureStep(from: readonly number[], to: readonly number[], bounds: readonly Bound[]): number {
  let moved = 0;
  for (let k = 0; k < from.length; k += 1) {
    const { step } = bounds[k];
    const unit = Number.isFinite(step) ? step : Math.max(Math.abs(from[k]), Math.abs(to[k]));
    moved = Math.max(moved, to[k] === from[k] ? 0 : Math.abs(to[k] - from[k]) / unit);
  }
  return moved;
}

/** Solves (JᵀJ + λ·diag) δ = Jᵀr. Written as loops, because its time matters for models of a few hundred points. */
function dampStep(
  { jtj, jtr }: NormalEquations,
  parameters: readonly number[],
  damping: number,
  { bounds, atBounds }: Pick<SquaresRules, 'bounds' | 'atBounds'>,
): number[] {
  const free: number[] = [];
  for (let k = 0; k < parameters.length; k += 1) {
    const leaves = jtr[k] > 0 ? parameters[k] >= bounds[k].max : parameters[k] <= bounds[k].min;
    if (jtj[k][k] > 0 && (atBounds === 'clamp' || !leaves)) free.push(k);
  }
  const matrix: Matrix = [];
  const right: number[] = [];
  for (const i of free) {
    const row: number[] = [];
    for (const j of free) row.push(i === j ? jtj[i][i] * (1 + damping) : jtj[i][j]);
    matrix.push(row);
    right.push(jtr[i]);
  }
  const found = solvePositive(matrix, right);
  const step = parameters.map(() => 0);
  for (let index = 0; index < free.length; index += 1) {
    const k = free[index];
    const full = found === null ? right[index] / matrix[index][index] : found[index];
    const largest = bounds[k].step;
    if (Number.isFinite(full)) step[k] = Math.max(-largest, Math.min(largest, full));
  }
  return step;
}

function clamp(value: number, { min, max }: Bound): number {
  return Math.max(min, Math.min(max, value));
}
