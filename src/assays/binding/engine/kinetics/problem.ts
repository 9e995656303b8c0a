/**
 * The separable least-squares problem of a global 1:1 fit (variable projection; Golub & Pereyra 1973, Kaufman 1975).
 *
 * Columns that do not depend on the rates (bulk shift, drift, offset, step to dissociation; all local to a curve) are orthogonalized once and projected out of the data and of every shape. The remainder is one amplitude, Rmax, per curve or for all of them.
 *
 * A held drift or level is a column whose coefficient has a normal prior around zero. Least squares under that prior is the fit of whitened data (Lindley & Smith 1972): only a fraction of the column is projected out, none for one that is known to be zero and all of it for one that is unknown.
 */
import { addHeldRmax } from './held-rmax.ts';
import { computeDot, subtractScaled } from '#analysis/numerics/matrix.ts';
import { takeColumn, takeCopy } from './column-room.ts';
import { computePosteriorFraction, reduceByHeldAgain, restoreByHeld, solveHeld } from './held-column.ts';
import { getLocalBasis, projectLocal } from './local-basis.ts';
import type { LinearTerm, LinearTerms, LocalBasis } from './local-basis.ts';
import { addResponse, NOMINAL_TIME, writeRemainder, writeShape } from './model.ts';
import type { FitCurve, ShapeBuffers, TimeZero } from './model.ts';
import { projectAndMultiply, projectShapes } from './whiten-shapes.ts';
import type { ShapeProducts } from './whiten-shapes.ts';

export interface FitProblem {
  curves: readonly FitCurve[];
  terms: LinearTerms;
  time: TimeZero;
  /** Start of each curve in the concatenated arrays; the last entry is the total length. */
  offsets: Int32Array;
  /** The data after projecting out the local columns. */
  projected: Float64Array;
  locals: LocalBasis[];
  buffers: ShapeBuffers;
  /**
   * The contribution of complex left by an incomplete regeneration, in the unit of the signal; null when every curve
   * starts empty.
   */
  remainder: ShapeBuffers | null;
  residual: Float64Array;
}

/** Sums and state of the problem at one pair of rates. */
export interface Evaluation {
  lnKon: number;
  lnKoff: number;
  /** Residual sum of squares. */
  ssr: number;
  /** One per curve; all equal when Rmax is global. */
  rmax: Float64Array;
  /** Normal matrix of the projected Jacobian for (ln kon, ln koff). */
  aa: number;
  ad: number;
  dd: number;
  /** Projected Jacobian times residual. */
  ga: number;
  gd: number;
}

export function prepareProblem(
  curves: readonly FitCurve[],
  terms: LinearTerms,
  time: TimeZero = NOMINAL_TIME,
): FitProblem {
  const offsets = new Int32Array(curves.length + 1);
  for (const [g, curve] of curves.entries()) offsets[g + 1] = offsets[g] + curve.timeS.length;
  const n = offsets[curves.length];
  const problem: FitProblem = {
    curves,
    terms,
    time,
    offsets,
    projected: takeColumn(n),
    locals: curves.map((curve) => getLocalBasis(curve, terms, time)),
    buffers: createShapeBuffers(n),
    remainder: curves.some((curve) => (curve.initialSignal ?? 0) > 0) ? createShapeBuffers(n) : null,
    residual: takeColumn(n),
  };
  for (const [g, { projected }] of problem.locals.entries()) problem.projected.set(projected, offsets[g]);
  return problem;
}

/** Returns the problem with other times. Both use the same memory, so only one is valid at a time. */
export function moveToTime(problem: FitProblem, time: TimeZero): FitProblem {
  const { curves, terms } = problem;
  // Of the projected columns, only the one of the injection moves with the times.
  return terms.bulkShift ? prepareProblem(curves, terms, time) : { ...problem, time };
}

export function createShapeBuffers(length: number): ShapeBuffers {
  return {
    shape: takeColumn(length),
    byLnKon: takeColumn(length),
    byLnKoff: takeColumn(length),
  };
}

