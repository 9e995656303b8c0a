/**
 * The strict rule: a Tm is reported only for a transition that the data enclose and that no smooth baseline explains.
 */
import { appendDirection, projectOut, computeDot, mapColumn } from '#analysis/numerics/matrix.ts';
import { NORMAL_95 } from '#analysis/numerics/statistics.ts';
import { computeBicGain, computeEffectivePoints, isNarrowerThanProtein } from './fit.ts';
import type { Curve, MeltFit, Transition } from './fit.ts';
import { KELVIN, R_KCAL, computeFractionUnfolded } from './model.ts';
import { computeCorrelationInflation } from '#analysis/numerics/autocorrelation.ts';
import { WAVE_PARAMETERS, computeWaveSsr } from './waves.ts';
import type { MeltingLimits } from './settings.ts';
import type { NoTransition, NoTransitionReason } from './types.ts';

const POINTS_MIN = 20;
const RANGE_MIN_C = 10;
/** Fractions unfolded at the two ends of the range that a transition within it may and must reach. */
export const UNFOLDED = { firstMax: 0.25, lastMin: 0.75 } as const;
/**
 * A change of which at least this fraction is undone within this many °C, less than the width of the derivative
 * window, is a bubble or a particle. Proteins that unfold and aggregate stay changed for longer.
 */
export const RETURN = { part: 0.5, withinC: 6 } as const;
const CUBIC_PARAMETERS = 4;

const MESSAGES: Record<NoTransitionReason, string> = {
  too_few_points: `The curve has fewer than ${POINTS_MIN} temperatures.`,
  range_too_short: `The curve spans less than ${RANGE_MIN_C} °C.`,
  constant_signal: 'The signal does not change.',
  amplitude_below_noise: 'No step of the signal exceeds the noise.',
  not_distinct_from_baseline:
    'A smoothly bent baseline, or a wave, describes the curve as well as a transition does.',
  at_range_end: 'A transition, if there is one, is not enclosed by the measured temperatures.',
  width_at_bound: 'The step is wider or narrower than the unfolding of a protein.',
  signal_returns:
    'The signal changes and returns within a few degrees, as with a bubble or a particle, but not with unfolding.',
  poorly_determined: 'These data do not determine the melting temperature.',
  dye_falls:
    'The dye signal falls in a step and does not rise: loss of dye, as with protein that aggregates or was unfolded from the start, is not unfolding. If the signal is intrinsic fluorescence, set the method two_state.',
  no_inflection: 'The derivative has no peak that exceeds the noise.',
};

export function createNoTransition(reason: NoTransitionReason): NoTransition {
  return { reason, message: MESSAGES[reason] };
}

/** Returns why a curve cannot be analyzed; null when it can. */
export function explainUnusable({ temperatureC, signal }: Curve): NoTransition | null {
  const n = temperatureC.length;
  if (n < POINTS_MIN) return createNoTransition('too_few_points');
  if (temperatureC[n - 1] - temperatureC[0] < RANGE_MIN_C) return createNoTransition('range_too_short');
  return signal.every((value) => value === signal[0]) ? createNoTransition('constant_signal') : null;
}

/** The improvement of a fit over noise and over a smooth baseline, wherever its transitions are. */
export interface Evidence {
  /**
   * Largest amplitude in units of the residual RMS, which is raised for autocorrelation, because correlated noise
   * makes steps by itself.
   */
  amplitudeToNoise: number;
  /** BIC gain over a cubic baseline. */
  bicGain: number;
  /** Residual sum of squares of the cubic baseline divided by that of the fit. */
  ssrRatio: number;
  /** BIC gain over one wave on a straight baseline, which is no step however large it is. */
  gainOverWave: number;
}

/**
 * The residuals of a slightly wrong model are smooth, and BIC with an effective number of points counts them all as
 * noise. A step with this amplitude and this ratio is distinct even without the BIC gain.
 */
export const CLEAR = { amplitudeToNoise: 10, ssrRatio: 4 } as const;

export function computeEvidence(curve: Curve, fit: MeltFit): Evidence {
  const points = computeEffectivePoints(fit.points, fit.autocorrelation);
  const wave = { ssr: computeWaveSsr(curve), parameters: WAVE_PARAMETERS };
  return { ...computeStepEvidence(curve, fit), gainOverWave: computeBicGain(wave, fit, points) };
}

export function computeStepEvidence(curve: Curve, fit: MeltFit): Omit<Evidence, 'gainOverWave'> {
  const largest = Math.max(...fit.transitions.map(({ amplitude }) => Math.abs(amplitude)));
  const noise = fit.rms * Math.sqrt(computeCorrelationInflation(fit.autocorrelation));
  const points = computeEffectivePoints(fit.points, fit.autocorrelation);
  const cubic = { ssr: computeCubicSsr(curve), parameters: CUBIC_PARAMETERS };
  return {
    amplitudeToNoise: noise > 0 ? largest / noise : Number.POSITIVE_INFINITY,
    bicGain: computeBicGain(cubic, fit, points),
    ssrRatio: fit.ssr > 0 ? cubic.ssr / fit.ssr : Number.POSITIVE_INFINITY,
  };
}

