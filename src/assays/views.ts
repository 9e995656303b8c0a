/** Results of each assay on the pages. */
import { outcomeWords } from '#features/results/pages/readings.ts';
import type { Item, AssayView } from './cells.ts';
import { USUAL_ASSAY } from './registry.ts';
import { findShownAssay, requireShownAssay } from './shown.ts';

/** Results of experiments that the lab takes on by agreement are shown like those of the usual assay. */
export function getAssayView(experimentType: string): AssayView {
  return (findShownAssay(experimentType) ?? requireShownAssay(USUAL_ASSAY)).view;
}

/** Says what was measured where the assay can: a screening finds a binder, a melting curve may have no transition. */
export function formatOutcome(result: Item): string {
  const word =
    result.outcome === 'measured'
      ? getAssayView(result.experiment_type).describeMeasured?.(result)
      : undefined;
  return word ?? outcomeWords[result.outcome];
}
