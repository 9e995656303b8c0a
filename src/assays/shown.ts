/** The assays whose results can be shown. */
import type { ResultCurves } from '#features/results/store.ts';
import type { Scene } from '#documents/scene.ts';
import { loadParts } from './registry.ts';
import type { ShownAssay } from './shown-assay.ts';

const SHOWN = await loadParts((assay) => assay.loadShown());

export function findShownAssay(experimentType: string): ShownAssay | undefined {
  return Object.hasOwn(SHOWN, experimentType) ? SHOWN[experimentType] : undefined;
}

/** Returns the assay of an experiment with results. An assay that is not in the registry has none: a fault of ours. */
export function requireShownAssay(experimentType: string): ShownAssay {
  const shown = findShownAssay(experimentType);
  if (shown === undefined) throw new Error(`results of ${experimentType} cannot be shown: no such assay`);
  return shown;
}

/** Draws the figure of one result of any assay. */
export function drawResult(result: ResultCurves): Scene {
  return requireShownAssay(result.experiment_type).draw(result);
}
