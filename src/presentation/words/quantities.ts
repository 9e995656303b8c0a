/** A result in one line, whatever its assay. */
import { writeRelation } from '#core/relations.ts';
import { kdText, resultText } from './results.ts';
import type { ResultCurves, ShownQuantity } from '#domain/results/store.ts';

/**
 * `63.4 °C (95% CI 63.1–63.7)`; undefined without a value. The interval decides how many digits mean something: two of
 * half its width, and never more than three of the value.
 */
export function quantityText(quantity: ShownQuantity | undefined, decimals?: number): string | undefined {
  const said = quantityParts(quantity, decimals);
  if (said === undefined) return undefined;
  return `${said.value}${said.interval === undefined ? '' : ` (95% CI ${said.interval})`}`;
}

export interface QuantityParts {
  /** With its relation, without its unit. */
  readonly number: string;
  /** With its relation and unit. */
  readonly value: string;
  readonly interval: string | undefined;
}

export function quantityParts(
  quantity: ShownQuantity | undefined,
  decimals?: number,
): QuantityParts | undefined {
  if (quantity === undefined || quantity.value === null || !Number.isFinite(quantity.value)) return undefined;
  const { value, relation, unit = '', ci95_low: low, ci95_high: high } = quantity;
  const hasInterval = typeof low === 'number' && typeof high === 'number';
  const digits = decimals ?? decimalsFor(value, hasInterval ? (high - low) / 2 : 0);
  const number = `${writeRelation(relation)}${fixed(value, digits)}`;
  return {
    number,
    value: `${number}${unit === '' ? '' : ` ${unit}`}`,
    interval: hasInterval
      ? `${fixed(low, digits)}${low < 0 || high < 0 ? ' to ' : '–'}${fixed(high, digits)}`
      : undefined,
  };
}

/** The place of the last digit shown, right of the point; negative for tens and hundreds. */
function decimalsFor(value: number, halfWidth: number): number {
  const placesOf = (number: number, digits: number) => digits - 1 - Math.floor(Math.log10(number));
  const byValue = value === 0 ? 0 : placesOf(Math.abs(value), 3);
  const byInterval = halfWidth > 0 ? placesOf(halfWidth, 2) : byValue;
  return Math.min(4, byValue, Math.max(byInterval, byValue - 1));
}

function fixed(value: number, digits: number): string {
  const step = 10 ** -digits;
  const shown =
    digits >= 0 ? Math.abs(value).toFixed(digits) : String(Math.round(Math.abs(value) / step) * step);
  return value < 0 && Number(shown) !== 0 ? `−${shown}` : shown;
}

export function resultLine(result: ResultCurves): string {
  const { quantities, outcome } = result;
  switch (result.experiment_type) {
    case 'thermostability': {
      const tm = quantityText(quantities.tm, 1);
      const onset = quantityText(quantities.tonset, 1);
      if (tm === undefined) return outcome === 'measured' ? 'no transition within the range' : plain(result);
      return `Tm ${tm}${onset === undefined ? '' : `, onset ${onset}`}`;
    }
    case 'expression': {
      const amount = quantityText(quantities.yield_ng_per_ul);
      if (amount === undefined) return plain(result);
      return outcome === 'not_expressed' ? `not expressed, yield ${amount}` : `yield ${amount}`;
    }
    case 'fluorescence': {
      const normalized = quantityText(quantities.normalized_to_control);
      const intensity = quantityText(quantities.intensity);
      if (normalized !== undefined) return `${normalized} of the reference, ${intensity ?? ''}`;
      return intensity === undefined ? plain(result) : `intensity ${intensity}`;
    }
    case 'screening':
      return screeningLine(result);
    default:
      return resultText(result);
  }
}

const CALLS: Readonly<Record<string, string>> = {
  true: 'binder',
  false: 'no binding detected',
  inconclusive: 'inconclusive',
};

/** A screen gives an answer and a response, and an estimate of KD at most. */
function screeningLine(result: ResultCurves): string {
  const { summary } = result;
  const call = typeof summary.binding === 'string' ? CALLS[summary.binding] : undefined;
  if (call === undefined || !['measured', 'non_binder'].includes(result.outcome)) return resultText(result);
  const facts = [call];
  const { response, threshold } = summary;
  if (typeof response === 'number') {
    const limit = typeof threshold === 'number' ? `, threshold ${fixed(threshold, 3)}` : '';
    facts.push(`response ${fixed(response, 3)}${limit} ${result.signal_unit}`);
  }
  const estimate = kdText(result.quantities.kd_estimate);
  if (estimate !== undefined) facts.push(`estimated ${estimate}`);
  return facts.join('; ');
}

function plain(result: ResultCurves): string {
  return result.outcome === 'measured' ? 'measured, no value determined' : resultText(result);
}
