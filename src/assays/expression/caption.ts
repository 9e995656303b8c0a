import type { ResultCurves } from '#features/results/store.ts';
import {
  describeDots,
  readSettings,
  writeAggregate,
  writeSource,
} from '#features/results/figures/captions.ts';

interface Drawn {
  /** Number of standard curves. */
  readonly plates: number;
  /** Number of captures. */
  readonly captures: number;
  /** Whether a standard of the drawn curve was left out of it. */
  readonly hasLeftOut: boolean;
  /** Whether a replicate is marked on the standard curve. */
  readonly hasCrosses: boolean;
}

export function writeExpressionCaption(
  result: ResultCurves,
  { plates, captures, hasLeftOut, hasCrosses }: Drawn,
): string {
  const { rate_from_s: from, rate_to_s: to } = readSettings(result);
  const { nc_adjusted: isSubtracted, quantification } = result.summary;
  const { yield_ng_per_ul: amount } = result.quantities;
  const window = typeof from === 'number' && typeof to === 'number' ? ` of ${from}–${to} s` : '';
  const more = plates > 1 ? ` (first of ${plates} plates)` : '';
  const subtraction = typeof isSubtracted === 'boolean' ? describeSubtraction(isSubtracted) : '';
  const how = typeof quantification === 'string' ? QUANTIFICATIONS[quantification] : undefined;
  return [
    ...(how === undefined ? [] : [`Yield ${how}${subtraction}.`]),
    ...(plates === 0
      ? []
      : [
          `Circles: standards${more}, with the four-parameter logistic through them${hasLeftOut ? '; open circle: a standard that was left out' : ''}${hasCrosses ? `; crosses: replicates of this sequence${subtraction}` : ''}; dashed: limits of quantification.`,
        ]),
    ...(captures === 0 ? [] : [`Captures with the line of their initial rate${window}.`]),
    ...(typeof amount?.value === 'number'
      ? [
          `Bar: ${writeAggregate(result, amount, {
            mean: 'geometric',
            member: 'yield_ng_per_ul',
            error: plates > 0 ? 'calibration' : 'well',
            amongLimits: 'median',
          })}`,
        ]
      : ['No yield was determined.']),
    ...(typeof amount?.ci95_low === 'number' ? ['Whiskers: that interval.'] : []),
    describeDots(
      result.replicates.map((row) => ({
        value: row.yield_ng_per_ul,
        relation: row.yield_ng_per_ul_relation,
      })),
      { quantity: amount, where: plates === 0 ? '' : ' beside the bar' },
    ),
    writeSource(result),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

const QUANTIFICATIONS: Readonly<Record<string, string>> = {
  bli_capture: 'by capture on a sensor and a standard curve',
  a280: 'from the absorbance at 280 nm and the sequence, without a standard curve',
};

function describeSubtraction(isSubtracted: boolean): string {
  return isSubtracted ? ', minus the control without DNA' : ', no control without DNA subtracted';
}
