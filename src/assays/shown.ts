/** The assays whose results can be shown. */
import type { AssayName } from './registry.ts';
import type { ResultCurves } from '#features/results/store.ts';
import type { Measure } from '#features/results/figures/measures.ts';
import { affinity } from './affinity/shown.ts';
import { expression } from './expression/shown.ts';
import { fluorescence } from './fluorescence/shown.ts';
import { screening } from './screening/shown.ts';
import type { Scene } from '#documents/scene.ts';
import type { ShownAssay } from './shown-assay.ts';
import { thermostability } from './thermostability/shown.ts';

const SHOWN_ASSAYS: Readonly<Record<AssayName, ShownAssay>> = {
  affinity,
  screening,
  thermostability,
  fluorescence,
  expression,
};

export function findShownAssay(experimentType: string): ShownAssay | undefined {
  const assays: Readonly<Record<string, ShownAssay>> = SHOWN_ASSAYS;
  return Object.hasOwn(assays, experimentType) ? assays[experimentType] : undefined;
}

/** Returns the assay of an experiment with results. An assay that is not in the registry has none: a fault of ours. */
export function requireShownAssay(experimentType: string): ShownAssay {
  const shown = findShownAssay(experimentType);
  if (shown === undefined) throw new Error(`results of ${experimentType} cannot be shown: no such assay`);
  return shown;
}

/** Returns the measure by which results are ranked. */
export function requireMeasure(experimentType: string): Measure {
  return requireShownAssay(experimentType).measure;
}

/** Draws the figure of one result of any assay. */
export function drawResult(result: ResultCurves): Scene {
  return requireShownAssay(result.experiment_type).draw(result);
}
