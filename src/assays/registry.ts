/**
 * The assays that the lab sells, in the order in which the contract lists them.
 * This folder: a folder for each assay, what all assays share, and the parts by which others see them. Not here: formats
 * and numerics, which know no assay (`analysis/`).
 */
import { joinWords } from '#core/word-list.ts';
import type { ExperimentPlot, SoldAssay } from './assay.ts';
import { affinity } from './affinity/assay.ts';
import { expression } from './expression/assay.ts';
import { fluorescence } from './fluorescence/assay.ts';
import { screening } from './screening/assay.ts';
import { thermostability } from './thermostability/assay.ts';

export const ASSAYS = { affinity, screening, thermostability, fluorescence, expression };

export type AssayName = keyof typeof ASSAYS;

/** The assay of an order, unless the client chooses another. */
export const USUAL_ASSAY: AssayName = 'affinity';

export function isAssay(experimentType: string): experimentType is AssayName {
  return Object.hasOwn(ASSAYS, experimentType);
}

export const assayNames: readonly AssayName[] = Object.keys(ASSAYS).filter(isAssay);

/** `result_type` of the rows that clients with a closed list of shapes know. */
export const publishedShapes: readonly string[] = assayNames.filter((name) => ASSAYS[name].hasPublishedRow);

/** Returns undefined for experiment types that the lab accepts by agreement only. */
export function findAssay(experimentType: string): SoldAssay | undefined {
  return isAssay(experimentType) ? ASSAYS[experimentType] : undefined;
}

/** Sequences are measured against a target, by a method of binding. */
export function hasTarget(experimentType: string): boolean {
  return findAssay(experimentType)?.hasTarget ?? false;
}

export function takesConcentrations(experimentType: string): boolean {
  return findAssay(experimentType)?.takesConcentrations ?? false;
}

export function hasPlot(experimentType: string, plot: ExperimentPlot): boolean {
  return findAssay(experimentType)?.plots.includes(plot) ?? false;
}

/** Lists the assays that have a plot, as words: `screening, fluorescence and expression`. */
export function formatAssaysWith(plot: ExperimentPlot): string {
  const named = assayNames.filter((name) => hasPlot(name, plot));
  return joinWords(named, 'and');
}
