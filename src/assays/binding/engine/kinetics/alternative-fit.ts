/** The solution of an alternative model in the form of a kinetic fit: the rates of its (main) interaction. */
import { subtractColumns } from '#analysis/numerics/matrix.ts';
import { computeRSquared } from '#analysis/numerics/statistics.ts';
import { computeStatedErrors } from './alternative-errors.ts';
import { ALTERNATIVES } from './alternatives.ts';
import type { AlternativeModel } from './alternatives.ts';
import { openProfile, isQuadraticMisleading, computeVariances, computeWidening } from './fit.ts';
import type { KineticFit } from './fit.ts';
import type { GeneralSolution } from './general-fit.ts';
import { computeGeneralProfileBounds } from './general-profile.ts';
import { restoreResidual } from './problem.ts';
import type { FitProblem } from './problem.ts';
import { computeCorrelationFactor, computeDurbinWatson } from './residual-correlation.ts';
import { computeNoiseCovariance } from './residual-noise.ts';
import { drawLevels } from './uncertain-levels.ts';

/** One kind of binding site, or one step of the mechanism. */
export interface Site {
  kon: number;
  koff: number;
  kdM: number;
  /** Part of the capacity. */
  fraction: number;
}

/** Returns the fraction of the first kind of site; 1 for models with one kind. */
export function computeFraction(model: AlternativeModel, { theta }: GeneralSolution): number {
  return model === 'heterogeneous_ligand' ? 1 / (1 + Math.exp(-theta[4])) : 1;
}

/** Returns both kinds of site, the larger fraction first; empty for models with one kind. */
export function buildSites(model: AlternativeModel, solution: GeneralSolution): Site[] {
  if (model !== 'heterogeneous_ligand') return [];
  const first = computeFraction(model, solution);
  const [a, d, a2, d2] = solution.theta.map(Math.exp);
  const sites = [
    { kon: a, koff: d, kdM: d / a, fraction: first },
    { kon: a2, koff: d2, kdM: d2 / a2, fraction: 1 - first },
  ];
  return sites.sort((one, other) => other.fraction - one.fraction);
}

export function toKineticFit(
  model: AlternativeModel,
  problem: FitProblem,
  solution: GeneralSolution,
  base: KineticFit,
): KineticFit {
  const { theta, ssr, inverse, residual, rmax } = solution;
  const main = computeFraction(model, solution) >= 0.5 ? 0 : 2;
  const kon = Math.exp(theta[main]);
  const koff = Math.exp(theta[main + 1]);
  const n = residual.length;
  const p = base.p + ALTERNATIVES[model].size - 2;
  const chi2 = ssr / Math.max(1, n - p);
  const getCovariance = (i: number, j: number): number => {
    return inverse === null ? Number.POSITIVE_INFINITY : chi2 * inverse[main + i][main + j];
  };
  const covariance: [number, number, number] =
    inverse === null
      ? [getCovariance(0, 0), 0, getCovariance(1, 1)]
      : [getCovariance(0, 0), getCovariance(0, 1), getCovariance(1, 1)];
  const [vaa, vad, vdd] = covariance;
  const correlation = vad / Math.sqrt(vaa * vdd);
  const rms = Math.sqrt(ssr / n);
  const { curves, offsets } = problem;
  const durbinWatson = computeDurbinWatson(residual, offsets);
  return {
    ...base,
    kon,
    koff,
    kdM: koff / kon,
    seLnKon: Math.sqrt(vaa),
    seLnKoff: Math.sqrt(vdd),
    seLnKd: Math.sqrt(Math.max(0, vaa + vdd - 2 * vad)),
    widening: computeWidening(addStatedErrors(model, problem, solution, covariance), covariance),
    correlationFactor: computeCorrelationFactor(residual, offsets, { parameters: p, durbinWatson }),
    covariance,
    correlation,
    conditionNumber: (1 + Math.abs(correlation)) / (1 - Math.abs(correlation)),
    profile: inverse === null ? 'open' : 'closed',
    intervals: null,
    curves: curves.map((curve, g) => {
      const left = restoreResidual(problem, g, residual, 'included');
      // The error of Rmax at fixed rates would be too small, so it is not stated.
      return {
        rmax: rmax[g],
        rmaxSe: Number.POSITIVE_INFINITY,
        linear: {},
        fitted: subtractColumns(curve.signal, left),
        residual: left,
      };
    }),
    ssr,
    n,
    p,
    r2: computeRSquared(
      ssr,
      curves.map(({ signal }) => signal),
    ),
    rms,
    rmsPctRmax: (100 * rms) / Math.max(...rmax),
    chi2,
    durbinWatson,
    iterations: solution.iterations,
    converged: solution.converged,
  };
}

/** Adds intervals by profile likelihood to a fit whose quadratic ones would mislead. */
export function withProfile(
  model: AlternativeModel,
  problem: FitProblem,
  solution: GeneralSolution,
  fit: KineticFit,
): KineticFit {
  if (solution.inverse === null || !isQuadraticMisleading(fit)) return fit;
  const { seLnKd, seLnKon, seLnKoff, widening } = fit;
  const intervals = computeGeneralProfileBounds({
    model,
    problem,
    solution,
    main: computeFraction(model, solution) >= 0.5 ? 0 : 2,
    variances: computeVariances(fit),
    se: { kd: seLnKd * widening.kd, kon: seLnKon * widening.kon, koff: seLnKoff * widening.koff },
  });
  return { ...fit, intervals, profile: openProfile(fit.profile, intervals.kd) };
}

/** Returns the covariance of both reported rates under the noise and under errors of doses and times. */
function addStatedErrors(
  model: AlternativeModel,
  problem: FitProblem,
  solution: GeneralSolution,
  [vaa, vad, vdd]: readonly [number, number, number],
): number[][] {
  const main = computeFraction(model, solution) >= 0.5 ? 0 : 2;
  const noisy = computeCovarianceUnderNoise(problem, solution, main) ?? [
    [vaa, vad],
    [vad, vdd],
  ];
  const statedErrors = computeStatedErrors(model, problem, solution, main);
  return statedErrors.map((row, i) => row.map((value, j) => value + noisy[i][j]));
}

/** Returns the covariance of all nonlinear parameters under the noise in the residuals, the reported rates first. */
function computeCovarianceUnderNoise(
  problem: FitProblem,
  solution: GeneralSolution,
  main: number,
): number[][] | null {
  const { curves, offsets, locals, terms } = problem;
  const { columns, shape, residual } = solution;
  const rates = [columns[main], columns[main + 1]];
  const shared = [...rates, ...columns.filter((_, k) => k !== main && k !== main + 1)];
  const shapes = curves.map((_, g) => shape.subarray(offsets[g], offsets[g + 1]));
  const isLocal = terms.rmax === 'local';
  return computeNoiseCovariance({
    offsets,
    timesS: curves.map((curve) => curve.timeS),
    residual,
    shared: isLocal ? shared : [...shared, shape],
    local: locals.map(({ basis }, g) => (isLocal ? [...basis, shapes[g]] : basis)),
    held: locals.map(({ held }) => held),
    levels: curves.map((curve) => drawLevels(curve).map(({ column }) => column)),
    common: curves.map((curve) => curve.commonNoise ?? 0),
  });
}
