/** How the simulated lab measures an assay. */
import type { SimulatedPlate, SimulationRequest } from '../models/plates.ts';

/** What a lab is asked to measure. */
export interface RunRequest extends Omit<SimulationRequest, 'experimentType'> {
  /** Name of the assay; it seeds how replicates scatter. */
  experimentType: string;
}

export interface SimulatedAssay {
  /** The instrument of a run, by the method that was ordered. */
  readonly nameInstrument: (method: 'bli' | 'spr' | null) => string;
  /** The raw files of one experiment, one plate at a time. */
  readonly record: (request: RunRequest) => Iterable<SimulatedPlate>;
}
