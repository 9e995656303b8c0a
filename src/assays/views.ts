/** The assays on the pages, in the order in which they are offered. */
import type { AssayName } from './registry.ts';
import { isAssay, USUAL_ASSAY } from './registry.ts';
import { outcomeWords } from '#features/results/pages/readings.ts';
import { affinity } from './affinity/view.ts';
import type { Item } from './cells.ts';
import { expression } from './expression/view.ts';
import { fluorescence } from './fluorescence/view.ts';
import type { AssayView, PageAssay } from './page-assay.ts';
import { screening } from './screening/view.ts';
import { thermostability } from './thermostability/view.ts';

export const PAGE_ASSAYS: Readonly<Record<AssayName, PageAssay>> = {
  affinity,
  screening,
  thermostability,
  expression,
  fluorescence,
};

/** Results of experiments that the lab takes on by agreement are shown like those of the usual assay. */
export function getAssayView(experimentType: string): AssayView {
  return PAGE_ASSAYS[isAssay(experimentType) ? experimentType : USUAL_ASSAY].view;
}

/** Says what was measured where the assay can: a screening finds a binder, a melting curve may have no transition. */
export function formatOutcome(result: Item): string {
  const word =
    result.outcome === 'measured'
      ? getAssayView(result.experiment_type).describeMeasured?.(result)
      : undefined;
  return word ?? outcomeWords[result.outcome];
}
