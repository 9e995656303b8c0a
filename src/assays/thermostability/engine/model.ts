/**
 * Melting curves as separable least-squares problems: the fraction unfolded of each transition is nonlinear in Tm and its
 * width, everything else is linear and eliminated by variable projection (Golub & Pereyra 1973; Kaufman 1975).
 *
 * Thermodynamic two-state model (MoltenProt, Kotov 2021; eSPC, Burastero 2021):
 *     y = (b_N + m_N T)(1 − f) + (b_U + m_U T) f,  f = K/(1 + K),  K = e^(−ΔG/RT),
 *     ΔG = ΔH(1 − T/Tm) − ΔCp(Tm − T + T ln(T/Tm))
 * Several transitions add up: y = b + m x + Σ a_i f_i + s x f̄, with f̄ the mean of the f_i.
 * Fluorescence that heat quenches is all of this times e^(−q x), which bends both baselines.
 * Boltzmann model (Niesen 2007): y = LL + (UL − LL)/(1 + e^((Tm − T)/a)).
 */
import {
  appendDirection,
  fitColumns,
  projectOut,
  computeDot,
  mapColumn,
  multiplyColumns,
} from '#analysis/numerics/matrix.ts';
import type { NormalEquations } from '#analysis/numerics/least-squares.ts';

/** Gas constant in kcal/(mol·K). */
export const R_KCAL = 1.987204e-3;
export const KELVIN = 273.15;

export type Shape = 'thermodynamic' | 'boltzmann';

/** Slopes of the baselines, in signal per °C; `free` fits both, `none` has flat baselines. */
export type Baseline =
  { kind: 'free' } | { kind: 'none' } | { kind: 'given'; folded: number; unfolded: number };

export interface MeltModel {
  shape: Shape;
  transitions: number;
  baseline: Baseline;
  /** Heat capacity change in kcal/(mol·K). */
  deltaCpKcalPerMolK: number;
  /** Whether quenching is fitted: the last parameter, q per x. Only with free baselines. */
  isQuenched: boolean;
}

export interface MeltProblem {
  model: MeltModel;
  kelvin: Float64Array;
  /** Temperature scaled to −1…1 over the range: x = (T − center)/half. */
  x: Float64Array;
  centerK: number;
  halfK: number;
  /** Orthonormal basis of the columns that do not depend on the parameters. */
  fixed: Float64Array[];
  /** The part of the signal that quenching leaves at the last parameters. */
  shade: Float64Array;
  /** Data minus the known folded slope, and the same with `fixed` projected out. */
  data: Float64Array;
  projected: Float64Array;
  /** Known slope change on unfolding, per x. */
  slopeChange: number;
  slopeFree: boolean;
  /** Number of free parameters, including the linear ones. */
  parameters: number;
  buffers: {
    fraction: Float64Array[];
    mean: Float64Array;
    columns: Float64Array[];
    jacobian: Float64Array[];
    residual: Float64Array;
  };
}

/** Parameters: per transition Tm in K and the logarithm of ΔH (kcal/mol) or of the Boltzmann width a (K); then the quenching. */
export interface MeltState {
  params: number[];
  ssr: number;
  /** Amplitude of each transition, then the fitted slope change per x where it is free. */
  linear: number[];
}

export interface MeltEvaluation extends MeltState, NormalEquations {}

