/** The switches a client of the sandbox can set on an experiment, under `parameters.sandbox`. */
import type { Force, Library } from './truth.ts';

export interface SimulationOptions {
  /** Makes every submitted sequence behave one way; the client's own controls keep their natural truth. */
  force?: Force | undefined;
  /** Which mix of binders the designs come from. Default `naive`. */
  library?: Library | undefined;
  /** Which run of the same experiment this is; a repeat measures freshly prepared samples. Default 1. */
  attempt?: number | undefined;
}

const FORCES: readonly Force[] = ['non_binder', 'binder', 'not_expressed', 'no_loading', 'spike'];
const LIBRARIES: readonly Library[] = ['naive', 'enriched'];

/** Reads `parameters.sandbox` of an experiment; what is missing or unknown is left at its default. */
export function simulationOptionsFrom(parameters: unknown): SimulationOptions {
  const sandbox = fieldOf(parameters, 'sandbox');
  const force = fieldOf(sandbox, 'force');
  const library = fieldOf(sandbox, 'library');
  return {
    force: FORCES.find((known) => known === force),
    library: LIBRARIES.find((known) => known === library),
  };
}

function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}
