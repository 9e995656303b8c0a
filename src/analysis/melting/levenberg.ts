/** Levenberg–Marquardt for a few bounded parameters whose normal equations the caller evaluates. */
import { solve } from '../small-matrix.ts';
import type { Matrix } from '../small-matrix.ts';

export interface NormalEquations {
  params: number[];
  ssr: number;
  /** JᵀJ and Jᵀr with J = ∂model/∂params and r = data − model. */
  jtj: Matrix;
  jtr: number[];
}

export interface Bound {
  min: number;
  max: number;
  /** Largest change in one step. */
  step: number;
}

export interface Minimum<T> {
  at: T;
  iterations: number;
  converged: boolean;
}

const DAMPING_START = 1e-3;
const DAMPING_MAX = 1e10;
const SSR_TOLERANCE = 1e-9;
/** In units of the largest step. */
const STEP_TOLERANCE = 1e-6;

export function minimize<T extends NormalEquations>(
  evaluate: (params: number[]) => T,
  start: readonly number[],
  bounds: readonly Bound[],
  iterationsMax = 60,
): Minimum<T> {
  let at = evaluate(start.map((value, k) => inside(value, bounds[k])));
  let damping = DAMPING_START;
  for (let iterations = 1; iterations <= iterationsMax; iterations += 1) {
    const step = dampedStep(at, damping, bounds);
    const params = at.params.map((value, k) => inside(value + step[k], bounds[k]));
    const moved = Math.max(...params.map((value, k) => Math.abs(value - at.params[k]) / bounds[k].step));
    if (moved === 0) return { at, iterations, converged: true };
    const trial = evaluate(params);
    if (trial.ssr <= at.ssr) {
      const gain = at.ssr - trial.ssr;
      const done = gain <= SSR_TOLERANCE * at.ssr && moved < 1e3 * STEP_TOLERANCE;
      at = trial;
      damping = Math.max(damping / 9, 1e-12);
      if (done) return { at, iterations, converged: true };
    } else {
      damping *= 11;
      if (moved < STEP_TOLERANCE || damping > DAMPING_MAX) return { at, iterations, converged: true };
    }
  }
  return { at, iterations: iterationsMax, converged: false };
}

/** Parameters that rest on a bound and would leave it are held. */
function dampedStep(at: NormalEquations, damping: number, bounds: readonly Bound[]): number[] {
  const free = at.params.map((value, k) => {
    const leaves = at.jtr[k] > 0 ? value >= bounds[k].max : value <= bounds[k].min;
    return !leaves && at.jtj[k][k] > 0;
  });
  const kept = free.flatMap((is, k) => (is ? [k] : []));
  const step = at.params.map(() => 0);
  if (kept.length === 0) return step;
  const matrix = kept.map((i) => kept.map((j) => at.jtj[i][j] * (i === j ? 1 + damping : 1)));
  const found = solve(
    matrix,
    kept.map((k) => at.jtr[k]),
  );
  for (const [index, k] of kept.entries()) {
    const full = found === null ? at.jtr[k] / (at.jtj[k][k] * (1 + damping)) : found[index];
    step[k] = Math.max(-bounds[k].step, Math.min(bounds[k].step, full));
  }
  return step;
}

function inside(value: number, { min, max }: Bound): number {
  return Math.max(min, Math.min(max, value));
}
