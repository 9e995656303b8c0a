/** Bubbles and other jumps that come and go within seconds. */
import type { BindingSettings } from '../settings.ts';
import { MAD_TO_SD, medianAbsoluteDeviation } from '../statistics.ts';
import type { Phase } from './align.ts';

const SPIKE_HALF_WINDOW = 4;
/** A spike has to reach this fraction of the curve's range as well. */
const SPIKE_RANGE_FRACTION = 0.05;

/** Takes one value out of a sorted array and puts another in its order. */
function replaceSorted(sorted: Float64Array, out: number, into: number): void {
  let at = 0;
  while (at + 1 < sorted.length && sorted[at] !== out) at += 1;
  for (; at + 1 < sorted.length && sorted[at + 1] < into; at += 1) sorted[at] = sorted[at + 1];
  for (; at > 0 && sorted[at - 1] > into; at -= 1) sorted[at] = sorted[at - 1];
  sorted[at] = into;
}

/** Counts samples that stand out of the running median of nine, which a monotonic curve never does. */
export function spikesIn(phase: Phase, settings: BindingSettings): number {
  const { signal } = phase;
  if (signal.length < 4 * SPIKE_HALF_WINDOW) return 0;
  const width = 2 * SPIKE_HALF_WINDOW + 1;
  const deviation = new Float64Array(signal.length - width + 1);
  const around = signal.slice(0, width).sort();
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < deviation.length; i += 1) {
    if (i > 0) replaceSorted(around, signal[i - 1], signal[i + width - 1]);
    const middle = around[SPIKE_HALF_WINDOW];
    deviation[i] = signal[i + SPIKE_HALF_WINDOW] - middle;
    low = Math.min(low, middle);
    high = Math.max(high, middle);
  }
  const scatter = MAD_TO_SD * medianAbsoluteDeviation(deviation);
  const limit = Math.max(settings.limits.spikeSd * scatter, SPIKE_RANGE_FRACTION * (high - low));
  if (limit === 0) return 0;
  return deviation.reduce((count, value) => count + (Math.abs(value) > limit ? 1 : 0), 0);
}
