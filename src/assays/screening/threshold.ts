/** The threshold of a plate in words, as the settings and the controls of the plate make it. */
import { isRecord } from '#core/records.ts';

/** The scatter of fewer negative controls is not used. */
export const CONTROLS_MIN = 3;

/** `3 × the noise`; the setting is recorded among the limits. */
export function describeNoiseFloor({ limits }: Readonly<Record<string, unknown>>): string | undefined {
  const factor = isRecord(limits) ? limits.signal_to_noise : undefined;
  return typeof factor === 'number' ? `${factor} × the noise of the curve` : undefined;
}

/** The sentence of the methods; undefined where the settings do not have the limit. */
export function describeThreshold(settings: Readonly<Record<string, unknown>>): string | undefined {
  const floor = describeNoiseFloor(settings);
  return floor === undefined
    ? undefined
    : `The threshold of a plate is the median of its negative controls plus three times their scaled median absolute deviation where it has at least ${CONTROLS_MIN} of them, and never below ${floor} or what is significant above that noise.`;
}
