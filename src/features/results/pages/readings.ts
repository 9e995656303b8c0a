/** Measured values in the words of pages. */
import { formatQuantityParts } from '../words/quantities.ts';
import { formatRate, formatRateInterval, isRateUnit } from '#documents/rates.ts';
import { formatMolar } from '../words/results.ts';
import { createReading, type Reading } from '#ui/words.ts';
import type { Outcome, Quantity } from '../contract.ts';

export const outcomeWords: Readonly<Record<Outcome, string>> = {
  measured: 'Measured',
  non_binder: 'Non-binder',
  inconclusive: 'Inconclusive',
  not_expressed: 'Not expressed',
  failed_qc: 'Failed QC',
  not_tested: 'Not tested',
};

/** Such as `9.3 nM` with its interval `8.1–10.7`; a limit keeps its sign: `< 0.3 nM`. */
export function toKdReading(kd: Quantity | undefined): Reading | null {
  const parts = formatMolar(kd);
  return parts === undefined ? null : createReading(parts.signed, parts.interval, kd?.n);
}

/** A quantity as figures and reports write it. */
export function toQuantityReading(quantity: Quantity | undefined): Reading | null {
  if (quantity === undefined || quantity.value === null) return null;
  if (quantity.unit === 'M') return toKdReading(quantity);
  const unit = formatUnit(quantity.unit);
  const { value, relation, ci95_low: low, ci95_high: high } = quantity;
  if (!isRateUnit(unit)) {
    const parts = formatQuantityParts({ ...quantity, unit });
    return parts === undefined ? null : createReading(parts.value, parts.interval, quantity.n);
  }
  const interval = low === null || high === null ? undefined : formatRateInterval(value, low, high);
  return createReading(`${formatRate(value, relation)} ${unit}`, interval, quantity.n);
}

/** A rate with its relation, without its unit, which a column carries in its head. */
export function formatBareRate(quantity: Quantity | undefined): string {
  if (quantity === undefined || quantity.value === null) return '–';
  return formatRate(quantity.value, quantity.relation);
}

/** Other spellings of units, and the one that people read. */
const UNIT_WORDS: Readonly<Record<string, string>> = {
  's-1': '1/s',
  '1/(M*s)': '1/(M·s)',
  '1/(M s)': '1/(M·s)',
  'M-1 s-1': '1/(M·s)',
};

export function formatUnit(unit: string): string {
  return UNIT_WORDS[unit] ?? unit;
}