export function isDistinct(evidence: Evidence, limits: MeltingLimits): boolean {
  const { amplitudeToNoise, ssrRatio, gainOverWave } = evidence;
  if (gainOverWave < 0) return false;
  const clear = amplitudeToNoise >= CLEAR.amplitudeToNoise && ssrRatio >= CLEAR.ssrRatio;
  return isAboveNoise(evidence, limits) && (clear || evidence.bicGain >= limits.bicGainMin);
}

/** Many points tell a step that is lower than the noise of one point permits: this many times the BIC gain is wanted then. */
const MANY_POINTS = { gain: 3, amplitude: 0.5 } as const;

function isAboveNoise(
  { amplitudeToNoise, bicGain, gainOverWave }: Evidence,
  { amplitudeToRms, bicGainMin }: MeltingLimits,
): boolean {
  if (amplitudeToNoise >= amplitudeToRms) return true;
  const isSupported = Math.min(bicGain, gainOverWave) >= MANY_POINTS.gain * bicGainMin;
  return isSupported && amplitudeToNoise >= MANY_POINTS.amplitude * amplitudeToRms;
}

/**
 * Returns why the transitions of a fit are rejected; null when all are accepted. `range` are the measured
 * temperatures.
 */
export function explainNoTransition(
  fit: MeltFit,
  evidence: Evidence,
  range: { fromC: number; toC: number },
  limits: MeltingLimits,
): NoTransition | null {
  const first = fit.transitions[0];
  const last = fit.transitions[fit.transitions.length - 1];
  if (!isAboveNoise(evidence, limits)) return createNoTransition('amplitude_below_noise');
  if (fit.transitions.some((each) => each.widthAtBound)) return createNoTransition('width_at_bound');
  if (isReversed(fit)) return createNoTransition('signal_returns');
  const enclosed =
    isEnclosed(first, last, range, limits) &&
    computeUnfoldedAt(fit, first, range.fromC) <= UNFOLDED.firstMax &&
    computeUnfoldedAt(fit, last, range.toC) >= UNFOLDED.lastMin;
  if (!enclosed) return createNoTransition('at_range_end');
  if (!(first.seTmC <= limits.seTmMaxC)) return createNoTransition('poorly_determined');
  if (fit.transitions.some((each) => isNarrowerThanProtein(each, fit.model.shape)))
    return createNoTransition('width_at_bound');
  return isDistinct(evidence, limits) ? null : createNoTransition('not_distinct_from_baseline');
}

type Place = Pick<Transition, 'tmC' | 'seTmC'>;

/**
 * Whether all Tm, with their 95 % intervals, lie at least `fromEndC` inside the range. Near its ends Tm depends on a
 * baseline of few points.
 */
export function isEnclosed(
  first: Place,
  last: Place,
  range: { fromC: number; toC: number },
  { fromEndC }: MeltingLimits,
): boolean {
  return (
    first.tmC - NORMAL_95 * first.seTmC >= range.fromC + fromEndC &&
    last.tmC + NORMAL_95 * last.seTmC <= range.toC - fromEndC
  );
}

/** Whether one of two neighboring transitions cancels the other. */
function isReversed({ transitions }: MeltFit): boolean {
  return transitions.some(({ tmC, amplitude }, k) => {
    const before = transitions[k - 1];
    if (before === undefined || tmC - before.tmC >= RETURN.withinC) return false;
    const [small, large] = [amplitude, before.amplitude].sort((a, b) => Math.abs(a) - Math.abs(b));
    return -small / large >= RETURN.part;
  });
}

/** Returns the fraction of one transition that is unfolded at a temperature. */
export function computeUnfoldedAt(
  { model }: MeltFit,
  { tmC, width }: Transition,
  temperatureC: number,
): number {
  if (model.shape === 'boltzmann') return computeFractionUnfolded((tmC - temperatureC) / width);
  const t = temperatureC + KELVIN;
  return computeFractionUnfolded((width / R_KCAL) * (1 / t - 1 / (tmC + KELVIN)));
}

/** Returns the residual sum of squares of the cubic polynomial. */
function computeCubicSsr({ temperatureC: t, signal }: Curve): number {
  const n = t.length;
  const center = (t[0] + t[n - 1]) / 2;
  const half = (t[n - 1] - t[0]) / 2;
  const basis: Float64Array[] = [];
  for (let power = 0; power < CUBIC_PARAMETERS; power += 1)
    appendDirection(
      basis,
      mapColumn(t, (value) => ((value - center) / half) ** power),
    );
  const rest = Float64Array.from(signal);
  projectOut(basis, rest);
  return computeDot(rest, rest);
}
