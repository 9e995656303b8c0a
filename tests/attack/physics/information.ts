/**
 * How well the recorded curves can determine KD at best: the Cramér–Rao bound from the Fisher information of a design.
 * A firm value may not be asked of a run whose curves do not hold it, however good the analysis.
 */
import type { Design } from '../instrument/design.ts';
import { planExposures, planSteps } from '../instrument/record.ts';
import { integrateSignal } from './integrate.ts';
import { createOneToOne } from './models.ts';

const STEP_LN = 1e-3;

/** Solves a symmetric positive system in place by Gaussian elimination; small and well scaled here. */
function invertMatrix(matrix: readonly (readonly number[])[]): number[][] {
  const size = matrix.length;
  const rows = matrix.map((row, index) => [...row, ...row.map((_, column) => (column === index ? 1 : 0))]);
  for (let pivot = 0; pivot < size; pivot += 1) {
    const top = rows[pivot] ?? [];
    const scale = top[pivot] ?? 0;
    for (let column = 0; column < top.length; column += 1) top[column] = (top[column] ?? 0) / scale;
    for (const [index, row] of rows.entries()) {
      const factor = row[pivot] ?? 0;
      if (index === pivot || factor === 0) continue;
      for (let column = 0; column < row.length; column += 1)
        row[column] = (row[column] ?? 0) - factor * (top[column] ?? 0);
    }
  }
  return rows.map((row) => row.slice(size));
}

/** The sensitivities of one curve: to ln kon, ln koff, ln Rmax, and to the steps of its wells. */
function deriveCurve(design: Design, statedM: readonly number[], rmax: number): number[][] {
  const steps = planSteps(design, statedM);
  const startS = design.baselineS;
  const endS = steps.at(-1)?.endS ?? 0;
  const timesS = Array.from({ length: Math.floor(endS - startS) }, (_, index) => startS + index);
  const exposures = planExposures(steps, statedM, {});
  const solve = (lnKon: number, lnKoff: number) => {
    const rates = { kon: design.rates.kon * Math.exp(lnKon), koff: design.rates.koff * Math.exp(lnKoff) };
    return integrateSignal(createOneToOne(rates, rmax), exposures, timesS);
  };
  const subtract = (upper: Float64Array, lower: Float64Array) =>
    [...upper].map((value, index) => (value - (lower[index] ?? 0)) / (2 * STEP_LN));
  const dissociationS = startS + design.associationS;
  return [
    subtract(solve(STEP_LN, 0), solve(-STEP_LN, 0)),
    subtract(solve(0, STEP_LN), solve(0, -STEP_LN)),
    [...solve(0, 0)],
    timesS.map((timeS) => (timeS < dissociationS ? 1 : 0)),
    timesS.map((timeS) => (timeS < dissociationS ? 0 : 1)),
  ];
}

/** The smallest standard error of ln KD that the noise of the design allows, with an Rmax for each BLI sensor. */
export function computeKdErrorLn(design: Design): number {
  const { technique, correlation, noise, blanks, dosesM, pauseS } = design;
  // Slow signals see correlated noise as fewer independent samples; the blank adds its own to every curve.
  const variance =
    (noise ** 2 * (1 + 1 / blanks) * ((1 + correlation) / (1 - correlation))) / Math.max(1, design.rateHz);
  const curves = pauseS === null ? dosesM.map((dose) => [dose]) : [dosesM];
  const isLocal = technique === 'bli';
  const size = 2 + (isLocal ? curves.length : 1) + (isLocal ? 2 * curves.length : 0);
  const information = Array.from({ length: size }, () => Array.from({ length: size }, () => 0));
  for (const [index, stated] of curves.entries()) {
    const columns = deriveCurve(design, stated, design.rmax[index] ?? 0);
    const places = isLocal
      ? [0, 1, 2 + index, 2 + curves.length + 2 * index, 3 + curves.length + 2 * index]
      : [0, 1, 2];
    for (const [i, at] of places.entries())
      for (const [j, other] of places.entries()) {
        const row = information[at] ?? [];
        const product = (columns[i] ?? []).reduce(
          (sum, value, point) => sum + value * (columns[j]?.[point] ?? 0),
          0,
        );
        row[other] = (row[other] ?? 0) + product / variance;
      }
  }
  // The steps of wells are known to be about as large as the noise.
  const firstStep = 2 + (isLocal ? curves.length : 1);
  for (let index = firstStep; index < size; index += 1) {
    const row = information[index] ?? [];
    row[index] = (row[index] ?? 0) + 1 / noise ** 2;
  }
  const covariance = invertMatrix(information);
  const [first, second] = [covariance[0] ?? [], covariance[1] ?? []];
  return Math.sqrt((first[0] ?? 0) + (second[1] ?? 0) - 2 * (first[1] ?? 0));
}
