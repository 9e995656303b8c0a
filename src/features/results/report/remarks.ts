/** What a row of a table says beside its numbers. */
import { isFound } from '#assays/outcome-words.ts';
import type { PackagedResult } from '../package/packaged.ts';
import { chooseMainQuantities } from '../package/main-quantities.ts';
import { formatSignalValue } from '../words/quantities.ts';
import { formatFlags } from '../words/results.ts';

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
