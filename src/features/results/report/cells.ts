/** Cells of the tables of results: quantities, and what a row says beside its numbers. */
import type { Quantity } from '../contract.ts';
import { formatQuantityParts, type QuantityParts, formatSignalValue } from '../words/quantities.ts';
import { formatRate, isRateUnit } from '#documents/rates.ts';
import { formatMolar, formatFlags } from '../words/results.ts';
import { isFound, findShownAssay } from '#assays/shown.ts';
import type { PackagedResult } from '../package/packaged.ts';

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

/** What a row of a table says beside its numbers. */

/** Fewer results are not said to have something in common. */
const COMMON_FROM = 3;

/** Returns the flags that every one of these results has, which are stated once. */
export function findCommonFlags(results: readonly PackagedResult[]): ReadonlySet<string> {
  const [first] = results;
  if (first === undefined || results.length < COMMON_FROM) return new Set();
  return new Set(first.qc.flags.filter((flag) => results.every(({ qc }) => qc.flags.includes(flag))));
}

/** The flags that not every other result has, and that say more than the outcome and the reason beside them. */
export function formatOwnFlags(
  { qc, rows: [{ no_transition_reason: reason } = {}] }: PackagedResult,
  common: ReadonlySet<string>,
  outcome = '',
): string {
  const isSaid = (flag: string) =>
    outcome.includes(formatFlags([flag])) || (flag === 'NO_TRANSITION' && typeof reason === 'string');
  return formatFlags(qc.flags.filter((flag) => !common.has(flag) && !isSaid(flag)));
}

export function joinRemarks(...remarks: readonly string[]): string {
  return remarks.filter((remark) => remark !== '').join('; ');
}

export function formatSequence({ sequence_name: name, is_control: isControl }: PackagedResult): string {
  return isControl ? `${name} (control)` : name;
}

/** `0.0124 nm`; empty where the row has no such number. */
export function formatSignal({ rows: [row = {}] }: PackagedResult, member: string): string {
  const { [member]: value, response_unit: unit } = row;
  if (typeof value !== 'number') return '';
  return `${formatSignalValue(value)}${typeof unit === 'string' ? ` ${unit}` : ''}`;
}

/** Whether the assay found what it looks for, and has a number to rank the sequence by. */
export function hasValue(result: PackagedResult, experimentType: string): boolean {
  const {
    outcome,
    rows: [row = {}],
    quantities,
  } = result;
  if (!isFound({ outcome, row }, experimentType)) return false;
  const main = chooseMainQuantities(experimentType, [result]);
  return main.some((name) => typeof quantities[name]?.value === 'number') || typeof row.response === 'number';
}

/** The quantities of an assay that a reader looks at first. */

const SHOWN_MAX = 3;

/** Returns the main quantities that the results have; if they have none, their first quantity. */
export function chooseMainQuantities(experimentType: string, results: readonly PackagedResult[]): string[] {
  const present = new Set(results.flatMap(({ quantities }) => Object.keys(quantities)));
  const main = (findShownAssay(experimentType)?.mainQuantities ?? []).filter((name) => present.has(name));
  return main.length > 0 ? main : [...present].slice(0, SHOWN_MAX);
}
