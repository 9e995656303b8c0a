/** Formats numbers for result tables: few digits and a suitable unit. */

const SCALES = [
  { unit: 'pM', factor: 1e12, below: 1e-9 },
  { unit: 'nM', factor: 1e9, below: 1e-6 },
  { unit: 'µM', factor: 1e6, below: 1e-3 },
  { unit: 'mM', factor: 1e3, below: 1 },
  { unit: 'M', factor: 1, below: Infinity },
] as const;
type Scale = (typeof SCALES)[number];

export interface Measured {
  readonly value: number | null;
  readonly relation: string;
  readonly ci95_low: number | null;
  readonly ci95_high: number | null;
}

/** Such as `38.2 nM`, `< 320 pM`, `~ 2.00 µM`; the unit keeps the number between 1 and 1,000. */
export function formatMolar(molar: number, relation = '='): string {
  const scale = scaleOf(molar);
  return `${relation === '=' ? '' : `${relation} `}${threeDigits(molar * scale.factor)} ${scale.unit}`;
}

/** Such as `24.9–58.5 nM`, in the unit of its value, so that the two are easy to compare. */
export function formatMolarInterval(quantity: Measured): string {
  const { value, ci95_low: low, ci95_high: high } = quantity;
  if (value === null || low === null || high === null) return '';
  const scale = scaleOf(value);
  return `${threeDigits(low * scale.factor)}–${threeDigits(high * scale.factor)} ${scale.unit}`;
}

/** Such as `2.93e5`: rate constants span so many decades that the exponent matters most. */
export function formatRate(rate: number, relation = '='): string {
  return `${relation === '=' ? '' : `${relation} `}${rate.toExponential(2).replace('e+', 'e')}`;
}

export function threeDigits(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude === 0) return '0';
  if (magnitude < 0.000_95) return value.toExponential(1).replace('e+', 'e');
  if (magnitude < 0.995) return value.toPrecision(2);
  if (magnitude < 9.995) return value.toFixed(2);
  if (magnitude < 99.95) return value.toFixed(1);
  if (magnitude < 99_999.5) return value.toFixed(0);
  return value.toExponential(1).replace('e+', 'e');
}

/** Such as `0:07`, `12:31`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Chooses the unit by the rounded value: 999.6 nM is printed as 1.00 µM. */
function scaleOf(molar: number): Scale {
  const rounded = Number(Math.abs(molar).toPrecision(3));
  return SCALES.find(({ below }) => rounded < below) ?? SCALES[4];
}
