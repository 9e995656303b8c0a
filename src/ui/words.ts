/** Numbers, times and statuses in words for people. */
import type { ExperimentStatus } from '#core/lifecycle.ts';
import { formatPower } from '#core/number-words.ts';
import { markup, type Markup } from './markup.ts';

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

/** Three digits, or a power of ten such as `6.1×10⁻⁵` for what is small or large. */
export function formatScientific(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const rounded = Math.abs(Number(value.toPrecision(2)));
  if (rounded >= 0.01 && rounded < 10_000) return String(Number(value.toPrecision(3))).replace('-', '−');
  return formatPower(value);
}
