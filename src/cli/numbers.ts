/** Numbers as a reader of a table in the terminal wants them. */
import { formatRelation } from '#core/relations.ts';

interface Rate {
  readonly value: number | null;
  readonly relation: string;
}

/** Such as `2.93e5`: rate constants span so many decades that the exponent matters most. */
export function formatRate(rate: Rate | undefined): string {
  if (rate === undefined || rate.value === null) return '';
  return `${formatRelation(rate.relation)}${rate.value.toExponential(2).replace('e+', 'e')}`;
}

export function formatThreeDigits(value: number): string {
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