export function prepare(
  temperatureC: ArrayLike<number>,
  signal: ArrayLike<number>,
  model: MeltModel,
): MeltProblem {
  const n = temperatureC.length;
  const kelvin = new Float64Array(n);
  for (let i = 0; i < n; i += 1) kelvin[i] = temperatureC[i] + KELVIN;
  const centerK = (kelvin[0] + kelvin[n - 1]) / 2;
  const halfK = (kelvin[n - 1] - kelvin[0]) / 2;
  const x = mapColumn(kelvin, (value) => (value - centerK) / halfK);
  const { baseline, transitions } = model;
  const baselineSlopes = baseline.kind === 'given' ? baseline : null;
  const data = new Float64Array(n);
  const foldedSlope = (baselineSlopes?.folded ?? 0) * halfK;
  for (let i = 0; i < n; i += 1) data[i] = signal[i] - foldedSlope * x[i];
  const fixed: Float64Array[] = [];
  const raw = [new Float64Array(n).fill(1), ...(baseline.kind === 'free' ? [x] : [])];
  for (const column of raw) appendDirection(fixed, column);
  const projected = Float64Array.from(data);
  projectOut(fixed, projected);
  const slopeFree = baseline.kind === 'free';
  const createArrays = (count: number): Float64Array[] =>
    Array.from({ length: count }, () => new Float64Array(n));
  return {
    model,
    kelvin,
    x,
    centerK,
    halfK,
    fixed,
    shade: new Float64Array(n).fill(1),
    data,
    projected,
    slopeChange: baselineSlopes === null ? 0 : (baselineSlopes.unfolded - baselineSlopes.folded) * halfK,
    slopeFree,
    parameters: fixed.length + 3 * transitions + (slopeFree ? 1 : 0) + (model.isQuenched ? 1 : 0),
    buffers: {
      fraction: createArrays(transitions),
      mean: new Float64Array(n),
      columns: createArrays(transitions + 1),
      jacobian: createArrays(2 * transitions + (model.isQuenched ? 1 : 0)),
      residual: new Float64Array(n),
    },
  };
}

/** Returns the fraction unfolded at one temperature, from z = ΔG/RT. */
export function computeFractionUnfolded(z: number): number {
  return 1 / (1 + Math.exp(z));
}

/** Writes f of transition `k` for the parameters. */
function writeFractions({ kelvin, model, buffers }: MeltProblem, params: readonly number[], k: number): void {
  const tm = params[2 * k];
  const width = Math.exp(params[2 * k + 1]);
  const fraction = buffers.fraction[k];
  const cp = model.deltaCpKcalPerMolK;
  for (let i = 0; i < kelvin.length; i += 1) {
    const t = kelvin[i];
    let z: number;
    if (model.shape === 'boltzmann') z = (tm - t) / width;
    else {
      z = (width / R_KCAL) * (1 / t - 1 / tm);
      if (cp !== 0) z -= (cp / (R_KCAL * t)) * (tm - t + t * Math.log(t / tm));
    }
    fraction[i] = computeFractionUnfolded(z);
  }
}

/** Writes ∂f/∂Tm and ∂f/∂ln width of transition `k`, whose f is written, to the columns of the Jacobian. */
function writeDerivatives(
  { kelvin, model, buffers }: MeltProblem,
  params: readonly number[],
  k: number,
): void {
  const tm = params[2 * k];
  const width = Math.exp(params[2 * k + 1]);
  const fraction = buffers.fraction[k];
  const byTm = buffers.jacobian[2 * k];
  const byWidth = buffers.jacobian[2 * k + 1];
  const cp = model.deltaCpKcalPerMolK;
  for (let i = 0; i < kelvin.length; i += 1) {
    const t = kelvin[i];
    const f = fraction[i];
    let zTm: number;
    let zWidth: number;
    if (model.shape === 'boltzmann') {
      zTm = 1 / width;
      zWidth = -(tm - t) / width;
    } else {
      zWidth = (width / R_KCAL) * (1 / t - 1 / tm);
      zTm = width / (R_KCAL * tm * tm);
      if (cp !== 0) zTm -= (cp / (R_KCAL * t)) * (1 - t / tm);
    }
    const slope = -f * (1 - f);
    byTm[i] = slope * zTm;
    byWidth[i] = slope * zWidth;
  }
}

/** Writes what quenching leaves of the signal, and what depends on it alone. */
function writeShade({ x, shade, fixed, data, projected }: MeltProblem, quench: number): void {
  for (let i = 0; i < x.length; i += 1) shade[i] = Math.exp(-quench * x[i]);
  fixed.length = 0;
  appendDirection(fixed, shade);
  appendDirection(
    fixed,
    shade.map((value, i) => value * x[i]),
  );
  projected.set(data);
  projectOut(fixed, projected);
}

/** Solves the least squares over all linear parameters at the given nonlinear ones, and linearizes them. */
export function evaluate(problem: MeltProblem, params: number[]): MeltEvaluation {
  const at = solveAt(problem, params);
  return { ...at, ...linearize(problem, at) };
}

