/** The assays that the lab sells, in the order in which the contract lists them. */
import type { ExperimentPlot, SoldAssay } from './assay.ts';
import { affinity } from './affinity/assay.ts';
import { expression } from './expression/assay.ts';
import { fluorescence } from './fluorescence/assay.ts';
import { screening } from './screening/assay.ts';
import { thermostability } from './thermostability/assay.ts';
import { ExpressionResult } from './expression/row.ts';
import { FluorescenceResult } from './fluorescence/row.ts';
import { ThermostabilityResult } from './thermostability/row.ts';

export const ASSAYS = { affinity, screening, thermostability, fluorescence, expression };

export type AssayName = keyof typeof ASSAYS;

/** What an order is for, unless somebody says otherwise. */
export const USUAL_ASSAY: AssayName = 'affinity';

/** Rows of a result's summary, besides those of binding. */
export const ASSAY_ROWS = [ThermostabilityResult, ExpressionResult, FluorescenceResult] as const;

export function isAssay(experimentType: string): experimentType is AssayName {
  return Object.hasOwn(ASSAYS, experimentType);
}

export const assayNames: readonly AssayName[] = Object.keys(ASSAYS).filter(isAssay);

/** Undefined for experiments that the lab takes on by agreement only. */
export function findAssay(experimentType: string): SoldAssay | undefined {
  return isAssay(experimentType) ? ASSAYS[experimentType] : undefined;
}

export function hasPlot(experimentType: string, plot: ExperimentPlot): boolean {
  return findAssay(experimentType)?.plots.includes(plot) ?? false;
}

/** `screening, fluorescence and expression`: the assays that a picture is drawn of. */
export function listAssaysWith(plot: ExperimentPlot): string {
  return new Intl.ListFormat('en-GB').format(assayNames.filter((name) => hasPlot(name, plot)));
}
