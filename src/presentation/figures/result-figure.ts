/** Draws the figure of one result of any assay. */
import { affinity } from '../assays/affinity/assay.ts';
import { findShownAssay } from '../assays/registry.ts';
import type { ResultCurves } from '#domain/results/store.ts';
import type { Scene } from '../scene.ts';

export function drawResult(result: ResultCurves): Scene {
  return (findShownAssay(result.experiment_type) ?? affinity).draw(result);
}
