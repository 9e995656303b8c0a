/** Turns aligned traces into a processed curve: step joining, noise, response, spikes, windows and thinning. */
import type { BindingSettings } from '../settings.ts';
import { computeCorrelationInflation } from '#analysis/numerics/autocorrelation.ts';
import { fitLine } from '#analysis/numerics/line.ts';
import { computeDot } from '#analysis/numerics/matrix.ts';
import { computeMean, computeMedian } from '#analysis/numerics/statistics.ts';
import { keepPoints } from '#analysis/numerics/thinning.ts';
import { computeMeanOfEnd, type AlignedTrace, type Phase } from './align.ts';
import type { Clipping } from './clipping.ts';
import { countSpikes } from './spikes.ts';
import { computeTurnWeights, JOIN_S } from './turn-weights.ts';
import type { Averaging, FitCurve, Injection } from './model.ts';

/** Errors of what a file states, which no file tells. */
/** Error of stated or fitted times of injections: half the step of their search. */
const TIME_SE_S = 0.125;

/** Error of a dose: two transfers by pipette of about 2 % each (ISO 8655-2). */
const DOSE_SE = 0.03;
/** Fraction of the analyte that stays in the buffer after an injection: a rinsed needle or tip leaves a thousandth. */
const LEFTOVER_SD = 0.001;

const ASSUMED_ERRORS = { timeSe: TIME_SE_S, doseSe: DOSE_SE, leftoverSd: LEFTOVER_SD } as const;

export interface ProcessedCurve {
  traceId: string;
  well: string | null;
  concentrationM: number;
  /** The input of the fit: windows cut, thinned; times in s since the nominal start of association. */
  fit: FitCurve;
  /** Thinned baseline before association, for a fitted time zero. */
  baseline: Phase | null;
  dissociationS: number;
  /** Median time between raw samples. */
  intervalS: number;
  /** Mean of the end of association, with its standard error from noise. */
  response: number;
  responseSe: number;
  /** SD of single raw samples around a straight line. */
  noise: number;
  /** Slope of the baseline in signal/s if it is significant (3 SE), else 0. */
  driftPerS: number;
  /** Slope of the baseline in signal/s, significant or not; null without a baseline. */
  baselineSlope: number | null;
  /** Its standard error. */
  baselineSlopeSe: number;
  /** Number of sensors whose variances add up in the curve: its own and those subtracted. */
  sensors: number;
  /** Standard error of a thinned point of the fit that noise alone would give, widened for its autocorrelation. */
  pointSe: number;
  /** Signal of its baseline above the lowest one of the surface; 0 where curves do not share a surface. */
  leftSignal: number;
  /** Shift that was added to dissociation to join it to association. */
  interStepShift: number;
  /** Number of samples that stand out from their neighbors. */
  spikes: number;
  /** Change over the last tenth of association at its end slope, as a fraction of the response. */
  endSlopeFraction: number;
  /** Response at the end of each injection. */
  plateaus: { concentrationM: number; response: number }[];
  loading: number | null;
  rawTop: number;
  /** Where its sensor ends at the detector's range; null where it does not. */
  clipping: Clipping | null;
}

export interface ProcessOptions {
  settings: BindingSettings;
  /** Whether `interStep: auto` may join the steps (BLI). */
  joinsSteps: boolean;
  concentrationM: number;
  /** Signal of the baseline above the lowest one of the surface. Default 0. */
  leftSignal?: number;
  /** Fraction of the noise variance that came from a blank subtracted from all curves of the replicate. */
  commonNoise?: number;
  /** Number of sensors whose variances add up in the curve. Default 1. */
  sensors?: number;
}

