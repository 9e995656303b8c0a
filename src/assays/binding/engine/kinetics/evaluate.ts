/** The quality rules of a kinetic fit, and the limits of what it can resolve. */
import { formatConcentration, formatPower } from '#core/number-words.ts';
import type { RelationCases } from '#core/relations.ts';
import { computeNormalQuantile, NORMAL_95, computeMedian } from '#analysis/numerics/statistics.ts';
import { createFlag, hasFlag, type Flag } from '#analysis/quality/flags.ts';
import {
  applyDoubts,
  createLimit,
  createMeasuredQuantity,
  createMeasuredBetween,
  stateQuantity,
  type Quantity,
} from '#analysis/quantities/quantity.ts';
import type { BindingSettings, BindingLimits } from '../settings.ts';
import type { Choice } from './evidence.ts';
import type { KineticFit } from './fit.ts';
import type { ProcessedCurve } from './process.ts';
import type { ProfileFactors } from './profile-bounds.ts';
import { PLATEAU_MIN, admitLimit, computeProgress } from './kd-limit.ts';
import { isExact } from './residual-limits.ts';
import { isInside } from './solve.ts';

/** Residuals up to this many times the noise of a point hide no deviation as large as the noise itself. */
const RMS_TO_NOISE_MAX = 1.2;

/**
 * Returns the flag of a fit that misses its curves, or null. On a low signal noise alone lowers R² and raises the
 * residuals in % of Rmax; residuals that are no larger than the noise and not correlated are noise.
 */
function flagPoorFit(
  curves: readonly ProcessedCurve[],
  fit: Pick<KineticFit, 'r2' | 'rms' | 'rmsPctRmax' | 'durbinWatson'>,
  limits: BindingLimits,
): Flag | null {
  const noise = computeMedian(curves.map((curve) => Math.min(curve.noise, curve.pointSe)));
  const isNoise = fit.rms <= RMS_TO_NOISE_MAX * noise && !(fit.durbinWatson < limits.durbinWatsonMin);
  if (isNoise) return null;
  if (fit.r2 < limits.r2Min) {
    const message = 'The 1:1 model does not describe the curves (R²).';
    return createFlag('POOR_FIT', 'warning', message, { value: fit.r2, limit: limits.r2Min });
  }
  if (!(fit.rmsPctRmax > limits.rmsPctRmaxMax)) return null;
  const message = 'The 1:1 model does not describe the curves (residual RMS in % of Rmax).';
  return createFlag('POOR_FIT', 'warning', message, { value: fit.rmsPctRmax, limit: limits.rmsPctRmaxMax });
}

/** Below this koff, instrument drift allows no value. */
const KOFF_FLOOR_PER_S = 1e-5;
const DRIFT_FACTOR = 5;
/** A standard error of ln KD above this leaves less than one significant digit. */
export const SE_LN_KD_MAX = 0.7;
/** A 95 % interval beyond a factor of two is told, although KD is measured. */
const SE_LN_KD_TOLD = Math.LN2 / NORMAL_95;
/**
 * Smallest distance of a value from a limit of the assay, in standard errors. Transport and the sensor itself bend rates
 * near the upper limit, so kon keeps a distance that one in two thousand exceeds; the lower limit of koff is a rule about
 * the window, and what lies above it by an error is measured.
 */
const CLEAR_SE = { kon: 3.3, koff: 1 } as const;
/** Smallest distance of koff from zero on the linear scale, on which the error of a small koff is symmetric. */
const ABOVE_ZERO_SE = computeNormalQuantile(0.995);

/** A null quantity is one that the curves do not determine. */
export interface Verdict {
  kd: Quantity | null;
  kon: Quantity | null;
  koff: Quantity | null;
  flags: Flag[];
}

/**
 * Returns the koff below which only a limit is stated: the 5 % rule (Katsamba 2006) and five times the measured
 * drift, at least 1e-5 /s.
 */
