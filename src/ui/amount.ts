/** Numbers and amounts of money that people type into forms. */
import { fail } from '#core/failures.ts';
import { parseDecimal } from '#core/texts.ts';
import { getField, type Form } from './http.ts';

/** A text that is no number stays text, so that whoever checks it names the problem. */
export function parseNumber(text: string): number | string {
  return parseDecimal(text) ?? text;
}

const POINTS_PER_PERCENT = 100;

/** `2.5` percent in basis points; a text that is no number stays text, so that whoever checks it names the problem. */
export function parsePercent(text: string): number | string {
  const value = parseNumber(text);
  // Twelve digits: 0.29 percent is 29 points, not 28.999999999999996.
  return typeof value === 'number' ? Number((value * POINTS_PER_PERCENT).toPrecision(12)) : value;
}

/** Writes basis points in percent as a form takes them: `2.5`. */
export function formatPercent(points: number): string {
  return String(points / POINTS_PER_PERCENT);
}

/** `12.50` or `$12.50` in cents; a text that is no amount stays text, so that whoever checks it names the problem. */
export function parseCents(text: string): number | string {
  const match = /^\$?\s*(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text);
  return match === null ? text : Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
}

/** Writes cents as a form takes them: `12.50`. */
export function formatCents(cents: number): string {
  return (cents / 100).toFixed(2);
}

/** Reads an amount; undefined where the field is empty. Throws `invalid_request` beside the field. */
export function readAmount(form: Form, field: string): number | undefined {
  const text = getField(form, field);
  if (text === '') return undefined;
  const cents = parseCents(text);
  if (typeof cents === 'number') return cents;
  const message = 'write an amount such as 12.50';
  throw fail('invalid_request', { reason: `${message}.` }, { problems: [{ path: field, message }] });
}

interface Credited {
  readonly amount_paid_cents: number;
  readonly credit_notes: readonly { readonly is_credit: boolean; readonly amount_cents: number }[];
}

/** What was paid and is on no credit note yet, in cents. */
export function computeLeftToRefund({ amount_paid_cents: paidCents, credit_notes: notes }: Credited): number {
  const credits = notes.filter((note) => note.is_credit);
  return paidCents - credits.reduce((sum, note) => sum + note.amount_cents, 0);
}
