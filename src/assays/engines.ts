/** The assays that can be analyzed. */
import { affinity } from './affinity/engine/assay.ts';
import type { Assays } from '#analysis/assays/assay.ts';
import { expression } from './expression/engine/assay.ts';
import { fluorescence } from './fluorescence/engine/assay.ts';
import { screening } from './screening/engine/assay.ts';
import { thermostability } from './thermostability/engine/assay.ts';

export const ASSAYS = { affinity, screening, thermostability, expression, fluorescence } satisfies Assays;

export type AssayName = keyof typeof ASSAYS;
