/** Quantities in the cells of a report, and the heads above them. */
import type { Quantity } from '../contract.ts';
import { formatQuantityParts, type QuantityParts } from '../words/quantities.ts';
import { formatRate, isRateUnit } from '#documents/rates.ts';
import { formatMolar } from '../words/results.ts';

const NAMES: Readonly<Record<string, string>> = {
  kd: 'KD',
  kon: 'kon (1/(M·s))',
  koff: 'koff (1/s)',
  kd_estimate: 'KD estimate',
  response: 'Response',
  tm: 'Tm',
  tm_2: 'Tm2',
  tm_3: 'Tm3',
  tonset: 'Onset',
  delta_tm_vs_control: 'ΔTm',
  yield_ng_per_ul: 'Yield',
  molar_um: 'Concentration',
  normalized_to_control: 'Relative intensity',
  log2_fold: 'log2 fold',
  intensity: 'Intensity',
};

export function nameQuantity(name: string): string {
  return NAMES[name] ?? name;
}

/** `174 nM (161–187)`, `> 2 µM`, `8.5×10⁴`, `115 ng/µL (78–170)`; empty without a value. */
export function formatQuantityCell(quantity: Quantity | undefined, withInterval: boolean): string {
  if (quantity === undefined || quantity.value === null) return '';
  const parts = splitQuantity(quantity);
  if (parts === undefined) return '';
  return withInterval && parts.interval !== undefined ? `${parts.value} (${parts.interval})` : parts.value;
}

/** Molar concentrations get their own unit; rates show only their power of ten. */
function splitQuantity(quantity: Quantity): Pick<QuantityParts, 'value' | 'interval'> | undefined {
  const { value, unit, relation } = quantity;
  if (unit === 'M') {
    const parts = formatMolar(quantity);
    return parts && { value: parts.signed, interval: parts.interval };
  }
  if (value !== null && isRateUnit(unit)) return { value: formatRate(value, relation), interval: undefined };
  return formatQuantityParts(quantity);
}
