/** Numbers, times and statuses in words for people. */
import type { ExperimentStatus } from '#core/lifecycle.ts';
import { formatConcentration, formatPower } from '#core/number-words.ts';
import { formatQuantityParts } from '#presentation/words/quantities.ts';
import { formatRate, formatRateInterval, isRateUnit } from '#presentation/words/rates.ts';
import { formatMolar } from '#presentation/words/results.ts';
import type { Outcome, Quantity } from '#features/results/contract.ts';
import { markup, type Markup } from './markup.ts';

export { formatConcentration };

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Such as `2 Mar 2026, 09:00 UTC`. */
function formatTime(iso: string): string {
  const at = new Date(iso);
  const clock = `${padToTwo(at.getUTCHours())}:${padToTwo(at.getUTCMinutes())}`;
  return `${formatDay(iso)}, ${clock} UTC`;
}

/** Such as `2 Mar 2026`. */
function formatDay(iso: string): string {
  const at = new Date(iso);
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()] ?? ''} ${at.getUTCFullYear()}`;
}

function padToTwo(value: number): string {
  return value.toString().padStart(2, '0');
}

/** Renders an instant; a tooltip shows the seconds. */
export function renderTime(iso: string | null | undefined): Markup {
  if (iso === null || iso === undefined) return markup`<span class="muted">–</span>`;
  const full = `${iso.slice(0, 19).replace('T', ' ')} UTC`;
  return markup`<time datetime="${iso}" title="${full}">${formatTime(iso)}</time>`;
}

export function renderDay(iso: string | null | undefined): Markup {
  if (iso === null || iso === undefined) return markup`<span class="muted">–</span>`;
  return markup`<time datetime="${iso}" title="${formatTime(iso)}">${formatDay(iso)}</time>`;
}

/** Turns `waiting_for_materials` into `Waiting for materials`. */
export function toSentenceCase(code: string): string {
  const words = code.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const statusWords: Readonly<Record<ExperimentStatus, string>> = {
  draft: 'Draft',
  waiting_for_confirmation: 'Being quoted',
  quote_sent: 'Quote ready',
  waiting_for_materials: 'Waiting for materials',
  in_queue: 'In queue',
  in_production: 'In production',
  data_analysis: 'Data analysis',
  in_review: 'In review',
  done: 'Done',
  canceled: 'Canceled',
};

export const outcomeWords: Readonly<Record<Outcome, string>> = {
  measured: 'Measured',
  non_binder: 'Non-binder',
  inconclusive: 'Inconclusive',
  not_expressed: 'Not expressed',
  failed_qc: 'Failed QC',
  not_tested: 'Not tested',
};

export interface Reading {
  readonly value: string;
  readonly interval: string | null;
  /**
   * Whether the interval is that of one replicate: of its fit alone, without the scatter between replicates, so that it
   * looks narrower than that of several.
   */
  readonly isOfOne?: boolean;
}

/** Joins value and interval; `n` counts the replicates behind them. */
export function createReading(value: string, interval: string | undefined, n: number | undefined): Reading {
  const reading = { value, interval: interval ?? null };
  return interval !== undefined && n === 1 ? { ...reading, isOfOne: true } : reading;
}

/** Such as `9.3 nM` with its interval `8.1–10.7`; a limit keeps its sign: `< 0.3 nM`. */
export function toKdReading(kd: Quantity | undefined): Reading | null {
  const parts = formatMolar(kd);
  return parts === undefined ? null : createReading(parts.signed, parts.interval, kd?.n);
}

/** Three digits, or a power of ten such as `6.1×10⁻⁵` for what is small or large. */
export function formatScientific(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const rounded = Math.abs(Number(value.toPrecision(2)));
  if (rounded >= 0.01 && rounded < 10_000) return String(Number(value.toPrecision(3))).replace('-', '−');
  return formatPower(value);
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
