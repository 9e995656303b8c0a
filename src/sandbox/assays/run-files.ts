/** Yields the raw files of one experiment of any assay, one plate or run of capillaries at a time. */
import type { SimulatedPlate } from '../models/plates.ts';
import { SIMULATED_ASSAYS } from './registry.ts';
import type { RunRequest } from './simulated-assay.ts';

export function* runFiles(request: RunRequest): Generator<SimulatedPlate, void, undefined> {
  yield* SIMULATED_ASSAYS[request.experimentType].record(request);
}
