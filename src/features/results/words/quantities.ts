/** Quantities in words. */
import { formatRelation } from '#core/relations.ts';
import { describeResult } from './results.ts';
import type { ResultCurves, ShownQuantity } from '../store.ts';

/**
 * Writes a quantity such as `63.4 °C (95% CI 63.1–63.7)`; undefined without a value. The interval decides the number
 * of digits: two of its half-width, and at most three of the value.
 */
export function formatQuantity(quantity: ShownQuantity | undefined, decimals?: number): string | undefined {
  const parts = formatQuantityParts(quantity, decimals);
  if (parts === undefined) return undefined;
  return `${parts.value}${parts.interval === undefined ? '' : ` (95% CI ${parts.interval})`}`;
}

export interface QuantityParts {
  /** The number with its relation, without its unit. */
  readonly number: string;
  /** The number with its relation and unit. */
  readonly value: string;
  readonly interval: string | undefined;
}

export function formatQuantityParts(
  quantity: ShownQuantity | undefined,
  decimals?: number,
): QuantityParts | undefined {
  if (quantity === undefined || quantity.value === null || !Number.isFinite(quantity.value)) return undefined;
  const { value, relation, unit = '', ci95_low: low, ci95_high: high } = quantity;
  const hasInterval = typeof low === 'number' && typeof high === 'number';
  const usual = unit === '°C' ? CELSIUS_DECIMALS : undefined;
  const digits = decimals ?? usual ?? chooseDecimals(value, hasInterval ? (high - low) / 2 : 0);
  const number = `${formatRelation(relation)}${formatFixed(value, digits)}`;
  return {
    number,
    value: `${number}${unit === '' ? '' : ` ${unit}`}`,
    interval: hasInterval
      ? `${formatFixed(low, digits)}${low < 0 || high < 0 ? ' to ' : '–'}${formatFixed(high, digits)}`
      : undefined,
  };
}

/** A tenth of a degree is as much as two instruments agree on. */
const CELSIUS_DECIMALS = 1;

/** Returns the place of the last digit shown, right of the point; negative for tens and hundreds. */
function chooseDecimals(value: number, halfWidth: number): number {
  const countPlaces = (number: number, digits: number) => digits - 1 - Math.floor(Math.log10(number));
  const byValue = value === 0 ? 0 : countPlaces(Math.abs(value), 3);
  const byInterval = halfWidth > 0 ? countPlaces(halfWidth, 2) : byValue;
  return Math.min(4, byValue, Math.max(byInterval, byValue - 1));
}

export function formatFixed(value: number, digits: number): string {
  const step = 10 ** -digits;
  const shown =
    digits >= 0 ? Math.abs(value).toFixed(digits) : String(Math.round(Math.abs(value) / step) * step);
  return value < 0 && Number(shown) !== 0 ? `−${shown}` : shown;
}

/** Writes a signal with three digits and at most four decimals, which is a tenth of a picometer of BLI. */
export function formatSignalValue(value: number): string {
  const power = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  return formatFixed(value, Math.min(4, Math.max(0, 2 - power)));
}

/** Writes the line of a result without a value of its assay. */
export function writePlainLine(result: ResultCurves): string {
  return result.outcome === 'measured' ? 'measured, no value determined' : describeResult(result);
}
