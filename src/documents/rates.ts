/**
 * Rate constants, which pages, reports and figures write alike: they span decades, so that each has its power of ten,
 * also `6.3×10³` and `9.7×10⁻³`.
 */
import { formatPower, splitPower } from '#core/number-words.ts';
import { formatRelation } from '#core/relations.ts';

const RATE_UNITS: ReadonlySet<string> = new Set(['1/(M·s)', '1/s']);

export function isRateUnit(unit: string): boolean {
  return RATE_UNITS.has(unit);
}

/** `2.9×10⁵`, `> 1.0×10⁷`. */
export function formatRate(value: number, relation: string | null | undefined = '='): string {
  return `${formatRelation(relation)}${value === 0 ? '0' : formatPower(value)}`;
}

/** Writes the interval with the power of ten of the value; where it is wide, each end with its own. */
export function formatRateInterval(value: number, low: number, high: number): string | undefined {
  if (!(low > 0) || !(high > 0)) return undefined;
  if (high / low > 10) return `${formatPower(low)} – ${formatPower(high)}`;
  const exponent = Number(value.toExponential(1).split('e')[1]);
  const formatEnd = (end: number, decimals: number) => (end / 10 ** exponent).toFixed(decimals);
  // A narrow interval gets the digits that tell its ends apart.
  const decimals = [1, 2, 3].find((each) => formatEnd(low, each) !== formatEnd(high, each)) ?? 3;
  return `${formatEnd(low, decimals)}–${formatEnd(high, decimals)}×${splitPower(10 ** exponent).power}`;
}
