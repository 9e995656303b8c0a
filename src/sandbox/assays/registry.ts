/**
 * The assays that the simulated lab measures.
 * This folder: the assays that the simulated lab measures. Not here: their analysis.
 */
import type { AssayName } from '#domain/assays/registry.ts';
import { affinity } from './affinity/assay.ts';
import { expression } from './expression/assay.ts';
import { fluorescence } from './fluorescence/assay.ts';
import { screening } from './screening/assay.ts';
import type { SimulatedAssay } from './simulated-assay.ts';
import { thermostability } from './thermostability/assay.ts';

export const SIMULATED_ASSAYS: Readonly<Record<AssayName, SimulatedAssay>> = {
  affinity,
  screening,
  thermostability,
  fluorescence,
  expression,
};
