/**
 * Formats the values of settings for people: with the unit from the name of the setting, and without long rows of
 * zeros.
 */
import { formatWholePower, MOLAR_UNITS, writeMinusSigns } from '#core/number-words.ts';

/** Endings of setting names, longer ones first, and the unit of their numbers. */
const UNITS: readonly (readonly [end: RegExp, unit: string])[] = [
  [/^kon_max$/, '1/(M·s)'],
  [/_kcal_per_mol_k$/, 'kcal/(mol·K)'],
  [/_ng_per_ul$/, 'ng/µL'],
  [/_per_c$/, 'per °C'],
  [/pct_rmax_max$/, '% of Rmax'],
  [/_pct$/, '%'],
  [/_da$/, 'Da'],
  [/_ul$/, 'µL'],
  [/_cm$/, 'cm'],
  [/_nm$/, 'nm'],
  [/_sd$/, 'SD'],
  [/_m$/, 'M'],
  [/_c$/, '°C'],
  [/_s$/, 's'],
];

/** Returns the unit of numbers with this name; null if it has none. */
export function findSettingUnit(name: string): string | null {
  return UNITS.find(([end]) => end.test(name))?.[1] ?? null;
}

/** `10000000`, 1/(M·s) → `1×10⁷ 1/(M·s)`; `6.6e-9`, M → `6.6 nM`. */
export function formatSetting(value: unknown, unit: string | null): string {
  if (value === null || value === undefined) return 'none';
  if (Array.isArray(value)) return value.map((item) => formatSetting(item, unit)).join(', ') || 'none';
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return JSON.stringify(value);
  if (unit === 'M') return formatMolar(value);
  return unit === null ? formatNumber(value) : `${formatNumber(value)} ${unit}`;
}

const PLAIN = { from: 1e-3, below: 1e6 } as const;

/** Writes powers of ten instead of long rows of zeros. */
function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= PLAIN.from && size < PLAIN.below)) return writeMinusSigns(String(value));
  return formatWholePower(value);
}

function formatMolar(molar: number): string {
  if (molar === 0) return '0 nM';
  // A value within rounding error below a unit gets that unit, so that 1e-9 is 1 nM.
  const unit = MOLAR_UNITS.findLast(({ factor }) => molar >= factor * (1 - 1e-9)) ?? MOLAR_UNITS[0];
  return `${formatNumber(Number((molar / unit.factor).toPrecision(12)))} ${unit.name}`;
}