function computeKoffLimit(
  curves: readonly ProcessedCurve[],
  fit: KineticFit,
  settings: BindingSettings,
): number {
  const dissociationS = Math.max(...curves.map((curve) => curve.dissociationS));
  const byWindow = -Math.log(1 - settings.limits.dissociatedFractionMin) / Math.max(dissociationS, 1e-9);
  const top = Math.max(...fit.curves.map((curve) => curve.rmax));
  // The error of a drift that the plate shows is in the intervals.
  const drift = curves.every(({ fit: { drift: known } }) => known !== undefined) ? 0 : computeDrift(curves);
  return Math.max(byWindow, (DRIFT_FACTOR * drift) / top, KOFF_FLOOR_PER_S);
}

/** Returns the median absolute drift of the baselines, because sensors may drift in either direction. */
function computeDrift(curves: readonly ProcessedCurve[]): number {
  return computeMedian(curves.map(({ driftPerS }) => Math.abs(driftPerS)));
}

/** Turns the chosen fit into quantities with relations, and flags everything that is wrong with it. */
export function evaluateChoice(
  curves: readonly ProcessedCurve[],
  { model, fit, sites }: Choice,
  oneToOne: KineticFit,
  settings: BindingSettings,
): Verdict {
  const verdict = evaluateKinetics(curves, fit, settings);
  const { flags } = verdict;
  if (model === 'mass_transport') {
    const message =
      'Mass transport limits binding: the true kon and koff are faster than the apparent ones; KD comes from the model with transport.';
    flags.push(createFlag('MASS_TRANSPORT', 'warning', message, { value: oneToOne.kon, limit: fit.kon }));
    // Transport slows both apparent rates by the same factor, so they are limits of the true ones, and KD is
    // unaffected.
    const kon = createLimit(oneToOne.kon, '1/(M·s)', 'transport_limited');
    const slow = verdict.koff?.relation === '<';
    return {
      ...verdict,
      kon,
      koff: slow ? verdict.koff : createLimit(oneToOne.koff, '1/s', 'transport_limited'),
    };
  }
  if (model === 'heterogeneous_ligand') {
    const [main, other] = sites;
    const message =
      `Two kinds of site: KD is that of the larger fraction (${formatPercent(main.fraction)}); ` +
      `the other has ${formatConcentration(other.kdM)}.`;
    flags.push(createFlag('HETEROGENEOUS_LIGAND', 'warning', message, { value: other.kdM }));
  }
  if (model === 'bivalent_analyte') {
    const message = 'The analyte binds with both sites: KD is that of the first one, without avidity.';
    flags.push(createFlag('BIVALENT_ANALYTE', 'warning', message));
  }
  if (model === '1:1_bulk_shift') {
    const message = 'The curves support a refractive-index step in addition to 1:1 binding; it was fitted.';
    flags.push(createFlag('MODEL_EXTENDED', 'info', message));
  }
  if (model === '1:1_drift') {
    const message =
      'The curves support a drift in addition to 1:1 binding; it was fitted, although neither blanks nor references show it: another mechanism may look like it.';
    flags.push(createFlag('DRIFT_FITTED', 'warning', message));
  }
  return verdict;
}

function formatPercent(fraction: number): string {
  return `${Math.round(100 * fraction)} %`;
}

