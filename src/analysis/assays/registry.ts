/**
 * This folder: the assays that can be analyzed, each in a folder of its own, and the port they implement. Not here:
 * formats, storage, the wire.
 */
import { affinity } from './affinity/assay.ts';
import type { Assays } from './assay.ts';
import { expression } from './expression/assay.ts';
import { fluorescence } from './fluorescence/assay.ts';
import { screening } from './screening/assay.ts';
import { thermostability } from './thermostability/assay.ts';

export const ASSAYS = { affinity, screening, thermostability, expression, fluorescence } satisfies Assays;

export type AssayName = keyof typeof ASSAYS;