/** Solves the linear part at the given rates and returns the sums that a Gauss–Newton step needs. */
export function evaluate(problem: FitProblem, lnKon: number, lnKoff: number): Evaluation {
  const { curves, offsets, time, terms } = problem;
  const rates = { kon: Math.exp(lnKon), koff: Math.exp(lnKoff) };
  const result: Evaluation = {
    lnKon,
    lnKoff,
    ssr: 0,
    rmax: new Float64Array(curves.length),
    aa: 0,
    ad: 0,
    dd: 0,
    ga: 0,
    gd: 0,
  };
  const { buffers, locals, remainder, projected: data } = problem;
  const isGlobal = terms.rmax === 'global';
  let sums: ShapeProducts = { ss: 0, sy: 0, sa: 0, sd: 0 };
  for (let g = 0; g < curves.length; g += 1) {
    writeShape(curves[g], rates, time, buffers, offsets[g]);
    if (remainder === null) projectAndMultiply(buffers, locals[g], offsets[g], { data, sums });
    else {
      projectShapes(buffers, locals[g], offsets[g]);
      writeLeft(problem, remainder, g, rates);
    }
    if (isGlobal) continue;
    result.rmax[g] = addBlock(problem, result, [offsets[g], offsets[g + 1]], sums);
    sums = { ss: 0, sy: 0, sa: 0, sd: 0 };
  }
  if (isGlobal) result.rmax.fill(addBlock(problem, result, [0, offsets[curves.length]], sums));
  else if (terms.heldRmax !== undefined) addHeldRmax(problem, terms.heldRmax, result);
  return result;
}

/** Writes what remains of the measured initial signal of curve `g`, projected like everything else. */
function writeLeft(
  { curves, offsets, locals, time }: FitProblem,
  left: ShapeBuffers,
  g: number,
  rates: { kon: number; koff: number },
): void {
  writeRemainder(curves[g], rates, time, left, offsets[g]);
  const initial = curves[g].initialSignal ?? 0;
  for (let i = offsets[g]; i < offsets[g + 1]; i += 1) {
    left.shape[i] *= initial;
    left.byLnKon[i] *= initial;
    left.byLnKoff[i] *= initial;
  }
  projectShapes(left, locals[g], offsets[g]);
}

/**
 * Solves for one amplitude over points `from … to` from the products of its shape: its value, clamped at zero, the
 * residual and the projected normal equations.
 */
function addBlock(
  problem: FitProblem,
  sums: Evaluation,
  [from, to]: readonly [number, number],
  { ss, sy, sa, sd }: ShapeProducts,
): number {
  if (problem.remainder !== null) return addStarted(problem, problem.remainder, sums, [from, to]);
  const { projected: y } = problem;
  const { shape, byLnKon, byLnKoff } = problem.buffers;
  const rmax = ss > 0 ? Math.max(0, sy / ss) : 0;
  const alongA = ss > 0 ? sa / ss : 0;
  const alongD = ss > 0 ? sd / ss : 0;
  let { ssr, aa, ad, dd, ga, gd } = sums;
  for (let i = from; i < to; i += 1) {
    const s = shape[i];
    const r = y[i] - rmax * s;
    const ja = rmax * (byLnKon[i] - alongA * s);
    const jd = rmax * (byLnKoff[i] - alongD * s);
    problem.residual[i] = r;
    ssr += r * r;
    aa += ja * ja;
    ad += ja * jd;
    dd += jd * jd;
    ga += ja * r;
    gd += jd * r;
  }
  sums.ssr = ssr;
  sums.aa = aa;
  sums.ad = ad;
  sums.dd = dd;
  sums.ga = ga;
  sums.gd = gd;
  return rmax;
}

