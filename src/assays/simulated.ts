/** The assays that the simulated lab measures. */
import { isAssay, type AssayName } from './registry.ts';
import { affinity } from './affinity/simulated.ts';
import { expression } from './expression/simulated.ts';
import { fluorescence } from './fluorescence/simulated.ts';
import { screening } from './screening/simulated.ts';
import type { SimulatedAssay } from './simulated-assay.ts';
import { thermostability } from './thermostability/simulated.ts';

export const SIMULATED_ASSAYS: Readonly<Record<AssayName, SimulatedAssay>> = {
  affinity,
  screening,
  thermostability,
  fluorescence,
  expression,
};

/** Undefined for what only people can measure. */
export function findSimulatedAssay(experimentType: string): SimulatedAssay | undefined {
  return isAssay(experimentType) ? SIMULATED_ASSAYS[experimentType] : undefined;
}
