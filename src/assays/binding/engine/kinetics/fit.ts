/** A complete 1:1 fit with its uncertainty: the values that the assay reports and the basis of its flags. */
import { invertPositive, subtractColumns } from '#analysis/numerics/matrix.ts';
import { AnalysisError } from '#analysis/failures/errors.ts';
import { computeRSquared } from '#analysis/numerics/statistics.ts';
import { takeCopy } from './column-room.ts';
import { NOMINAL_TIME } from './model.ts';
import type { FitCurve, TimeZero } from './model.ts';
import { computeNuisanceCovariance } from './nuisances.ts';
import { countLocalParameters, prepareProblem, restoreResidual, solveLocalTerms } from './problem.ts';
import type { LinearTerm, LinearTerms } from './local-basis.ts';
import type { Evaluation, FitProblem } from './problem.ts';
import { computeProfileInterval } from './profile.ts';
import type { ProfileInterval } from './profile.ts';
import { computeProfileBounds } from './profile-bounds.ts';
import type { ProfileBounds, ProfileFactors } from './profile-bounds.ts';
import { reduceByHeldRmax } from './held-rmax.ts';
import { computeNoiseCovariance } from './residual-noise.ts';
import { computeCorrelationFactor, computeDurbinWatson } from './residual-correlation.ts';
import { isCorrelated } from './residual-limits.ts';
import { drawLevels } from './uncertain-levels.ts';
import { isInside, refine, solveMultistart } from './solve.ts';
import type { Solution } from './solve.ts';

export type { ProfileInterval };

export type Widening = Record<'kd' | 'kon' | 'koff', number>;

export interface CurveFit {
  rmax: number;
  rmaxSe: number;
  /** Fitted bulk shift, drift (per s) and offset, if they are part of the model. */
  linear: Partial<Record<LinearTerm, number>>;
  /** Model values at the curve's times. */
  fitted: Float64Array;
  /** Signal minus model. */
  residual: Float64Array;
}

export interface KineticFit {
  kon: number;
  koff: number;
  kdM: number;
  /** Standard errors of the natural logarithms, from the covariance s²(JᵀJ)⁻¹, assuming independent residuals. */
  seLnKon: number;
  seLnKoff: number;
  seLnKd: number;
  /** Factors, at least 1, by which the correlated noise of the residuals widens these standard errors. */
  widening: Widening;
  /** Square root of the number of correlated points that equal one independent point; used to compare models. */
  correlationFactor: number;
  /** Covariance of (ln kon, ln koff): [V_aa, V_ad, V_dd]. */
  covariance: [number, number, number];
  correlation: number;
  /**
   * Condition number of the scaled normal matrix; 1 is best, and above about 1e4 the two rates cannot be separated.
   */
  conditionNumber: number;
  profile: ProfileInterval;
  /** 95 % intervals by profile where the quadratic ones would mislead; null elsewhere. */
  intervals: ProfileBounds | null;
  curves: CurveFit[];
  ssr: number;
  /** Number of points; `p` is the number of free parameters. */
  n: number;
  p: number;
  r2: number;
  rms: number;
  /** RMS as a percentage of the largest Rmax. */
  rmsPctRmax: number;
  /** SSR over degrees of freedom, in squared signal units. */
  chi2: number;
  durbinWatson: number;
  timeZero: TimeZero;
  iterations: number;
  converged: boolean;
}

export interface FitOptions extends LinearTerms {
  timeZero?: TimeZero;
  /** Start of the search, in place of a scan. */
  start?: { kon: number; koff: number };
  /** Number of parameters fitted elsewhere (time zero), counted in the degrees of freedom. */
  extraParameters?: number;
}

/** One Rmax per curve and nothing else: the default for one sensor per concentration. */
export const LOCAL_RMAX: LinearTerms = { rmax: 'local', bulkShift: false, drift: false, offset: false };

/** The part of a fit that is compared with other fits. */
export type FitOutline = Pick<KineticFit, 'kdM' | 'ssr' | 'n' | 'p' | 'r2' | 'correlationFactor'>;

