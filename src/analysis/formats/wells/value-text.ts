/** The texts that plate readers write as values. */

/** The text in place of a value beyond the range of the detector. */
export const OVERFLOW = /^(over|ovrflw|overflow|sat|saturated|\*+|>max|#sat)$/i;
const VALUE_LIKE = /^[+-]?(\d[\d.,]*|[.,]\d+)(e[+-]?\d+)?$/i;

/** Whether a text looks like a value, though it may turn out not to be one. */
export function isValueLike(text: string): boolean {
  return OVERFLOW.test(text) || VALUE_LIKE.test(text);
}
