/** Which of an assay's quantities a reader looks at first. */
import { findShownAssay } from '../assays/registry.ts';
import type { PackagedResult } from './packaged.ts';

const SHOWN_MAX = 3;

/** Those that the results have; without any of the assay's own, the first that they have. */
export function mainQuantities(experimentType: string, results: readonly PackagedResult[]): string[] {
  const present = new Set(results.flatMap(({ quantities }) => Object.keys(quantities)));
  const main = (findShownAssay(experimentType)?.mainQuantities ?? []).filter((name) => present.has(name));
  return main.length > 0 ? main : [...present].slice(0, SHOWN_MAX);
}
