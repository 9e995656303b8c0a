/** Whether a plate tells what no binding looks like: negative controls that show none. */
import { flag } from '../flags.ts';
import type { Flag } from '../flags.ts';
import { MAD_TO_SD, median, medianAbsoluteDeviation } from '../statistics.ts';

/**
 * Negative controls this many times as high as the noise alone lets a binder be (30 SD of single samples) show something themselves:
 * three times what counts as quantified (10 SD, IUPAC 1995), which leaves room for how sensors differ.
 */
const ZERO_TO_FLOOR_MAX = 10;

/**
 * The threshold that negative controls set cannot tell that it is they who bind, so they are held against the noise, by their centre
 * and by what three robust SD of them amount to. `floor` is the response that the noise alone lets pass for binding.
 */
export function negativeControlFlags(negatives: readonly number[], floor: number): Flag[] {
  const limit = ZERO_TO_FLOOR_MAX * floor;
  if (negatives.length === 0 || !(limit > 0)) return [];
  const centre = median(negatives);
  if (Math.abs(centre) > limit) {
    const message = 'The negative controls are far from zero: nothing below the threshold is a non-binder.';
    return [flag('CONTROL_FAILED', 'warning', message, { value: centre, limit })];
  }
  const spread = 3 * MAD_TO_SD * medianAbsoluteDeviation(negatives);
  if (spread <= limit) return [];
  const message =
    'The negative controls scatter far beyond the noise (three robust SD): nothing below the threshold is a non-binder.';
  return [flag('CONTROL_FAILED', 'warning', message, { value: spread, limit })];
}
