/** Draws the figure of one result of any assay. */
import { requireShownAssay } from '../assays/registry.ts';
import type { ResultCurves } from '#domain/results/store.ts';
import type { Scene } from '../scene.ts';

export function drawResult(result: ResultCurves): Scene {
  return requireShownAssay(result.experiment_type).draw(result);
}
