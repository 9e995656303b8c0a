/** Yields the raw files of one experiment of any assay, one plate or run of capillaries at a time. */
import type { SimulatedPlate } from './models/plates.ts';
import { findSimulatedAssay } from '#assays/simulated.ts';
import type { RunRequest } from '#assays/simulated-assay.ts';

export function* runFiles(request: RunRequest): Generator<SimulatedPlate, void, undefined> {
  const assay = findSimulatedAssay(request.experimentType);
  if (assay === undefined) throw new Error(`the simulated lab does not measure ${request.experimentType}`);
  yield* assay.record(request);
}
