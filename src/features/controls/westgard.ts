/**
 * The rules of Westgard over standardized values, z = (value − mean) ÷ SD. A value lies beyond a limit when it exceeds
 * it; a value exactly on the limit or on the mean breaks no rule.
 */

export const westgardRules = [
  '1_2s',
  '1_3s',
  '2_2s',
  'R_4s',
  '4_1s',
  '8_x',
  '10_x',
  '12_x',
  '2of3_2s',
] as const;

export type WestgardRule = (typeof westgardRules)[number];

/** Number of controls in one run from which 2of3_2s takes the place of 2_2s across controls. */
const CONTROLS_OF_2OF3 = 3;

/** Lengths of runs on one side of the mean, the longest first; only the longest that is reached is reported. */
const SIDES = [
  { length: 12, rule: '12_x' },
  { length: 10, rule: '10_x' },
  { length: 8, rule: '8_x' },
] as const;

/**
 * Returns for each value of one control, in the order of time, the rules that it breaks together with the values before
 * it. `2_2s`: it and the one before lie beyond the same 2s limit. `4_1s`: so do four beyond the same 1s limit.
 */
export function findSeriesBreaks(z: readonly number[]): WestgardRule[][] {
  return z.map((value, index) => {
    const found: WestgardRule[] = [];
    if (Math.abs(value) > 2) found.push('1_2s');
    if (Math.abs(value) > 3) found.push('1_3s');
    if (countBeyond(z, index, 2) >= 2) found.push('2_2s');
    if (countBeyond(z, index, 1) >= 4) found.push('4_1s');
    const side = countBeyond(z, index, 0);
    const long = SIDES.find(({ length }) => side >= length);
    if (long !== undefined) found.push(long.rule);
    return found;
  });
}

/** Returns how many values up to this one lie beyond the limit on its side without a break. */
function countBeyond(z: readonly number[], last: number, limit: number): number {
  const sign = Math.sign(z[last] ?? 0);
  let first = last;
  while (first >= 0 && sign * (z[first] ?? 0) > limit) first -= 1;
  return last - first;
}

/**
 * Returns for each control of one run the rules that the controls break together. `R_4s`: one lies above +2s and another
 * below −2s; both break it. `2_2s`: two lie beyond the same 2s limit; with three or more controls `2of3_2s` says so.
 */
export function findRunBreaks(z: readonly number[]): WestgardRule[][] {
  const nAbove = z.filter((value) => value > 2).length;
  const nBelow = z.filter((value) => value < -2).length;
  const together: WestgardRule = z.length >= CONTROLS_OF_2OF3 ? '2of3_2s' : '2_2s';
  return z.map((value) => {
    const nSame = value > 2 ? nAbove : value < -2 ? nBelow : 0;
    const nOpposite = value > 2 ? nBelow : value < -2 ? nAbove : 0;
    return [...(nSame >= 2 ? [together] : []), ...(nOpposite >= 1 ? (['R_4s'] as const) : [])];
  });
}