export function processCurve(aligned: AlignedTrace, options: ProcessOptions): ProcessedCurve {
  const { settings } = options;
  const { injections } = aligned;
  const { association, associationS } = cutAssociation(aligned, settings);
  const noise = estimateNoise(aligned, association);
  const intervalS = computeMedianInterval(association.timeS);
  const full = associationS === aligned.associationS ? aligned.dissociation : null;
  const joint =
    full === null || injections !== null
      ? NOT_JOINED
      : computeJoin({ association, dissociation: full, noise }, options);
  const untilS = associationS + (settings.dissociationS ?? Number.POSITIVE_INFINITY);
  const rest = full === null ? null : cutWindow(full, associationS, untilS);
  const joined = rest === null ? null : shiftPhase(rest, joint.shift);
  const parts = [association];
  if (joined !== null && joined.timeS.length > 0) parts.push(joined);
  const thin = joinPhases(parts.map((part) => thinPhase(part, settings.thinning, injections ?? [])));
  const points = Math.max(1, settings.responseS / intervalS);
  const { zeroS } = aligned;
  const baselinePoints = zeroS === 0 ? Number.POSITIVE_INFINITY : Math.max(1, zeroS / intervalS);
  const singleSe = noise.sd * computeCorrelationInflation(noise.autocorrelation);
  const averaging = computeAveragingRule(association, settings.thinning);
  const pointSe = singleSe / Math.sqrt(averaging?.samples ?? 1);
  return {
    traceId: aligned.trace.id,
    well: aligned.trace.well,
    concentrationM: options.concentrationM,
    fit: {
      ...thin,
      concentrationM: options.concentrationM,
      associationS,
      injections: injections ?? undefined,
      averaging,
      joinSe: joint.se,
      hasFreeStep: joint.isFree,
      ...ASSUMED_ERRORS,
      initialSignal: settings.regeneration === 'measured' ? options.leftSignal : undefined,
      initialBeforeS: zeroS / 2,
      commonNoise: options.commonNoise,
      meanSe: pointSe / Math.sqrt(Math.max(1, thin.timeS.length)),
      alignmentSe: singleSe / Math.sqrt(baselinePoints),
    },
    baseline: aligned.baseline === null ? null : thinPhase(aligned.baseline, settings.thinning),
    dissociationS:
      joined === null || joined.timeS.length === 0 ? 0 : joined.timeS[joined.timeS.length - 1] - associationS,
    intervalS,
    response: computeMeanOfEnd(association.timeS, association.signal, settings.responseS),
    responseSe: singleSe * Math.sqrt(1 / points + 1 / baselinePoints),
    noise: noise.sd,
    driftPerS: noise.driftPerS,
    baselineSlope: noise.baselineSlope,
    baselineSlopeSe: noise.slopeSe,
    sensors: options.sensors ?? 1,
    pointSe,
    leftSignal: options.leftSignal ?? 0,
    interStepShift: joint.shift,
    spikes: countSpikes(
      association,
      rest === null || rest.timeS.length === 0 ? null : rest,
      { spikeSd: settings.limits.spikeSd, noiseSd: noise.sd },
      injections ?? [],
    ),
    endSlopeFraction: computeEndSlope(association, injections?.at(-1)?.startS ?? 0, associationS),
    plateaus: computePlateaus(association, injections, options),
    loading: aligned.loading,
    rawTop: aligned.rawTop,
    clipping: aligned.clipping,
  };
}

/** Even a plate without controls detects no response below this multiple of its standard error. */
const RESPONSE_SE_MIN = 3.5;

/** Returns the smallest response that exceeds the noise of its own curve. */
export function computeNoiseFloor(
  own: { noise: number; responseSe: number },
  settings: BindingSettings,
): number {
  return Math.max(settings.limits.signalToNoise * own.noise, RESPONSE_SE_MIN * own.responseSe);
}

/** Returns the response of a trace when nothing else of its processed curve is needed. */
export function computeResponse(aligned: AlignedTrace, settings: BindingSettings): number {
  const { association } = cutAssociation(aligned, settings);
  return computeMeanOfEnd(association.timeS, association.signal, settings.responseS);
}

/** Returns the association within the settings' window, and its nominal length. */
function cutAssociation(
  aligned: AlignedTrace,
  settings: BindingSettings,
): { association: Phase; associationS: number } {
  const cutS =
    aligned.injections === null
      ? (settings.associationS ?? Number.POSITIVE_INFINITY)
      : Number.POSITIVE_INFINITY;
  return {
    association: cutWindow(aligned.association, 0, cutS),
    associationS: Math.min(aligned.associationS, cutS),
  };
}

interface Noise {
  sd: number;
  autocorrelation: number;
  driftPerS: number;
  baselineSlope: ProcessedCurve['baselineSlope'];
  slopeSe: number;
}

const NOISE_WINDOW_S = 60;

