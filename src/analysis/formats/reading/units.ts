/** Units of concentration as instruments write them. */

/** Factors from each unit to M. `µ` and `μ` are two characters. */
export const MOLAR_UNITS: Readonly<Record<string, number>> = {
  M: 1,
  mM: 1e-3,
  µM: 1e-6,
  μM: 1e-6,
  uM: 1e-6,
  nM: 1e-9,
  pM: 1e-12,
};

/** The same factors by lower-case names, for files with inconsistent spelling. */
export const MOLAR_UNITS_LOWER: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(MOLAR_UNITS).map(([unit, molar]) => [unit.toLowerCase(), molar]),
);
