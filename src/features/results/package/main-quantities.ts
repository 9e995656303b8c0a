/** The quantities of an assay that a reader looks at first. */
import { findShownAssay } from '#assays/shown.ts';
import type { PackagedResult } from './packaged.ts';

const SHOWN_MAX = 3;

/** Returns the main quantities that the results have; if they have none, their first quantity. */
export function chooseMainQuantities(experimentType: string, results: readonly PackagedResult[]): string[] {
  const present = new Set(results.flatMap(({ quantities }) => Object.keys(quantities)));
  const main = (findShownAssay(experimentType)?.mainQuantities ?? []).filter((name) => present.has(name));
  return main.length > 0 ? main : [...present].slice(0, SHOWN_MAX);
}