/** Like `addBlock`, for curves that do not start empty: the remainder depends on the rates but not on Rmax. */
function addStarted(
  problem: FitProblem,
  left: ShapeBuffers,
  sums: Evaluation,
  [from, to]: readonly [number, number],
): number {
  const { projected, residual, buffers } = problem;
  const { shape } = buffers;
  let ss = 0;
  let sy = 0;
  for (let i = from; i < to; i += 1) {
    residual[i] = projected[i] - left.shape[i];
    ss += shape[i] * shape[i];
    sy += shape[i] * residual[i];
  }
  const rmax = ss > 0 ? Math.max(0, sy / ss) : 0;
  const byKon = new Float64Array(to - from);
  const byKoff = new Float64Array(to - from);
  let sa = 0;
  let sd = 0;
  for (let i = from; i < to; i += 1) {
    byKon[i - from] = rmax * buffers.byLnKon[i] + left.byLnKon[i];
    byKoff[i - from] = rmax * buffers.byLnKoff[i] + left.byLnKoff[i];
    sa += shape[i] * byKon[i - from];
    sd += shape[i] * byKoff[i - from];
  }
  for (let i = from; i < to; i += 1) {
    const r = residual[i] - rmax * shape[i];
    const ja = byKon[i - from] - (ss > 0 ? sa / ss : 0) * shape[i];
    const jd = byKoff[i - from] - (ss > 0 ? sd / ss : 0) * shape[i];
    residual[i] = r;
    sums.ssr += r * r;
    sums.aa += ja * ja;
    sums.ad += ja * jd;
    sums.dd += jd * jd;
    sums.ga += ja * r;
    sums.gd += jd * r;
  }
  return rmax;
}

/**
 * Returns the coefficients of the local columns of curve `g`, by back-substitution on what the interaction does not
 * explain.
 */
export function solveLocalTerms(
  problem: FitProblem,
  g: number,
  at: { kon: number; koff: number; rmax: number },
): Partial<Record<LinearTerm, number>> {
  const { terms, columns, basis, held } = problem.locals[g];
  const curve = problem.curves[g];
  if (basis.length === 0 && held.columns.length === 0 && held.drift === null) return {};
  const n = curve.timeS.length;
  const rest = takeCopy(curve.signal);
  addResponse(curve, at, { time: problem.time, weight: -at.rmax }, rest, 0);
  const initial = curve.initialSignal ?? 0;
  if (initial > 0) {
    const raw = createShapeBuffers(n);
    writeRemainder(curve, at, problem.time, raw, 0);
    for (let i = 0; i < n; i += 1) rest[i] -= initial * raw.shape[i];
  }
  const values: Partial<Record<LinearTerm, number>> = {};
  if (held.columns.length > 0 || held.drift !== null) {
    const twice = takeCopy(rest);
    projectLocal({ basis, held }, twice, 0);
    reduceByHeldAgain(held.columns, twice);
    const found = solveHeld(held, twice);
    if (held.drift !== null) values.drift = 0;
    for (const [k, { name, column, sd }] of held.columns.entries()) {
      if (name === 'drift') values.drift = found[k];
      if (basis.length > 0) subtractScaled(rest, column, found[k] / sd);
    }
  }
  for (let j = basis.length - 1; j >= 0; j -= 1) {
    const value = computeDot(basis[j], rest) / computeDot(basis[j], columns[j]);
    values[terms[j]] = value;
    for (let i = 0; i < n; i += 1) rest[i] -= value * columns[j][i];
  }
  return values;
}

/** Number of free linear parameters of curve `g`; held ones count by the fraction that the data determine. */
export function countLocalParameters({ locals }: FitProblem, g: number): number {
  const { columns, held } = locals[g];
  return held.columns.reduce((sum, each) => sum + computePosteriorFraction(each), columns.length);
}

/**
 * Returns signal minus model of curve `g` from its whitened residual. `included`: what is held is part of the model;
 * `left`: it is part of the residual.
 */
export function restoreResidual(
  problem: FitProblem,
  g: number,
  whitened: Float64Array,
  held: 'included' | 'left',
): Float64Array {
  const residual = whitened.slice(problem.offsets[g], problem.offsets[g + 1]);
  const { columns } = problem.locals[g].held;
  if (held === 'included') reduceByHeldAgain(columns, residual);
  else restoreByHeld(columns, residual);
  return residual;
}