function evaluateKinetics(
  curves: readonly ProcessedCurve[],
  fit: KineticFit,
  settings: BindingSettings,
): Verdict {
  const flags = [...flagShape(curves, fit), ...findFitFlags(curves, fit, settings)];
  const limit = computeKoffLimit(curves, fit, settings);
  const above = computeUpperEnds(fit);
  // Rates with open upper ends do not bound KD from above, whatever their best values are.
  const isKoffSlow = above.koff !== null && (fit.koff < limit || fit.intervals?.koff.low === null);
  const slow = isKoffSlow && above.kd !== null;
  const fast = above.koff !== null && above.kd !== null && fit.kon > settings.limits.konMax;
  // Near a limit of the assay, noise decides on which side a value falls, so it is only an estimate.
  const unclear = {
    koff:
      Math.log(fit.koff / limit) < CLEAR_SE.koff * fit.seLnKoff * fit.widening.koff ||
      fit.koff < ABOVE_ZERO_SE * computeKoffSe(fit),
    kon: Math.log(settings.limits.konMax / fit.kon) < CLEAR_SE.kon * fit.seLnKon * fit.widening.kon,
  };
  const vague = fit.profile !== 'closed' || !(computeHalfWidth(fit) < SE_LN_KD_MAX);
  const poor = hasFlag(flags, 'POOR_FIT');
  flags.push(
    ...flagLimits(curves, fit, {
      limit,
      konMax: settings.limits.konMax,
      slow: isKoffSlow,
      fast,
      unclear,
      vague,
    }),
  );
  const listDoubts = (isNear: boolean): RelationCases => {
    return { wide_interval: vague, near_assay_limit: isNear };
  };
  const stateRate = (...of: Parameters<typeof stateQuantity>): Quantity | null =>
    applyDoubts(stateQuantity(...of), { poor_fit: poor });
  const createValue = (best: number, unit: string, seLn: number, factors?: ProfileFactors): Quantity => {
    return factors === undefined
      ? createMeasuredQuantity(best, unit, seLn)
      : createMeasuredBetween(best, unit, factors);
  };
  const bestKoff = createValue(fit.koff, '1/s', fit.seLnKoff * fit.widening.koff, fit.intervals?.koff);
  // A koff below the limit is known only to be below it, so no lower value is ever stated.
  const koffCases = {
    koff_below_window: isKoffSlow,
    koff_below_window_unbounded: fit.koff < limit && !isKoffSlow,
    ...openSides(bestKoff, isKoffAtEdge(fit)),
    ...listDoubts(unclear.koff),
  };
  const koff = stateRate(bestKoff, koffCases, Math.max(limit, above.koff ?? limit));
  const bestKon = createValue(fit.kon, '1/(M·s)', fit.seLnKon * fit.widening.kon, fit.intervals?.kon);
  const konCases = {
    kon_above_sensor: fast,
    ...openSides(bestKon, isKonAtEdge(fit)),
    ...listDoubts(unclear.kon),
  };
  const kon = stateRate(bestKon, konCases, settings.limits.konMax);
  const bestKd = createValue(fit.kdM, 'M', fit.seLnKd * fit.widening.kd, fit.intervals?.kd);
  // The error of kon belongs to an upper limit of KD.
  const most = (koff?.value ?? fit.koff) / (kon?.ci95Low ?? kon?.value ?? fit.kon);
  const kdCases = {
    rate_beyond_limit: slow || fast,
    ...openSides(bestKd, isKonAtEdge(fit) || isKoffAtEdge(fit), fit.profile),
    ...listDoubts(unclear.koff || unclear.kon),
  };
  const found = stateRate(bestKd, kdCases, Math.max(most, fast ? 0 : (above.kd ?? 0)));
  // A stated model excludes transport and other sites.
  const progress = settings.model === 'auto' ? computeProgress(curves, fit) : Number.POSITIVE_INFINITY;
  return { kon, koff, ...admitLimit(found, progress, flags) };
}

interface Reached {
  limit: number;
  konMax: number;
  slow: boolean;
  fast: boolean;
  unclear: { koff: boolean; kon: boolean };
  vague: boolean;
}

