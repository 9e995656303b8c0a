/**
 * Finds signals that end at a ceiling or a floor of the detector. There the noise vanishes, so a stretch at the highest
 * or lowest signal that scatters far less than the baseline is clipped, whatever its level.
 */
import { computeMean } from '#analysis/numerics/statistics.ts';
import type { TraceStep } from '#analysis/curves/trace.ts';

export interface Clipping {
  end: 'ceiling' | 'floor';
  /** Level of the signal, in the unit of the trace. */
  level: number;
}

/** With fewer samples, a quiet stretch may be chance. */
export const WINDOW_SAMPLES = 16;
/** A stretch with less than this fraction of the scatter of the baseline is clipped. */
export const SCATTER_MAX = 0.25;
/** How close to the end of the range a clipped stretch lies, in standard deviations of the noise. */
const END_SD = 2;

/** Returns where association or dissociation is clipped; null where it is not, or where the noise is unknown. */
export function findClipping(steps: readonly TraceStep[]): Clipping | null {
  const baselines = steps.filter(({ step }) => step === 'baseline');
  const measured = steps.filter(({ step }) => step === 'association' || step === 'dissociation');
  const noise = Math.max(0, ...(baselines.length > 0 ? baselines : measured).map(estimateScatter));
  if (!(noise > 0) || measured.length === 0) return null;
  let top = Number.NEGATIVE_INFINITY;
  let bottom = Number.POSITIVE_INFINITY;
  for (const { signal } of [...baselines, ...measured]) {
    for (let i = 0; i < signal.length; i += 1) {
      top = Math.max(top, signal[i]);
      bottom = Math.min(bottom, signal[i]);
    }
  }
  for (const { signal } of measured) {
    for (let from = 0; from + WINDOW_SAMPLES <= signal.length; from += WINDOW_SAMPLES / 2) {
      if (!(computeDifferenceSd(signal, from, from + WINDOW_SAMPLES) < SCATTER_MAX * noise)) continue;
      const level = computeMean(signal, from, from + WINDOW_SAMPLES);
      if (level > top - END_SD * noise) return { end: 'ceiling', level };
      if (level < bottom + END_SD * noise) return { end: 'floor', level };
    }
  }
  return null;
}

/** Fraction of neighboring differences of opposite sign; white noise has two thirds, a smooth signal none. */
export const REVERSALS_MIN = 0.3;

/** Returns the scatter of the noisiest quarter of a step; 0 where it shows no noise. */
function estimateScatter({ signal }: TraceStep): number {
  const found: number[] = [];
  for (let from = 0; from + WINDOW_SAMPLES <= signal.length; from += WINDOW_SAMPLES) {
    const to = from + WINDOW_SAMPLES;
    const isSmooth = computeReversals(signal, from, to) < REVERSALS_MIN;
    found.push(isSmooth ? 0 : computeDifferenceSd(signal, from, to));
  }
  found.sort((a, b) => a - b);
  return found[Math.floor(0.75 * found.length)] ?? 0;
}

/** Over the samples `from … to`: a view of each stretch of a step would take longer than its sum. */
export function computeReversals(signal: Float64Array, from = 0, to = signal.length): number {
  let reversals = 0;
  for (let i = from + 2; i < to; i += 1)
    if ((signal[i] - signal[i - 1]) * (signal[i - 1] - signal[i - 2]) < 0) reversals += 1;
  return reversals / (to - from - 2);
}

/** Returns the root mean square of the differences of neighbors, which a slow signal hardly changes. */
export function computeDifferenceSd(signal: Float64Array, from = 0, to = signal.length): number {
  if (to - from < 2) return 0;
  let squares = 0;
  for (let i = from + 1; i < to; i += 1) squares += (signal[i] - signal[i - 1]) ** 2;
  return Math.sqrt(squares / (to - from - 1));
}