/** Estimates noise around a straight line in the baseline, or else at the end of dissociation or association. */
function estimateNoise(aligned: AlignedTrace, association: Phase): Noise {
  const source = aligned.baseline ?? aligned.dissociation ?? association;
  const from = source.timeS[source.timeS.length - 1] - NOISE_WINDOW_S;
  const part = cutWindow(source, from, Number.POSITIVE_INFINITY);
  const line = fitLine(part.timeS, part.signal);
  if (line === null) return { sd: 0, autocorrelation: 0, driftPerS: 0, baselineSlope: null, slopeSe: 0 };
  const significant = aligned.baseline !== null && Math.abs(line.slope) > 3 * line.slopeSe;
  return {
    sd: line.residualSd,
    autocorrelation: line.autocorrelation,
    driftPerS: significant ? line.slope : 0,
    baselineSlope: aligned.baseline === null ? null : line.slope,
    slopeSe: line.slopeSe,
  };
}

/** With fewer samples in that second, joining would add more noise than it removes. */
const JOIN_SAMPLES_MIN = 4;
/** Length on either side of the boundary from which the slope is estimated. */
const SLOPE_S = 10;
/** A fraction dissociated above this within that time does not follow a parabola. */
const FAST_FRACTION = 0.3;

interface Joint {
  /** Shift that is added to dissociation. */
  shift: number;
  /** Its standard error from noise. */
  se: number;
  /** Whether the fit estimates the shift instead. */
  isFree: boolean;
}

const NOT_JOINED: Joint = { shift: 0, se: 0, isFree: false };

/**
 * Returns the mean of the last second of association minus that of the first second of dissociation, each
 * extrapolated to the boundary between them by the slope of the ten seconds on its side. If dissociation is too fast
 * for that, the fit estimates the shift, because the curve itself determines it better.
 */
function computeJoin(
  { association, dissociation, noise }: { association: Phase; dissociation: Phase; noise: Noise },
  options: ProcessOptions,
): Joint {
  const { interStep } = options.settings;
  if (interStep === 'off' || (interStep === 'auto' && !options.joinsSteps)) return NOT_JOINED;
  const startS = dissociation.timeS[0];
  const lastS = association.timeS[association.timeS.length - 1];
  const turnS = (startS + lastS) / 2;
  const end = cutWindow(association, lastS - SLOPE_S, lastS);
  const head = cutWindow(dissociation, startS, startS + SLOPE_S);
  const ofEnd = computeTurnWeights(end.timeS, turnS);
  const ofHead = computeTurnWeights(head.timeS, turnS);
  const weights = Float64Array.from([...ofEnd, ...ofHead.map((weight) => -weight)]);
  const se = noise.sd * Math.sqrt(computeFirstOrderVariance(weights, noise.autocorrelation));
  const before = computeDot(ofEnd, end.signal);
  const after = computeDot(ofHead, head.signal);
  if (interStep === 'auto') {
    const first = cutWindow(head, startS, startS + JOIN_S);
    if (first.signal.length < JOIN_SAMPLES_MIN) return NOT_JOINED;
    const last = cutWindow(head, startS + SLOPE_S - JOIN_S, startS + SLOPE_S);
    const drop =
      last.signal.length === 0 ? 0 : Math.abs(computeMean(first.signal) - computeMean(last.signal));
    if (drop > Math.max(FAST_FRACTION * Math.abs(before), 3 * se)) return { shift: 0, se: 0, isFree: true };
  }
  return { shift: before - after, se, isFree: false };
}

/** Returns the variance of a weighted sum of neighboring samples with first-order noise of unit variance. */
function computeFirstOrderVariance(weights: Float64Array, autocorrelation: number): number {
  const rho = Math.max(0, Math.min(0.999, autocorrelation));
  let earlier = 0;
  let variance = 0;
  for (const weight of weights) {
    variance += weight * (weight + 2 * earlier);
    earlier = rho * (earlier + weight);
  }
  return variance;
}

/** Returns the samples from `fromS` to `toS`, both included; with an infinite end all from `fromS` on. */
function cutWindow(phase: Phase, fromS: number, toS: number): Phase {
  const { timeS, signal } = phase;
  const [least, most] = [fromS - 1e-9, toS + 1e-9];
  let count = 0;
  for (let i = 0; i < timeS.length; i += 1) if (timeS[i] >= least && timeS[i] <= most) count += 1;
  if (count === timeS.length) return phase;
  const kept = { timeS: new Float64Array(count), signal: new Float64Array(count) };
  let at = 0;
  for (let i = 0; i < timeS.length; i += 1) {
    if (!(timeS[i] >= least && timeS[i] <= most)) continue;
    kept.timeS[at] = timeS[i];
    kept.signal[at] = signal[i];
    at += 1;
  }
  return kept;
}

