/**
 * Checks whether a plate shows the signal without binding: negative controls that do not bind, and references that
 * carry no protein but record a signal.
 */
import { formatCount } from '#core/words.ts';
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import { MAD_TO_SD, computeMedian, computeMedianAbsoluteDeviation } from '#analysis/numerics/statistics.ts';
import type { Plate } from './plate.ts';

/**
 * Negative controls above this multiple of the response floor (which is 30 SD of single samples) do bind. The limit
 * is three times the level of quantification (10 SD, IUPAC 1995), which allows for differences between sensors.
 */
export const ZERO_TO_FLOOR_MAX = 10;
/** Negative controls above this fraction of the full response of a binder hide binders that respond with less. */
const ZERO_TO_FULL_MAX = 0.1;

export interface ZeroScale {
  /** The smallest response that exceeds the noise. */
  floor: number;
  /** The full response of a binder on this plate; null where nothing shows it. */
  full: number | null;
  /** Only the threshold decides what binds, without a fit of the curves. */
  decidesBinding: boolean;
}

/**
 * The threshold that negative controls set cannot show that they bind themselves. Where the threshold alone decides, what
 * they reach is compared with what a binder of the plate gives, because the noise says nothing about it: on a noisy plate controls
 * within its noise may hide every binder, and on a quiet one controls above it may hide none. Without such a response,
 * and where curves are fitted, their center and their scatter are compared with the noise as well.
 */
export function flagNegativeControls(
  negatives: readonly number[],
  { floor, full, decidesBinding }: ZeroScale,
): Flag[] {
  if (negatives.length === 0) return [];
  const center = computeMedian(negatives);
  const spread = 3 * MAD_TO_SD * computeMedianAbsoluteDeviation(negatives);
  const ofFull = full === null ? null : ZERO_TO_FULL_MAX * full;
  const reached = Math.max(Math.abs(center), center + spread);
  if (ofFull !== null && reached > ofFull) {
    const message = `The negative controls reach ${formatPart(reached, full)} of the response of a binder on this plate (median and three robust SD): a response below the threshold does not exclude binding.`;
    return [createFlag('CONTROL_FAILED', 'warning', message, { value: reached, limit: ofFull })];
  }
  const limit = ZERO_TO_FLOOR_MAX * floor;
  if (!(limit > 0) || (ofFull !== null && decidesBinding)) return [];
  if (Math.abs(center) > limit) {
    const message =
      'The negative controls are far from zero: a response below the threshold does not exclude binding.';
    return [createFlag('CONTROL_FAILED', 'warning', message, { value: center, limit })];
  }
  if (spread <= limit) return [];
  const message =
    'The negative controls scatter far beyond the noise (three robust SD): a response below the threshold does not exclude binding.';
  return [createFlag('CONTROL_FAILED', 'warning', message, { value: spread, limit })];
}

function formatPart(response: number, full: number | null): string {
  return `${Math.round((100 * response) / (full ?? Number.NaN))} %`;
}

/** Flags a response so far below zero that only a wrong reference explains it. */
export function flagBelowZero(response: number, floor: number): Flag | null {
  const limit = -ZERO_TO_FLOOR_MAX * floor;
  if (!(response < limit)) return null;
  const message =
    'The response is negative far beyond the noise: the subtracted reference or blank responds more than the sample.';
  return createFlag('NSB', 'warning', message, { value: response, limit });
}

/** If more than this fraction of all sensors is below zero, what was subtracted from them is at fault. */
const BELOW_ZERO_MAX = 0.25;

export function flagPlateBelowZero(responses: readonly { response: number; floor: number }[]): Flag[] {
  const below = responses.filter(({ response, floor }) => flagBelowZero(response, floor) !== null).length;
  if (below <= BELOW_ZERO_MAX * responses.length) return [];
  const message = `${below} of ${formatCount(responses.length, 'response')} ${below === 1 ? 'is' : 'are'} negative far beyond the noise: the references or blanks bind.`;
  return [createFlag('CONTROL_FAILED', 'warning', message, { value: below })];
}

/** Flags references that recorded nothing. Non-binders stay valid, but a binder may be non-specific. */
export function flagDeadReferences({ deadReferences }: Plate): Flag[] {
  if (deadReferences.length === 0) return [];
  const message = `The signal of reference ${deadReferences.join(', ')} is constant: it recorded nothing and was left out, so non-specific binding was not subtracted with it.`;
  return [createFlag('CONTROL_FAILED', 'warning', message, { value: deadReferences.length })];
}

/** Flags references whose loading exceeds `loadedMin`; with protein on them they are not references. */
export function flagLoadedReferences({ references }: Plate, loadedMin: number | null): Flag[] {
  const loadings = references.flatMap(({ loading }) => loading ?? []);
  const loaded = loadings.filter((loading) => loadedMin !== null && loading > loadedMin);
  if (loaded.length === 0) return [];
  const message = `${loaded.length} of ${formatCount(references.length, 'reference sensor')} loaded protein like the samples: check whether sensors were swapped.`;
  const numbers = { value: Math.max(...loaded), limit: loadedMin ?? Number.NaN };
  return [createFlag('CONTROL_FAILED', 'error', message, numbers)];
}
