/** Quantiles of the distributions that intervals are made of. */

/** Exact two-sided 97.5 % points of Student's t for 1–10 degrees of freedom. */
const T_975 = [
  12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139,
];

/** Two-sided 95 % quantile of Student's t; Cornish–Fisher expansion above ten degrees of freedom (error < 2e-4). */
export function t95(degreesOfFreedom: number): number {
  if (degreesOfFreedom < 1) return Number.NaN;
  if (degreesOfFreedom <= T_975.length) {
    // Between whole numbers, straight in the reciprocal.
    const below = Math.floor(degreesOfFreedom);
    const above = Math.min(below + 1, T_975.length);
    const part = below === above ? 0 : (1 / below - 1 / degreesOfFreedom) / (1 / below - 1 / above);
    return T_975[below - 1] + part * (T_975[above - 1] - T_975[below - 1]);
  }
  const z = 1.959964;
  const v = degreesOfFreedom;
  const g1 = (z ** 3 + z) / 4;
  const g2 = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const g3 = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + g1 / v + g2 / v ** 2 + g3 / v ** 3;
}
