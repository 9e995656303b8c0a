/**
 * The assays that the command line knows, in the order in which its help names them.
 * This folder: columns of each assay in the terminal and in CSV. Not here: how values are measured or stored.
 */
import { isAssay, type AssayName } from '#domain/assays/registry.ts';
import { plainText } from '../terminal.ts';
import { countOf } from '../words.ts';
import type { AssayColumns, Result } from './columns.ts';
import { expression } from './expression/columns.ts';
import { fluorescence } from './fluorescence/columns.ts';
import { thermostability } from './thermostability/columns.ts';

/** Null for the binding assays, which share a table of their own. */
const ASSAYS: Readonly<Record<AssayName, AssayColumns | null>> = {
  affinity: null,
  screening: null,
  thermostability,
  expression,
  fluorescence,
};

/** The assays without a target, in the order of the help. */
export const TARGETLESS: readonly string[] = Object.entries(ASSAYS).flatMap(([name, columns]) =>
  columns === null ? [] : [name],
);

/** `a, b or c`. */
export const TARGETLESS_WORDS = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(TARGETLESS);

/** Of the assay that all results share; undefined for the binding assays. */
export function assayColumns(results: readonly Result[]): AssayColumns | undefined {
  const [first] = results;
  const assay =
    first !== undefined && isAssay(first.experiment_type)
      ? (ASSAYS[first.experiment_type] ?? undefined)
      : undefined;
  return results.every(({ experiment_type: type }) => type === first?.experiment_type) ? assay : undefined;
}

/** `22 of 24 unfold; the best is A with 71.2 °C`. */
export function assaySummary(results: readonly Result[], assay: AssayColumns): string {
  const designs = results.filter(({ is_control: isControl }) => !isControl);
  const found = designs.filter((result) => assay.counts(result));
  const isOne = found.length === 1 || designs.length === 1;
  const lead = `${found.length} of ${countOf(designs.length, 'sequence')} ${assay.verb[isOne ? 0 : 1]}`;
  const [best] = found;
  return best === undefined
    ? `${lead}.`
    : `${lead}; the best is ${plainText(best.sequence_name)} with ${assay.value(best)}.`;
}
