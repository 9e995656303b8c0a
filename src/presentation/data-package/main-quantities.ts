/** Which of an assay's quantities a reader looks at first. */
import type { PackagedResult } from './packaged.ts';

const MAIN: Readonly<Record<string, readonly string[]>> = {
  affinity: ['kd', 'kon', 'koff'],
  screening: ['response', 'kd_estimate'],
  thermostability: ['tm', 'tonset', 'delta_tm_vs_control'],
  expression: ['yield_ng_per_ul', 'molar_um'],
  fluorescence: ['normalized_to_control', 'log2_fold', 'intensity'],
};
const SHOWN_MAX = 3;

/** Those that the results have; without any of the assay's own, the first that they have. */
export function mainQuantities(experimentType: string, results: readonly PackagedResult[]): string[] {
  const present = new Set(results.flatMap(({ quantities }) => Object.keys(quantities)));
  const main = (MAIN[experimentType] ?? []).filter((name) => present.has(name));
  return main.length > 0 ? main : [...present].slice(0, SHOWN_MAX);
}
