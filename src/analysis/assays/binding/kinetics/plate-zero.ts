/** Whether a plate tells what no binding looks like: negative controls that show none, references without protein that are alive. */
import { flag } from '../../../quality/flags.ts';
import type { Flag } from '../../../quality/flags.ts';
import { MAD_TO_SD, computeMedian, computeMedianAbsoluteDeviation } from '../../../numerics/robust.ts';
import type { Plate } from './plate.ts';

/**
 * Negative controls this many times as high as the noise alone lets a binder be (30 SD of single samples) show something themselves:
 * three times what counts as quantified (10 SD, IUPAC 1995), which leaves room for how sensors differ.
 */
export const ZERO_TO_FLOOR_MAX = 10;

/**
 * The threshold that negative controls set cannot tell that it is they who bind, so they are held against the noise, by their centre
 * and by what three robust SD of them amount to. `floor` is the response that the noise alone lets pass for binding.
 */
export function negativeControlFlags(negatives: readonly number[], floor: number): Flag[] {
  const limit = ZERO_TO_FLOOR_MAX * floor;
  if (negatives.length === 0 || !(limit > 0)) return [];
  const centre = computeMedian(negatives);
  if (Math.abs(centre) > limit) {
    const message = 'The negative controls are far from zero: nothing below the threshold is a non-binder.';
    return [flag('CONTROL_FAILED', 'warning', message, { value: centre, limit })];
  }
  const spread = 3 * MAD_TO_SD * computeMedianAbsoluteDeviation(negatives);
  if (spread <= limit) return [];
  const message =
    'The negative controls scatter far beyond the noise (three robust SD): nothing below the threshold is a non-binder.';
  return [flag('CONTROL_FAILED', 'warning', message, { value: spread, limit })];
}

/** As far below zero as nothing but a wrong reference takes a response. */
export function belowZeroFlag(response: number, floor: number): Flag | null {
  const limit = -ZERO_TO_FLOOR_MAX * floor;
  if (!(response < limit)) return null;
  const message =
    'The response is negative far beyond the noise: what was subtracted shows more than the sample.';
  return flag('NSB', 'warning', message, { value: response, limit });
}

/** More than this part of all sensors below zero is a fault of what was subtracted from them. */
const BELOW_ZERO_MAX = 0.25;

export function belowZeroPlateFlags(responses: readonly { response: number; floor: number }[]): Flag[] {
  const below = responses.filter(({ response, floor }) => belowZeroFlag(response, floor) !== null).length;
  if (below <= BELOW_ZERO_MAX * responses.length) return [];
  const message = `${below} of ${responses.length} responses are negative far beyond the noise: the references or blanks bind.`;
  return [flag('CONTROL_FAILED', 'warning', message, { value: below })];
}

/** References that recorded nothing: what does not bind is still low, but what binds may be non-specific. */
export function deadReferenceFlags({ deadReferences }: Plate): Flag[] {
  if (deadReferences.length === 0) return [];
  const message = `The signal of reference ${deadReferences.join(', ')} is constant: it recorded nothing and was left out, so non-specific binding was not subtracted with it.`;
  return [flag('CONTROL_FAILED', 'warning', message, { value: deadReferences.length })];
}

/** References that took up more than `loadedMin`: with protein on them they are no references. */
export function loadedReferenceFlags({ references }: Plate, loadedMin: number | null): Flag[] {
  const loadings = references.flatMap(({ loading }) => loading ?? []);
  const loaded = loadings.filter((loading) => loadedMin !== null && loading > loadedMin);
  if (loaded.length === 0) return [];
  const message = `${loaded.length} of ${references.length} reference sensors took up protein as the samples did: swapped sensors?`;
  const numbers = { value: Math.max(...loaded), limit: loadedMin ?? Number.NaN };
  return [flag('CONTROL_FAILED', 'error', message, numbers)];
}