/** Solves the least squares over all linear parameters at the given nonlinear ones. */
export function solveAt(problem: MeltProblem, params: number[]): MeltState {
  const { x, fixed, buffers, slopeChange, slopeFree, shade, model } = problem;
  const count = model.transitions;
  const { fraction, mean, columns, residual } = buffers;
  if (model.isQuenched) writeShade(problem, params[2 * count]);
  mean.fill(0);
  for (let k = 0; k < count; k += 1) {
    writeFractions(problem, params, k);
    for (let i = 0; i < x.length; i += 1) mean[i] += fraction[k][i] / count;
    for (let i = 0; i < x.length; i += 1) columns[k][i] = shade[i] * fraction[k][i];
  }
  if (slopeFree) for (let i = 0; i < x.length; i += 1) columns[count][i] = shade[i] * x[i] * mean[i];
  residual.set(problem.projected);
  if (slopeChange !== 0) {
    // Every fixed basis contains the constant; with given slopes it contains only the constant.
    for (let i = 0; i < x.length; i += 1) residual[i] -= slopeChange * x[i] * mean[i];
    projectOut(fixed, residual);
  }
  const linear = fitColumns(getUsedColumns(problem), fixed, residual);
  return { params, ssr: computeDot(residual, residual), linear };
}

function getUsedColumns({ buffers: { columns }, slopeFree, model }: MeltProblem): readonly Float64Array[] {
  return slopeFree ? columns : columns.slice(0, model.transitions);
}

/** Computes Kaufman's Jacobian at the state that was solved last, whose columns `problem` still holds. */
export function linearize(problem: MeltProblem, { params, linear }: MeltState): NormalEquations {
  const { x, fixed, buffers, slopeChange, slopeFree, shade, model } = problem;
  const count = model.transitions;
  const { residual, jacobian } = buffers;
  const used = getUsedColumns(problem);
  const slope = slopeChange + (slopeFree ? linear[count] : 0);
  for (let k = 0; k < count; k += 1) {
    const byTm = jacobian[2 * k];
    const byWidth = jacobian[2 * k + 1];
    writeDerivatives(problem, params, k);
    for (let i = 0; i < x.length; i += 1) {
      const height = shade[i] * (linear[k] + (slope * x[i]) / count);
      byTm[i] *= height;
      byWidth[i] *= height;
    }
  }
  if (model.isQuenched) {
    const column = jacobian[2 * count];
    for (let i = 0; i < x.length; i += 1) column[i] = -x[i] * (problem.data[i] - residual[i]);
  }
  for (const column of jacobian) {
    projectOut(fixed, column);
    projectOut(used, column);
  }
  return {
    jtj: multiplyColumns(jacobian),
    jtr: jacobian.map((a) => computeDot(a, residual)),
  };
}

/** The linear part of the curve, from an evaluation whose buffers are still those of `problem`. */
export interface LinearPart {
  /** Change of signal through each transition at its own Tm. */
  amplitudes: number[];
  /** Slopes of the folded and the unfolded baseline, per °C. */
  foldedSlope: number;
  unfoldedSlope: number;
  fitted: Float64Array;
}

export function solveLinearPart(problem: MeltProblem, at: MeltEvaluation): LinearPart {
  const { x, data, buffers, halfK, shade, slopeFree, slopeChange, model } = problem;
  const count = model.transitions;
  const slope = slopeChange + (slopeFree ? at.linear[count] : 0);
  const quench = model.isQuenched ? at.params[2 * count] : 0;
  const amplitudes = Array.from({ length: count }, (_, k) => {
    const atTm = (at.params[2 * k] - problem.centerK) / halfK;
    return Math.exp(-quench * atTm) * (at.linear[k] + (slope * atTm) / count);
  });
  const fixedFolded = model.baseline.kind === 'given' ? model.baseline.folded : 0;
  const fitted = Float64Array.from(
    data,
    (value, i) => value - buffers.residual[i] + fixedFolded * halfK * x[i],
  );
  let foldedSlope = fixedFolded;
  if (slopeFree) {
    // After subtracting the transitions, the fit is the straight line of the folded state.
    const n = x.length;
    const computeRest = (i: number): number => {
      let value = fitted[i] / shade[i];
      for (let k = 0; k < count; k += 1)
        value -= (at.linear[k] + (slope * x[i]) / count) * buffers.fraction[k][i];
      return value;
    };
    foldedSlope = (computeRest(n - 1) - computeRest(0)) / (2 * halfK);
  }
  return { amplitudes, foldedSlope, unfoldedSlope: foldedSlope + slope / halfK, fitted };
}
