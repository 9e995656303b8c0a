/** A result in one line, whatever its assay. */
import { resultText } from '../plot-text.ts';
import type { ResultCurves, ShownQuantity } from '../store.ts';

const SIGNS: Readonly<Record<string, string>> = { '<': '<', '>': '>', '~': '≈' };

/** `63.4 °C (95% CI 63.1–63.7)`; undefined without a value. */
export function quantityText(quantity: ShownQuantity | undefined, decimals?: number): string | undefined {
  if (quantity === undefined || quantity.value === null || !Number.isFinite(quantity.value)) return undefined;
  const { value, relation, unit = '', ci95_low: low, ci95_high: high } = quantity;
  const digits = decimals ?? decimalsFor(value);
  const sign = SIGNS[relation] === undefined ? '' : `${SIGNS[relation]} `;
  const interval =
    typeof low === 'number' && typeof high === 'number'
      ? ` (95% CI ${fixed(low, digits)}${low < 0 || high < 0 ? ' to ' : '–'}${fixed(high, digits)})`
      : '';
  return `${sign}${fixed(value, digits)}${unit === '' ? '' : ` ${unit}`}${interval}`;
}

/** Three digits that mean something. */
function decimalsFor(value: number): number {
  if (value === 0) return 0;
  return Math.max(0, Math.min(4, 2 - Math.floor(Math.log10(Math.abs(value)))));
}

function fixed(value: number, digits: number): string {
  const shown = Math.abs(value).toFixed(digits);
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
    default:
      return resultText(result);
  }
}

function plain({ outcome }: ResultCurves): string {
  return outcome === 'measured' ? 'measured, no value determined' : outcome.replaceAll('_', ' ');
}
