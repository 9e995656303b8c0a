/** How the instruments of the simulated lab are steered. */
import { readSandboxOptions } from '#features/experiments/sandbox-options.ts';
import type { Force, Library } from './truth.ts';

export interface SimulationOptions {
  /** Forces every submitted sequence to one behavior; the client's own controls keep their natural truth. */
  force?: Force | undefined;
  /** The mix of binders in the library. Default `naive`. */
  library?: Library | undefined;
  /** All designs of an enriched library, of which the run measures some again. Default: the sequences of the run. */
  selectedWith?: readonly { readonly aaString: string; readonly isControl: boolean }[] | undefined;
  /** Number of the run of the same experiment; a repeat measures freshly prepared samples. Default 1. */
  attempt?: number | undefined;
  /** The first submitted sequence that is no control expresses nothing. */
  firstNotExpressed?: boolean | undefined;
  /** The positive controls are spoiled: they bind ten times weaker, unfold early, express little, glow little. */
  controlsFail?: boolean | undefined;
}

/** Reads `parameters.sandbox` of an experiment for its run number `attempt`; only the first run has bad controls. */
export function buildSimulationOptions(
  parameters: Readonly<Record<string, unknown>> | null,
  attempt: number,
): SimulationOptions {
  const { force, library, faults } = readSandboxOptions(parameters);
  return {
    force,
    library,
    attempt,
    firstNotExpressed: faults.includes('no_expression'),
    controlsFail: faults.includes('failed_qc') && attempt === 1,
  };
}

interface Submitted {
  readonly id: string;
  readonly isControl: boolean;
}

/** Returns the behavior that is forced on a sequence; the client's own controls keep their natural truth. */
export function chooseForce(
  run: { readonly sequences: readonly Submitted[]; readonly options?: SimulationOptions | undefined },
  sequence: Submitted,
): Force | undefined {
  if (sequence.isControl) return undefined;
  const first = run.sequences.find(({ isControl }) => !isControl);
  const isSilent = run.options?.firstNotExpressed === true && sequence.id === first?.id;
  return isSilent ? 'not_expressed' : run.options?.force;
}
