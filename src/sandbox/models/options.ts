/** The options that a client of the sandbox can set on an experiment, under `parameters.sandbox`. */
import type { Force, Library } from './truth.ts';

export interface SimulationOptions {
  /** Forces every submitted sequence to one behavior; the client's own controls keep their natural truth. */
  force?: Force | undefined;
  /** The mix of binders in the library. Default `naive`. */
  library?: Library | undefined;
  /** Number of the run of the same experiment; a repeat measures freshly prepared samples. Default 1. */
  attempt?: number | undefined;
}

const FORCES: readonly Force[] = ['non_binder', 'binder', 'not_expressed', 'no_loading', 'spike'];
const LIBRARIES: readonly Library[] = ['naive', 'enriched'];

/** Reads `parameters.sandbox` of an experiment; missing or unknown options keep their defaults. */
export function parseSimulationOptions(parameters: unknown): SimulationOptions {
  const sandbox = getField(parameters, 'sandbox');
  const force = getField(sandbox, 'force');
  const library = getField(sandbox, 'library');
  return {
    force: FORCES.find((known) => known === force),
    library: LIBRARIES.find((known) => known === library),
  };
}

function getField(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}