function shiftPhase(phase: Phase, by: number): Phase {
  if (by === 0) return phase;
  const signal = phase.signal.slice();
  for (let i = 0; i < signal.length; i += 1) signal[i] += by;
  return { timeS: phase.timeS, signal };
}

export function joinPhases(parts: readonly Phase[]): Phase {
  const length = parts.reduce((sum, part) => sum + part.timeS.length, 0);
  const joined = { timeS: new Float64Array(length), signal: new Float64Array(length) };
  let at = 0;
  for (const part of parts) {
    joined.timeS.set(part.timeS, at);
    joined.signal.set(part.signal, at);
    at += part.timeS.length;
  }
  return joined;
}

const WHOLE_SECOND_TOLERANCE_S = 1e-6;

/**
 * Thins to at most one point per second: means over [k, k + 1), never across the start or end of an injection, or the
 * samples at whole seconds.
 */
function thinPhase(
  phase: Phase,
  rule: BindingSettings['thinning'],
  injections: readonly Injection[] = [],
): Phase {
  if (rule === 'none') return phase;
  if (rule === 'whole_seconds') {
    return keepPoints(phase, (t) => Math.abs(t - Math.round(t)) < WHOLE_SECOND_TOLERANCE_S);
  }
  const { timeS, signal } = phase;
  const turnsS = injections.flatMap(({ startS, endS }) => [startS, endS]);
  const means = { timeS: new Float64Array(timeS.length), signal: new Float64Array(timeS.length) };
  let count = 0;
  for (let from = 0; from < timeS.length;) {
    const bin = toSecond(timeS[from]);
    const stretch = countTurnsBefore(turnsS, timeS[from]);
    let to = from + 1;
    while (
      to < timeS.length &&
      toSecond(timeS[to]) === bin &&
      countTurnsBefore(turnsS, timeS[to]) === stretch
    )
      to += 1;
    means.timeS[count] = computeMean(timeS, from, to);
    means.signal[count] = computeMean(signal, from, to);
    count += 1;
    from = to;
  }
  return { timeS: means.timeS.slice(0, count), signal: means.signal.slice(0, count) };
}

function toSecond(timeS: number): number {
  return Math.floor(timeS + WHOLE_SECOND_TOLERANCE_S);
}

function countTurnsBefore(turnsS: readonly number[], timeS: number): number {
  let count = 0;
  for (const turnS of turnsS) if (timeS > turnS) count += 1;
  return count;
}

/** Returns how many samples each second has, where their mean is used. */
function computeAveragingRule({ timeS }: Phase, rule: BindingSettings['thinning']): Averaging | undefined {
  const intervalS = computeMedianInterval(timeS);
  const samples = Math.round(1 / intervalS);
  return rule === 'mean_1hz' && samples > 1 ? { samples, intervalS } : undefined;
}

function computeMedianInterval(timeS: Float64Array): number {
  if (timeS.length < 2) return 1;
  const intervals = new Float64Array(timeS.length - 1);
  for (let i = 0; i < intervals.length; i += 1) intervals[i] = timeS[i + 1] - timeS[i];
  return computeMedian(intervals);
}

function computePlateaus(
  association: Phase,
  injections: readonly Injection[] | null,
  { settings, concentrationM }: ProcessOptions,
): ProcessedCurve['plateaus'] {
  const whole = injections ?? [{ startS: 0, endS: Number.POSITIVE_INFINITY, concentrationM }];
  return whole.map((injection) => {
    const { timeS, signal } = cutWindow(association, injection.startS, injection.endS);
    return {
      concentrationM: injection.concentrationM,
      response: computeMeanOfEnd(timeS, signal, settings.responseS),
    };
  });
}

function computeEndSlope(association: Phase, startS: number, endS: number): number {
  const associationS = endS - startS;
  const tail = cutWindow(association, startS + 0.9 * associationS, Number.POSITIVE_INFINITY);
  const line = fitLine(tail.timeS, tail.signal);
  const level = Math.abs(computeMean(tail.signal));
  return line === null || level === 0
    ? Number.POSITIVE_INFINITY
    : Math.abs(line.slope * 0.1 * associationS) / level;
}
