/** Concentrations and rates as people read them: one notation in pages, documents and messages. */

/** Of concentrations, ascending. */
export const MOLAR_UNITS = [
  { factor: 1e-12, name: 'pM' },
  { factor: 1e-9, name: 'nM' },
  { factor: 1e-6, name: 'µM' },
  { factor: 1e-3, name: 'mM' },
  { factor: 1, name: 'M' },
] as const;
export type MolarUnit = (typeof MOLAR_UNITS)[number];

/** Tight binders are given in nM down to a tenth of one. */
const LEAST_NANOMOLAR = 0.1e-9;
/** Absorbs the floating-point error of numbers such as 1e-6. */
const SLACK = 1 + 1e-9;

export function chooseMolarUnit(valueM: number): MolarUnit {
  const value = valueM * SLACK;
  if (value < LEAST_NANOMOLAR) return MOLAR_UNITS[0];
  return MOLAR_UNITS.findLast((unit) => value >= unit.factor && unit !== MOLAR_UNITS[0]) ?? MOLAR_UNITS[1];
}

/** Writes a concentration with three digits, such as `31.6 nM`. */
export function formatConcentration(valueM: number): string {
  if (valueM === 0) return '0 nM';
  const rounded = Number(valueM.toPrecision(3));
  const unit = chooseMolarUnit(rounded);
  return `${Number((rounded / unit.factor).toPrecision(3))} ${unit.name}`;
}

const NM_PER_M = 1e9;
/** Drops the floating-point error of the division: 31.6 nM is 3.16e-8 M. */
const EXACT_DIGITS = 12;

export function toMolar(valueNm: number): number {
  return Number((valueNm / NM_PER_M).toPrecision(EXACT_DIGITS));
}

export function toNanomolar(valueM: number): number {
  return Number((valueM * NM_PER_M).toPrecision(EXACT_DIGITS));
}

/** Writes the signs of negative numbers in a text for people (U+2212); a hyphen within a name stays. */
export function writeMinusSigns(text: string): string {
  return text.replaceAll(/(?<![\p{L}\p{N}_.\])-])-(?=\d)/gu, '−');
}

const DIGITS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

interface PowerParts {
  /** `2.4` */
  readonly mantissa: string;
  /** `10⁻³` */
  readonly power: string;
}

/** Splits a number into two digits and its power of ten. */
export function splitPower(value: number): PowerParts {
  return toPowerParts(value.toExponential(1));
}

function toPowerParts(text: string): PowerParts {
  const [mantissa = '1', digits = '0'] = text.split('e');
  const exponent = Number(digits);
  const raised = String(Math.abs(exponent)).replaceAll(/\d/g, (digit) => DIGITS[Number(digit)] ?? '');
  return { mantissa: writeMinusSigns(mantissa), power: `10${exponent < 0 ? '⁻' : ''}${raised}` };
}

/** `2.4×10⁻³`. */
export function formatPower(value: number): string {
  const { mantissa, power } = splitPower(value);
  return `${mantissa}×${power}`;
}

/** Writes every digit of a number that somebody chose: `2.5×10⁶`. */
export function formatWholePower(value: number): string {
  const { mantissa, power } = toPowerParts(value.toExponential());
  return `${mantissa}×${power}`;
}

/** Concentrations that differ by less are one; files round them. */
const SAME_CONCENTRATION = 1e-3;

export function isSameConcentration(a: number, b: number): boolean {
  return Math.abs(a - b) <= SAME_CONCENTRATION * b;
}