/** The best rates without their errors, which take several times as long to compute: enough to compare fits. */
export interface SolvedFit extends Pick<
  KineticFit,
  'kon' | 'koff' | 'kdM' | 'ssr' | 'n' | 'p' | 'rms' | 'rmsPctRmax' | 'durbinWatson' | 'timeZero'
> {
  problem: FitProblem;
  /** Evaluation at the best rates; the buffers of `problem` belong to it. */
  at: Evaluation;
  solution: Solution;
}

/** Fits all curves with one kon and one koff. Throws `not_enough_data` without points to spare. */
export function fitKinetics(curves: readonly FitCurve[], options: FitOptions): KineticFit {
  return finishFit(solveKinetics(curves, options));
}

/** Like `fitKinetics`, but only the rates. */
export function solveKinetics(curves: readonly FitCurve[], options: FitOptions): SolvedFit {
  const usable = curves.every((curve) => curve.concentrationM > 0 && curve.timeS.length > 0);
  const points = curves.reduce((sum, curve) => sum + curve.timeS.length, 0);
  if (curves.length === 0 || !usable || points < 4 * curves.length + 8) {
    throw new AnalysisError(
      'not_enough_data',
      'A kinetic fit needs curves with points at concentrations above zero.',
    );
  }
  const problem = prepareProblem(curves, options, options.timeZero ?? NOMINAL_TIME);
  const { start } = options;
  const solution = start
    ? refine(problem, { lnKon: Math.log(start.kon), lnKoff: Math.log(start.koff) })
    : solveMultistart(problem);
  const at = solution.evaluation;
  const linear = Math.round(curves.reduce((sum, _, g) => sum + countLocalParameters(problem, g), 0));
  const amplitudes = problem.terms.rmax === 'global' ? 1 : curves.length;
  const p = 2 + amplitudes + linear + (options.extraParameters ?? 0);
  const kon = Math.exp(at.lnKon);
  const koff = Math.exp(at.lnKoff);
  const rmaxTop = Math.max(...at.rmax);
  const rms = Math.sqrt(at.ssr / points);
  return {
    problem,
    at,
    solution,
    kon,
    koff,
    kdM: koff / kon,
    ssr: at.ssr,
    n: points,
    p,
    rms,
    rmsPctRmax: rmaxTop > 0 ? (100 * rms) / rmaxTop : Number.POSITIVE_INFINITY,
    durbinWatson: computeDurbinWatson(problem.residual, problem.offsets),
    timeZero: problem.time,
  };
}

/** Returns the fitted linear terms of each curve. */
export function listLinearTerms({ problem, kon, koff, at }: SolvedFit): CurveFit['linear'][] {
  return problem.curves.map((_, g) => solveLocalTerms(problem, g, { kon, koff, rmax: at.rmax[g] }));
}

/** Returns the outline of `solved`; the problem must be unchanged since it was solved. */
export function buildOutline({ problem, kdM, ssr, n, p, durbinWatson }: SolvedFit): FitOutline {
  const { residual, offsets } = problem;
  const correlationFactor = computeCorrelationFactor(residual, offsets, { parameters: p, durbinWatson });
  return {
    kdM,
    ssr,
    n,
    p,
    r2: computeRSquared(
      ssr,
      problem.curves.map(({ signal }) => signal),
    ),
    correlationFactor,
  };
}

/** Completes the solved fit with the errors of its rates. */
export function finishFit(solved: SolvedFit, outline: FitOutline = buildOutline(solved)): KineticFit {
  const { problem, at, solution, kon, koff, n, p, rms, rmsPctRmax, durbinWatson, timeZero } = solved;
  const chi2 = at.ssr / Math.max(1, n - p);
  const covariance = computeCovariance(at, chi2);
  const [vaa, vad, vdd] = covariance;
  const fit: KineticFit = {
    ...outline,
    kon,
    koff,
    seLnKon: Math.sqrt(vaa),
    seLnKoff: Math.sqrt(vdd),
    seLnKd: Math.sqrt(Math.max(0, vaa + vdd - 2 * vad)),
    widening: computeWidening(computeCovarianceUnderNoise(problem, at), covariance),
    covariance,
    correlation: vad / Math.sqrt(vaa * vdd),
    conditionNumber: computeConditionNumber(at),
    profile: 'closed',
    intervals: null,
    curves: [],
    rms,
    rmsPctRmax,
    chi2,
    durbinWatson,
    timeZero,
    iterations: solution.iterations,
    converged: solution.converged,
  };
  fit.curves = computeCurveFits(solved, { chi2, covariance });
  fit.profile = computeProfileInterval(problem, at, chi2 * fit.widening.kd ** 2);
  if (isQuadraticMisleading(fit)) {
    fit.intervals = computeProfileBounds(problem, at, computeVariances(fit));
    fit.profile = openProfile(fit.profile, fit.intervals.kd);
  }
  return fit;
}

