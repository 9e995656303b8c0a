/** The assays that the simulated lab measures. */
import { loadParts } from './registry.ts';
import type { SimulatedAssay } from './simulated-assay.ts';

const SIMULATED = await loadParts((assay) => assay.loadSimulated());

/** Undefined for what only people can measure. */
export function findSimulatedAssay(experimentType: string): SimulatedAssay | undefined {
  return Object.hasOwn(SIMULATED, experimentType) ? SIMULATED[experimentType] : undefined;
}
