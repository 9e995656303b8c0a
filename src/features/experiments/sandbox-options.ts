/**
 * What a client of a sandbox can ask of the simulated lab, under `parameters.sandbox` of an experiment. A live
 * environment has no simulated lab and refuses it.
 */
import type { Environment } from '#core/context.ts';
import { fail, type Problem } from '#core/failures.ts';
import { isRecord } from '#core/records.ts';

/** One behavior for every submitted sequence; the client's own controls keep their natural truth. */
export const sandboxForces = ['binder', 'non_binder', 'not_expressed', 'no_loading', 'spike'] as const;
export type SandboxForce = (typeof sandboxForces)[number];

/** `naive`: designs as submitted. `enriched`: designs after a round of selection, of which at least six in ten bind. */
export const sandboxLibraries = ['naive', 'enriched'] as const;
export type SandboxLibrary = (typeof sandboxLibraries)[number];

/** Events that real orders meet. Each happens once. */
export const sandboxFaults = [
  'late_material',
  'no_expression',
  'failed_qc',
  'repeated_well',
  'partial_release',
  'amendment',
  'cancellation',
] as const;
export type SandboxFault = (typeof sandboxFaults)[number];

/** Who takes the steps of the lab for this experiment. */
export const sandboxLabs = ['simulated', 'manual'] as const;
export type SandboxLab = (typeof sandboxLabs)[number];

export interface SandboxOptions {
  readonly force: SandboxForce | undefined;
  readonly library: SandboxLibrary | undefined;
  readonly faults: readonly SandboxFault[];
  readonly lab: SandboxLab | undefined;
}

type Parameters = Readonly<Record<string, unknown>> | null | undefined;

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  force: sandboxForces,
  library: sandboxLibraries,
  lab: sandboxLabs,
};

/** Reads `parameters.sandbox` as it was checked when it was stored; what is unknown there is left out. */
export function readSandboxOptions(parameters: Parameters): SandboxOptions {
  const value = parameters?.sandbox;
  const options = isRecord(value) ? value : {};
  const faults = Array.isArray(options.faults) ? options.faults : [];
  return {
    force: sandboxForces.find((known) => known === options.force),
    library: sandboxLibraries.find((known) => known === options.library),
    faults: sandboxFaults.filter((known) => faults.includes(known)),
    lab: sandboxLabs.find((known) => known === options.lab),
  };
}

/** Throws `sandbox_only` where no simulated lab exists. */
export function refuseSandboxOptions(parameters: Parameters, environment: Environment): void {
  if (environment === 'live' && parameters?.sandbox !== undefined)
    throw fail('sandbox_only', { what: 'remove sandbox from parameters' });
}

/** Lists what is wrong in `parameters.sandbox`; `root` is the path of `parameters`. */
export function findSandboxProblems(parameters: Parameters, root: string): Problem[] {
  const options = parameters?.sandbox;
  if (options === undefined) return [];
  const path = `${root}.sandbox`;
  if (!isRecord(options)) return [{ path, message: 'must be an object' }];
  return Object.entries(options).flatMap(([key, value]) => findOptionProblems(key, value, path));
}

function findOptionProblems(key: string, value: unknown, path: string): Problem[] {
  const choices = CHOICES[key];
  if (choices !== undefined)
    return typeof value === 'string' && choices.includes(value)
      ? []
      : [{ path: `${path}.${key}`, message: `must be one of ${choices.join(', ')}` }];
  if (key !== 'faults') {
    const optionNames = [...Object.keys(CHOICES), 'faults'].join(', ');
    return [{ path, message: `has a key that the simulated lab does not know; it knows ${optionNames}` }];
  }
  const known: readonly string[] = sandboxFaults;
  const isKnown = (fault: unknown): boolean => typeof fault === 'string' && known.includes(fault);
  return Array.isArray(value) && value.every(isKnown)
    ? []
    : [{ path: `${path}.faults`, message: `must be a list of some of ${known.join(', ')}` }];
}