/**
 * Returns the variance of the residuals that a profile must assume to be as wide as the correlated noise requires.
 */
export function computeVariances({ chi2, widening }: KineticFit): Widening {
  return {
    kd: chi2 * widening.kd ** 2,
    kon: chi2 * widening.kon ** 2,
    koff: chi2 * widening.koff ** 2,
  };
}

/** Returns the covariance of (ln kon, ln koff) under the noise in the residuals. */
function computeCovarianceUnderNoise(problem: FitProblem, at: Evaluation): number[][] | null {
  const { curves, offsets, buffers, locals, remainder, residual, terms } = problem;
  const scaleColumn = (column: Float64Array, left: Float64Array | undefined): Float64Array => {
    const out = takeCopy(column);
    for (let g = 0; g < curves.length; g += 1) {
      for (let i = offsets[g]; i < offsets[g + 1]; i += 1) out[i] = at.rmax[g] * column[i] + (left?.[i] ?? 0);
    }
    return out;
  };
  const rates = [
    scaleColumn(buffers.byLnKon, remainder?.byLnKon),
    scaleColumn(buffers.byLnKoff, remainder?.byLnKoff),
  ];
  const shapes = curves.map((_, g) => buffers.shape.subarray(offsets[g], offsets[g + 1]));
  const { heldRmax } = terms;
  const reduced =
    heldRmax === undefined
      ? []
      : rates.map((column) => reduceByHeldRmax(problem, heldRmax, { column, rmax: at.rmax }));
  const isLocal = terms.rmax === 'local';
  const ofNoise = computeNoiseCovariance({
    offsets,
    timesS: curves.map((curve) => curve.timeS),
    residual,
    shared: heldRmax ? reduced.map(({ values }) => values) : isLocal ? rates : [...rates, buffers.shape],
    local: locals.map(({ basis }, g) => (isLocal && !heldRmax ? [...basis, shapes[g]] : basis)),
    ...(heldRmax && {
      heldRmax: {
        shapes,
        rows: curves.map((_, g) => reduced.map(({ ofPrior }) => ofPrior[g])),
        sd: Math.sqrt(heldRmax.variance),
      },
    }),
    held: locals.map(({ held }) => held),
    levels: curves.map((curve) => drawLevels(curve).map(({ column }) => column)),
    leavesLevels: true,
    common: curves.map((curve) => curve.commonNoise ?? 0),
  });
  const ofNuisances = computeNuisanceCovariance(problem, at);
  if (ofNoise === null || ofNuisances === null) return ofNoise;
  const [aa, ad, dd] = ofNuisances;
  return [
    [ofNoise[0][0] + aa, ofNoise[0][1] + ad],
    [ofNoise[1][0] + ad, ofNoise[1][1] + dd],
  ];
}

/** Both covariances start with (ln kon, ln koff). Without a covariance under noise, nothing is widened. */
export function computeWidening(
  noisy: readonly (readonly number[])[] | null,
  [vaa, vad, vdd]: readonly [number, number, number],
): Widening {
  if (noisy === null) return { kd: 1, kon: 1, koff: 1 };
  const [[aa, ad], [, dd]] = noisy;
  const computeFactor = (wide: number, plain: number): number => {
    const found = Math.sqrt(wide / plain);
    return Number.isFinite(found) ? Math.max(1, found) : 1;
  };
  return {
    kd: computeFactor(aa + dd - 2 * ad, vaa + vdd - 2 * vad),
    kon: computeFactor(aa, vaa),
    koff: computeFactor(dd, vdd),
  };
}