/** Flags the limits that the fit reached. */
function flagLimits(
  curves: readonly ProcessedCurve[],
  fit: KineticFit,
  { limit, konMax, slow, fast, unclear, vague }: Reached,
): Flag[] {
  const flags: Flag[] = [];
  if (slow) {
    const most = Math.max(limit, computeUpperEnds(fit).koff ?? limit);
    const message = describeSlow(curves, fit, { limit, most });
    flags.push(createFlag('KOFF_BELOW_LIMIT', 'warning', message, { value: fit.koff, limit }));
  } else if (unclear.koff) {
    const message = `koff is within its error of the smallest koff that the window can show (${formatPower(limit)} 1/s), so it is an estimate at best.`;
    flags.push(createFlag('KOFF_BELOW_LIMIT', 'info', message, { value: fit.koff, limit }));
  }
  if (fast) {
    const message = 'Association is faster than the sensor can resolve; mass transport may limit it.';
    flags.push(createFlag('KON_ABOVE_LIMIT', 'warning', message, { value: fit.kon, limit: konMax }));
  } else if (unclear.kon) {
    const message = `kon is not clearly below the largest kon that the sensor can resolve (${formatPower(konMax)} 1/(M·s)), so it is an estimate at best.`;
    flags.push(createFlag('KON_ABOVE_LIMIT', 'info', message, { value: fit.kon, limit: konMax }));
  }
  const halfWidth = computeHalfWidth(fit);
  if (vague || halfWidth > SE_LN_KD_TOLD) {
    const numbers = { value: halfWidth, limit: vague ? SE_LN_KD_MAX : SE_LN_KD_TOLD };
    flags.push(createFlag('POORLY_IDENTIFIED', 'warning', describeVague(fit), numbers));
  }
  return flags;
}

/**
 * Returns the standard error of koff downward, not of its logarithm. A slight dissociation is a slope proportional to
 * koff, and noise can cancel it entirely.
 */
function computeKoffSe({ koff, seLnKoff, widening, intervals }: KineticFit): number {
  const low =
    intervals === null ? Math.exp(-NORMAL_95 * seLnKoff * widening.koff) : (intervals.koff.low ?? 0);
  return (koff * (1 - low)) / NORMAL_95;
}

/** Returns the upper ends of the 95 % intervals, by profile where there is one; null where they are open. */
function computeUpperEnds(fit: KineticFit): { koff: number | null; kd: number | null } {
  const computeUpperEnd = (best: number, seLn: number, factors?: ProfileFactors): number | null => {
    if (factors !== undefined) return factors.high === null ? null : best * factors.high;
    const width = Math.exp(NORMAL_95 * seLn);
    return Number.isFinite(width) ? best * width : null;
  };
  return {
    koff: computeUpperEnd(fit.koff, fit.seLnKoff * fit.widening.koff, fit.intervals?.koff),
    kd: computeUpperEnd(fit.kdM, fit.seLnKd * fit.widening.kd, fit.intervals?.kd),
  };
}

function describeSlow(
  curves: readonly ProcessedCurve[],
  { koff }: KineticFit,
  { limit, most }: { limit: number; most: number },
): string {
  const windowS = Math.max(...curves.map((curve) => curve.dissociationS));
  const dissociated = (100 * (1 - Math.exp(-koff * windowS))).toPrecision(2);
  const why = koff < limit ? 'too little for a value' : 'no more than noise could do';
  return (
    `In the ${Math.round(windowS)} s of dissociation ${dissociated} % of the complex dissociates: ` +
    `${why}, so what is stated of koff is its limit, ${formatPower(most)} 1/s.`
  );
}

/** Correlation above which kon and koff can compensate each other. */
const CORRELATION_MAX = 0.98;
/** When correlated residuals widen an interval by this factor, they are the reason for its width. */
const WIDENING_LARGE = 3;

function describeVague(fit: KineticFit): string {
  const found = {
    open: 'A KD ten times lower or higher describes the curves as well',
    open_low: 'A KD ten times lower describes the curves as well',
    open_high: 'A KD ten times higher describes the curves as well',
    closed: `KD is known to a factor of ${Math.exp(NORMAL_95 * computeHalfWidth(fit)).toPrecision(2)} only`,
  }[fit.profile];
  if (Math.abs(fit.correlation) > CORRELATION_MAX)
    return `${found}: kon and koff are not determined separately.`;
  if (fit.widening.kd > WIDENING_LARGE) return `${found}: the residuals are correlated over long times.`;
  return `${found}.`;
}

/** Returns the standard error of ln KD that corresponds to the interval. */
function computeHalfWidth(fit: KineticFit): number {
  const { low, high } = fit.intervals?.kd ?? { low: null, high: null };
  return low === null || high === null
    ? fit.seLnKd * fit.widening.kd
    : Math.log(high / low) / (2 * NORMAL_95);
}

