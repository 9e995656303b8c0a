/**
 * Finds a KD that rests on one curve: without it the others give another one, by more than their errors explain
 * (jackknife; Quenouille 1956). A wrong dose, a bubble or a fallen-off ligand does that.
 */
import { formatConcentration } from '#core/number-words.ts';
import { invertPositive } from '#analysis/numerics/matrix.ts';
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import { solveKinetics } from './fit.ts';
import { evaluate, prepareProblem } from './problem.ts';
import { computeStepAhead } from './solve.ts';
import type { FitOptions, KineticFit, SolvedFit } from './fit.ts';
import type { Evaluation } from './problem.ts';
import type { FitCurve } from './model.ts';

/** With fewer curves, those that are left do not determine KD. */
const CURVES_MIN = 4;
/** A smaller change of KD does not count. */
const LN_CHANGE_MIN = Math.log(1.3);
/** Where a linear forecast moves ln KD by less than this part of it, the fit without the curve does not exceed it. */
const FORECAST_PART = 0.25;
/** Distance in standard errors of the change; with ten curves, one clean series in some hundred lies beyond. */
const CHANGE_SE_MIN = 3.5;

/** Returns the flag of the curve that moves KD most; null where none moves it beyond chance. */
export function flagInfluentialDose(
  curves: readonly FitCurve[],
  fit: KineticFit,
  options: FitOptions,
): Flag | null {
  if (curves.length < CURVES_MIN || fit.profile !== 'closed') return null;
  const start = { kon: fit.kon, koff: fit.koff };
  const changesAhead = computeLnKdChangesAhead(curves, fit, options);
  let most: { concentrationM: number; kdM: number; change: number } | null = null;
  for (const [g, { concentrationM }] of curves.entries()) {
    const others = curves.filter((_, i) => i !== g);
    if (Math.abs(changesAhead[g]) < FORECAST_PART * LN_CHANGE_MIN) continue;
    const fitWithout = solveKinetics(others, { ...options, start, timeZero: fit.timeZero });
    const change = Math.abs(Math.log(fitWithout.kdM / fit.kdM));
    // The errors of a part and the whole share the rest of the curves, so their variances subtract (Hausman 1978).
    const variance = computeLnKdVariance(fitWithout) - fit.seLnKd ** 2;
    const se = fit.widening.kd * Math.sqrt(Math.max(variance, fit.seLnKd ** 2));
    if (change < LN_CHANGE_MIN || !(change > CHANGE_SE_MIN * se)) continue;
    if (most === null || change > most.change) most = { concentrationM, kdM: fitWithout.kdM, change };
  }
  if (most === null) return null;
  const { concentrationM, kdM } = most;
  const message =
    `Without the curve at ${formatConcentration(concentrationM)}, KD would be ${formatConcentration(kdM)}: ` +
    'check that concentration and that sensor.';
  return createFlag('DOSE_INFLUENTIAL', 'warning', message, { value: kdM });
}

/** Returns for each curve how far one Gauss–Newton step on all the others moves ln KD. */
function computeLnKdChangesAhead(
  curves: readonly FitCurve[],
  { kon, koff, timeZero }: KineticFit,
  options: FitOptions,
): number[] {
  const from = { lnKon: Math.log(kon), lnKoff: Math.log(koff) };
  const evaluateAt = (of: readonly FitCurve[]): Evaluation =>
    evaluate(prepareProblem(of, options, timeZero), from.lnKon, from.lnKoff);
  const getChange = ({ lnKon, lnKoff }: { lnKon: number; lnKoff: number }): number =>
    lnKoff - lnKon - (from.lnKoff - from.lnKon);
  if (options.rmax === 'global' || options.heldRmax !== undefined)
    return curves.map((_, g) => getChange(computeStepAhead(evaluateAt(curves.filter((__, i) => i !== g)))));
  // Without a common amplitude the sums over curves are those of each curve.
  const alone = curves.map((curve) => evaluateAt([curve]));
  return curves.map((_, g) => {
    const sums = { ...alone[g], ssr: 0, aa: 0, ad: 0, dd: 0, ga: 0, gd: 0 };
    for (const each of alone) {
      if (each === alone[g]) continue;
      for (const name of SUMS) sums[name] += each[name];
    }
    return getChange(computeStepAhead(sums));
  });
}

const SUMS = ['ssr', 'aa', 'ad', 'dd', 'ga', 'gd'] as const;

function computeLnKdVariance({ at, n, p }: SolvedFit): number {
  const inverse = invertPositive([
    [at.aa, at.ad],
    [at.ad, at.dd],
  ]);
  if (inverse === null) return Number.POSITIVE_INFINITY;
  const chi2 = at.ssr / Math.max(1, n - p);
  return chi2 * (inverse[0][0] + inverse[1][1] - 2 * inverse[0][1]);
}
