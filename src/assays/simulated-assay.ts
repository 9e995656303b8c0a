/** The simulation of an assay. */
import type { AssayPrice } from '#features/pricing/price-list.ts';
import type { SimulatedPlate, SimulationRequest } from '#sandbox/models/plates.ts';

/** A measurement that the lab is asked for. */
export interface RunRequest extends Omit<SimulationRequest, 'experimentType'> {
  /** Name of the assay; it seeds how replicates scatter. */
  experimentType: string;
}

export interface SimulatedAssay {
  /** In the first price list of a sandbox. */
  readonly price: AssayPrice;
  /** Returns the instrument of a run, by the ordered method. */
  readonly nameInstrument: (method: 'bli' | 'spr' | null) => string;
  /** Yields the raw files of one experiment, one plate at a time. */
  readonly record: (request: RunRequest) => Iterable<SimulatedPlate>;
}