/**
 * Returns the sides on which the curves leave a value open: those that its profile leaves open and, for a rate at the
 * edge of the search range, those without an end of the interval. The place where a search stopped is not an
 * estimate.
 */
function openSides(
  { value, ci95Low, ci95High }: Quantity,
  isAtEdge: boolean,
  profile: KineticFit['profile'] = 'closed',
): RelationCases {
  const isUsable = value > 0 && Number.isFinite(value);
  return {
    open_on_both_sides: !isUsable || (ci95Low === null && ci95High === null),
    open_above: (profile === 'open_high' && ci95Low !== null) || (isAtEdge && ci95High === null),
    open_below: (profile === 'open_low' && ci95High !== null) || (isAtEdge && ci95Low === null),
  };
}

/** A rate closer than this (in ln) to the edge of the search range ended there. */
const EDGE_MARGIN = 0.5;
/** Rates in the middle of the search range, to test each rate alone. */
const ORDINARY = { kon: 1e5, koff: 1e-3 } as const;

function isKonAtEdge({ kon }: KineticFit): boolean {
  return !isInside({ ...ORDINARY, kon }, EDGE_MARGIN);
}

function isKoffAtEdge({ koff }: KineticFit): boolean {
  return !isInside({ ...ORDINARY, koff }, EDGE_MARGIN);
}

export function flagTopBelowKd(topM: number, kdM: number): Flag[] {
  if (topM >= kdM) return [];
  const message =
    'The fit puts KD above every concentration that was used: Rmax and KD rest on extrapolation.';
  return [createFlag('TOP_C_BELOW_KD', 'warning', message, { value: topM, limit: kdM })];
}

function flagShape(curves: readonly ProcessedCurve[], fit: KineticFit): Flag[] {
  const top = Math.max(...curves.map((curve) => curve.concentrationM));
  const flags = flagTopBelowKd(top, fit.kdM);
  const progress = computeProgress(curves, fit);
  if (progress < PLATEAU_MIN) {
    const message = 'No curve approaches saturation.';
    flags.push(createFlag('NO_PLATEAU', 'warning', message, { value: progress, limit: PLATEAU_MIN }));
  }
  return flags;
}

function findFitFlags(curves: readonly ProcessedCurve[], fit: KineticFit, settings: BindingSettings): Flag[] {
  const { limits } = settings;
  const flags: Flag[] = [];
  const noise = computeMedian(curves.map((curve) => curve.noise));
  const rmax = Math.max(...fit.curves.map((curve) => curve.rmax));
  if (rmax < limits.rmaxToNoise * noise) {
    const message = `Rmax is below ${limits.rmaxToNoise} times the noise.`;
    flags.push(
      createFlag('LOW_SIGNAL', 'warning', message, { value: rmax, limit: limits.rmaxToNoise * noise }),
    );
  }
  const poor = flagPoorFit(curves, fit, limits);
  if (poor !== null) flags.push(poor);
  if (fit.durbinWatson < limits.durbinWatsonMin && !isExact(fit)) {
    const message =
      'Residuals are correlated: the fit deviates systematically. The intervals are widened to account for it.';
    flags.push(
      createFlag('AUTOCORRELATED_RESIDUALS', 'info', message, {
        value: fit.durbinWatson,
        limit: limits.durbinWatsonMin,
      }),
    );
  }
  const drift = Math.max(
    computeDrift(curves),
    ...fit.curves.map(({ linear }) => Math.abs(linear.drift ?? 0)),
  );
  const lengthS = Math.max(...curves.map((curve) => curve.fit.associationS + curve.dissociationS));
  const driftMax = limits.driftFractionMax * rmax;
  if (drift * lengthS > driftMax) {
    const message = 'The signal drifts by a large fraction of Rmax over the measurement.';
    flags.push(createFlag('DRIFT', 'warning', message, { value: drift * lengthS, limit: driftMax }));
  }
  return flags;
}
