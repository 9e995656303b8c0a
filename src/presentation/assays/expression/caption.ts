import type { ResultCurves } from '#domain/results/store.ts';
import { readSettings, writeMean, writeSource } from '../../figures/captions.ts';

export function writeExpressionCaption(
  result: ResultCurves,
  { plates }: { readonly plates: number },
): string {
  const { rate_from_s: from, rate_to_s: to, subtract_no_dna: isSubtracted } = readSettings(result);
  const { yield_ng_per_ul: amount } = result.quantities;
  const window = typeof from === 'number' && typeof to === 'number' ? ` of ${from}–${to} s` : '';
  const more = plates > 1 ? ` (first of ${plates} plates)` : '';
  return [
    ...(plates === 0
      ? []
      : [
          `Circles: standards${more}, with the four-parameter logistic through them; crosses: replicates of this sequence${isSubtracted === true ? ', minus the control without DNA' : ''}; dashed: limits of quantification.`,
        ]),
    `Captures with the line of their initial rate${window}.`,
    `Bar: ${writeMean('geometric', amount?.n, false)}`,
    ...(typeof amount?.ci95_low === 'number'
      ? ['Whiskers: 95% CI, which includes the error of the standard curve.']
      : []),
    `${plates === 0 ? 'Circles' : 'Circles beside'}: replicates; open triangles and a dashed bar: limits.`,
    writeSource(result),
  ].join(' ');
}