/** Returns the profile with those sides also open on which the interval found no end. */
export function openProfile(profile: ProfileInterval, { low, high }: ProfileFactors): ProfileInterval {
  const below = low === null || profile === 'open' || profile === 'open_low';
  const above = high === null || profile === 'open' || profile === 'open_high';
  if (below && above) return 'open';
  if (below) return 'open_low';
  return above ? 'open_high' : 'closed';
}

/** Above this, parabola and profile differ by several percent. */
const SE_LN_KD_QUADRATIC_MAX = 0.2;
const BOUND_MARGIN = 0.5;

/**
 * Whether the quadratic interval misleads: strongly correlated residuals, wide or open intervals, or rates at the
 * edge of the search range.
 */
export function isQuadraticMisleading(fit: KineticFit): boolean {
  const { widening } = fit;
  const atBound = !isInside(fit, BOUND_MARGIN);
  const widest = Math.max(fit.seLnKon * widening.kon, fit.seLnKoff * widening.koff, fit.seLnKd * widening.kd);
  const wide = !(widest < SE_LN_KD_QUADRATIC_MAX);
  return isCorrelated(fit) || fit.profile !== 'closed' || wide || atBound;
}

/** Returns s²(JᵀJ)⁻¹ as (kon, both, koff); infinite where the data do not determine a rate. */
function computeCovariance({ aa, ad, dd }: Evaluation, chi2: number): [number, number, number] {
  const inverse = invertPositive([
    [aa, ad],
    [ad, dd],
  ]);
  if (inverse === null) return [Number.POSITIVE_INFINITY, 0, Number.POSITIVE_INFINITY];
  return [chi2 * inverse[0][0], chi2 * inverse[0][1], chi2 * inverse[1][1]];
}

function computeConditionNumber(at: Evaluation): number {
  const cosine = Math.abs(at.ad) / Math.sqrt(at.aa * at.dd);
  return cosine < 1 ? (1 + cosine) / (1 - cosine) : Number.POSITIVE_INFINITY;
}

/** Returns the amplitudes of each curve with the uncertainty propagated from the rates, and the model curves. */
function computeCurveFits(
  solved: SolvedFit,
  spread: { chi2: number; covariance: [number, number, number] },
): CurveFit[] {
  const { problem, at } = solved;
  const { curves, offsets, terms } = problem;
  const total = offsets[curves.length];
  const shared = terms.rmax === 'global' ? computeAmplitudeSe(problem, at.rmax[0], spread, [0, total]) : null;
  const linear = listLinearTerms(solved);
  return curves.map((curve, g) => {
    const residual = restoreResidual(problem, g, problem.residual, 'included');
    return {
      rmax: at.rmax[g],
      rmaxSe: shared ?? computeAmplitudeSe(problem, at.rmax[g], spread, [offsets[g], offsets[g + 1]]),
      linear: linear[g],
      residual,
      fitted: subtractColumns(curve.signal, residual),
    };
  });
}

/** Var(Rmax) = s²/(s·s) + cᵀVc with c = Rmax·(s·∂s)/(s·s): the linear block of the full covariance. */
function computeAmplitudeSe(
  problem: FitProblem,
  rmax: number,
  spread: { chi2: number; covariance: [number, number, number] },
  [from, to]: [number, number],
): number {
  const { shape, byLnKon, byLnKoff } = problem.buffers;
  let ss = 0;
  let sa = 0;
  let sd = 0;
  for (let i = from; i < to; i += 1) {
    ss += shape[i] * shape[i];
    sa += shape[i] * byLnKon[i];
    sd += shape[i] * byLnKoff[i];
  }
  if (!(ss > 0)) return Number.POSITIVE_INFINITY;
  const ca = (rmax * sa) / ss;
  const cd = (rmax * sd) / ss;
  const [vaa, vad, vdd] = spread.covariance;
  return Math.sqrt(spread.chi2 / ss + ca * ca * vaa + 2 * ca * cd * vad + cd * cd * vdd);
}
