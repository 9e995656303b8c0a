/** Concentrations that differ by less are one; files round them. */
const SAME_CONCENTRATION = 1e-3;

export function isSameConcentration(a: number, b: number): boolean {
  return Math.abs(a - b) <= SAME_CONCENTRATION * b;
}
