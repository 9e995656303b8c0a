/**
 * What a fit leaves out of the shape of a melting curve, as directions beside its parameters: how far each Tm would move,
 * and how much wider its interval is, if each of them may be as large as proteins and instruments show it. One
 * linearization weighs all of them together, each with its usual size as a prior.
 */
import { computeCorrelationInflation } from '#analysis/numerics/autocorrelation.ts';
import { computeDot, invertPositive, type Matrix, projectOut } from '#analysis/numerics/matrix.ts';
import { computeMean } from '#analysis/numerics/statistics.ts';
import { listParameters } from './fit.ts';
import type { Curve, MeltFit } from './fit.ts';
import { R_KCAL, evaluate, prepare } from './model.ts';
import type { MeltEvaluation, MeltProblem } from './model.ts';

export interface Alternatives {
  /** Standard error of each Tm from what the model leaves out, in °C. */
  sesC: number[];
  /** Distance of two equal steps whose sum describes the curve better than one step does, in °C; 0 where none does. */
  splitC: number;
  /** The square of `splitC` in standard errors of that square. */
  splitScore: number;
}

/** Quenching of 0 to 1.5 % for each °C is alike likely where a curve does not tell it. */
const QUENCH_PER_C = 0.015 / Math.sqrt(3);
/** The two wavelengths of a ratio bend alike but for this part of the signal per °C². */
const RATIO_BEND_PER_C2 = 3e-5;
/**
 * ΔH at 60 °C divided by ΔCp, in K: 0.698 kcal/mol and 0.0139 kcal/(mol·K) for each residue (Robertson & Murphy 1997).
 * The heat capacity change lies anywhere between none and that.
 */
const DH_TO_DCP_K = 50;
const HEAT_CAPACITY = 1 / Math.sqrt(3);
/** Exponent of the native fraction, less one: −1 of unfolding that never returns, 0 of an equilibrium. */
const SKEW = 0.5;

/** A change of the model beside its parameters: its derivative at every temperature, and its usual size. */
interface Direction {
  column: Float64Array;
  size: number;
}

export function compareAlternatives(
  { temperatureC, signal }: Curve,
  fit: MeltFit,
  isRatio: boolean,
): Alternatives {
  const { model } = fit;
  const none: Alternatives = { sesC: fit.transitions.map(() => 0), splitC: 0, splitScore: 0 };
  if (model.baseline.kind !== 'free') return none;
  const problem = prepare(temperatureC, signal, model);
  const at = evaluate(problem, listParameters(fit));
  const heights = computeHeights(problem, at);
  const directions = [
    ...(isRatio ? [buildBend(problem)] : model.isQuenched ? [] : [buildQuench(problem)]),
    ...(model.deltaCpKcalPerMolK > 0 || model.shape === 'boltzmann'
      ? []
      : [buildHeatCapacity(problem, at, heights)]),
    buildSkew(problem, heights),
    { column: buildSplit(problem, at, heights), size: Number.POSITIVE_INFINITY },
  ];
  const { fixed, buffers } = problem;
  for (const { column } of directions) {
    projectOut(fixed, column);
    projectOut(buffers.columns, column);
  }
  const inflation = computeCorrelationInflation(fit.autocorrelation);
  const variance = (inflation ** 2 * at.ssr) / Math.max(1, fit.points - fit.parameters - directions.length);
  const jacobian = [...buffers.jacobian, ...directions.map(({ column }) => column)];
  const sizes = [
    ...buffers.jacobian.map(() => Number.POSITIVE_INFINITY),
    ...directions.map(({ size }) => size),
  ];
  const split = jacobian.length - 1;
  const information: Matrix = jacobian.map((a, p) =>
    jacobian.map((b, q) => computeDot(a, b) / variance + (p === q ? sizes[p] ** -2 : 0)),
  );
  const pull = jacobian.map((column) => computeDot(column, buffers.residual) / variance);
  const all = invertPositive(information);
  const one = invertPositive(information.slice(0, split).map((row) => row.slice(0, split)));
  if (all === null || one === null) return none;
  const squareC2 = computeDot(all[split], pull);
  return {
    sesC: fit.transitions.map(({ seTmC }, k) =>
      Math.hypot(computeDot(one[2 * k], pull), Math.sqrt(Math.max(0, one[2 * k][2 * k] - seTmC ** 2))),
    ),
    splitC: Math.sqrt(Math.max(0, squareC2)),
    splitScore: squareC2 / Math.sqrt(all[split][split]),
  };
}

/** Returns the change of signal through each transition at every temperature. */
function computeHeights({ x, model, shade }: MeltProblem, { linear }: MeltEvaluation): Float64Array[] {
  const count = model.transitions;
  return Array.from({ length: count }, (_, k) =>
    x.map((value, i) => shade[i] * (linear[k] + (linear[count] * value) / count)),
  );
}

function addColumns(
  { buffers: { fraction }, kelvin }: MeltProblem,
  heights: readonly Float64Array[],
  changeOf: (unfolded: number, kelvin: number, k: number) => number,
): Float64Array {
  const column = new Float64Array(kelvin.length);
  for (const [k, height] of heights.entries())
    for (let i = 0; i < column.length; i += 1)
      column[i] += height[i] * changeOf(fraction[k][i], kelvin[i], k);
  return column;
}

function buildQuench({ x, data, buffers: { residual }, halfK }: MeltProblem): Direction {
  return { column: x.map((value, i) => -value * (data[i] - residual[i])), size: QUENCH_PER_C * halfK };
}

function buildBend({ x, data, halfK }: MeltProblem): Direction {
  const level = Math.abs(computeMean(data));
  return { column: x.map((value) => level * value ** 2), size: RATIO_BEND_PER_C2 * halfK ** 2 };
}

function buildHeatCapacity(
  problem: MeltProblem,
  { params }: MeltEvaluation,
  heights: readonly Float64Array[],
): Direction {
  const column = addColumns(problem, heights, (unfolded, t, k) => {
    const tm = params[2 * k];
    const usual = Math.exp(params[2 * k + 1]) / DH_TO_DCP_K;
    return (usual * unfolded * (1 - unfolded) * (tm - t + t * Math.log(t / tm))) / (R_KCAL * t);
  });
  return { column, size: HEAT_CAPACITY };
}

/**
 * Derivative of (1 + (2^s − 1)e^u)^(−1/s), the native fraction, by s at s = 1: half at Tm for every s, an equilibrium at
 * 1 and irreversible unfolding of first order towards 0.
 */
function buildSkew(problem: MeltProblem, heights: readonly Float64Array[]): Direction {
  const column = addColumns(problem, heights, (unfolded) => {
    const native = Math.max(Number.MIN_VALUE, 1 - unfolded);
    return native * (Math.log(native) + 2 * Math.LN2 * unfolded);
  });
  return { column, size: SKEW };
}

/** Derivative by the squared distance of two equal steps around each Tm. */
function buildSplit(
  problem: MeltProblem,
  { params }: MeltEvaluation,
  heights: readonly Float64Array[],
): Float64Array {
  return addColumns(problem, heights, (unfolded, _, k) => {
    const width = Math.exp(params[2 * k + 1]);
    const widthC = problem.model.shape === 'boltzmann' ? width : (R_KCAL * params[2 * k] ** 2) / width;
    return (unfolded * (1 - unfolded) * (1 - 2 * unfolded)) / (8 * widthC ** 2);
  });
}
