/**
 * The words of a result: units of concentration, the result in one line, flags.
 * This folder: values as people read them. Not here: figures, documents and pages.
 */
import { chooseMolarUnit, formatConcentration, type MolarUnit } from '#core/number-words.ts';
import { RELATION_SIGNS } from '#core/relations.ts';
import type { ResultCurves } from '../store.ts';
import type { Outcome } from '../contract.ts';

interface LimitedNumber {
  readonly value: number | null;
  readonly relation: string;
  readonly ci95_low?: number | null;
  readonly ci95_high?: number | null;
}

/** Writes a concentration with the digits of a measured constant, such as `9.3 nM`. */
export function formatConcentrationBriefly(valueM: number): string {
  return formatMolar({ value: valueM, relation: '=' })?.value ?? formatConcentration(valueM);
}

/**
 * Writes a measured constant with its relation, such as `KD = 9.3 nM (95% CI 8.1–10.7)`; undefined when there is
 * none.
 */
export function formatKd(kd: LimitedNumber | undefined): string | undefined {
  const parts = formatMolar(kd);
  if (parts === undefined) return undefined;
  const interval = parts.interval === undefined ? '' : ` (95% CI ${parts.interval})`;
  return `KD ${parts.sign === '' ? '=' : parts.sign} ${parts.value}${interval}`;
}

export interface MolarText {
  /** Empty for a measured value; `<`, `>` or `≈` otherwise. */
  readonly sign: string;
  /** `9.3 nM`. */
  readonly value: string;
  /** `9.3 nM`, `> 10 µM`. */
  readonly signed: string;
  /** `8.1–10.7` in the unit of the value, or `0.20 nM – 4.0 µM`. */
  readonly interval: string | undefined;
}

/** Writes a molar quantity with the digits for people; undefined when there is none. */
export function formatMolar(quantity: LimitedNumber | undefined): MolarText | undefined {
  if (quantity === undefined || !isPositive(quantity.value)) return undefined;
  const sign = RELATION_SIGNS[quantity.relation] ?? '';
  const { ci95_low: low, ci95_high: high } = quantity;
  const hasInterval = isPositive(low) && isPositive(high);
  const isNarrow = hasInterval && isIntervalNarrow(quantity.value, low, high);
  const rounded = Number(quantity.value.toPrecision(isNarrow ? 3 : countSignificant(quantity.value)));
  const unit = chooseMolarUnit(rounded);
  const mantissa = (rounded / unit.factor).toPrecision(isNarrow ? 3 : countSignificant(rounded));
  const value = `${sign === '' ? mantissa : String(Number(mantissa))} ${unit.name}`;
  return {
    sign,
    value,
    signed: sign === '' ? value : `${sign} ${value}`,
    interval: hasInterval ? formatInterval(low, high, mantissa, unit) : undefined,
  };
}

/** Relative width of an interval that two digits show badly. */
const NARROW = 0.04;

/** Tells whether the interval is small beside the value, or both its ends would vanish in two digits, as in `10 (10–10)`. */
function isIntervalNarrow(value: number, low: number, high: number): boolean {
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  const countSteps = (number: number) => Math.round(number / step);
  return high - low < NARROW * value || [low, high].every((end) => countSteps(end) === countSteps(value));
}

/**
 * Writes the interval in the unit and decimals of the value. If it spans more than a decade or leaves the unit, each
 * end has its own unit, and both have the same number of digits.
 */
function formatInterval(low: number, high: number, mantissa: string, unit: MolarUnit): string {
  if (high / low > 10 || high / unit.factor >= 999.5) {
    const digits = Math.max(countSignificant(low), countSignificant(high));
    return `${formatDigits(low, digits)} – ${formatDigits(high, digits)}`;
  }
  const decimals = mantissa.split('.')[1]?.length ?? 0;
  return `${(low / unit.factor).toFixed(decimals)}–${(high / unit.factor).toFixed(decimals)}`;
}

/** Keeps trailing zeros, because they say how precise the number is. */
function formatDigits(valueM: number, digits: number): string {
  const rounded = Number(valueM.toPrecision(digits));
  const unit = chooseMolarUnit(rounded);
  return `${(rounded / unit.factor).toPrecision(digits)} ${unit.name}`;
}

/** Uses two digits, or three where two would hide the units place (125 nM). */
function countSignificant(valueM: number): 2 | 3 {
  return valueM / chooseMolarUnit(valueM).factor >= 99.5 ? 3 : 2;
}

function isPositive(value: number | null | undefined): value is number {
  return value !== null && value !== undefined && value > 0 && Number.isFinite(value);
}

const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  measured: 'measured, no KD determined',
  non_binder: 'no binding detected',
  inconclusive: 'inconclusive: binding neither shown nor excluded',
  not_expressed: 'not expressed',
  failed_qc: 'failed QC',
  not_tested: 'not tested',
};

/** What a run without binding would have seen, from a row of it; undefined where the row has none. */
export function describeDetectable({ kd_detectable_m: valueM }: Row): string | undefined {
  if (typeof valueM !== 'number') return undefined;
  const kd = formatMolar({ value: valueM, relation: '=' });
  return kd && `a KD below ${kd.value} would have been seen`;
}

/** Writes the KDs that a run without binding leaves possible, such as `> 19 µM`; undefined where it says nothing. */
export function formatExcluded(detectableM: unknown): string | undefined {
  return typeof detectableM === 'number'
    ? formatMolar({ value: detectableM, relation: '>' })?.signed
    : undefined;
}

type Row = Readonly<Record<string, unknown>>;

/** Writes the result in one line. */
export function describeResult(result: ResultCurves): string {
  const kd = formatKd(result.quantities['kd']);
  if (result.outcome === 'measured') return kd ?? OUTCOME_WORDS.measured;
  const words = OUTCOME_WORDS[result.outcome];
  if (result.outcome !== 'non_binder') return words;
  const limit = result.quantities['kd']?.relation === '>' ? kd : undefined;
  if (limit !== undefined) return `${words}, ${limit}`;
  const detectable = describeDetectable(result.summary);
  return detectable === undefined ? words : `${words}; ${detectable}`;
}

const FLAG_WORDS: Readonly<Record<string, string>> = {
  c: 'concentration',
  dna: 'DNA',
  kd: 'KD',
  lloq: 'LLOQ',
  nsb: 'non-specific binding',
  rmax: 'Rmax',
  tm: 'Tm',
  uloq: 'ULOQ',
};

/** Writes flags as words: `WINDOW_DEPENDENT` becomes `window dependent`. */
export function formatFlags(flags: readonly string[]): string {
  const splitWords = (flag: string) => flag.toLowerCase().split('_');
  return flags
    .map((flag) =>
      splitWords(flag)
        .map((word) => FLAG_WORDS[word] ?? word)
        .join(' '),
    )
    .join(', ');
}

/** Explains why there is nothing to draw; `curves` names the curves of the assay. */
export function describeEmpty(result: Pick<ResultCurves, 'outcome'>, curves: string): string {
  switch (result.outcome) {
    case 'not_expressed':
      return `The protein was not expressed, so there are no ${curves}.`;
    case 'failed_qc':
      return `This result failed quality control and has no ${curves} to show.`;
    case 'not_tested':
      return `This sequence was not tested, so there are no ${curves}.`;
    default:
      return `No ${curves} are stored for this result.`;
  }
}
