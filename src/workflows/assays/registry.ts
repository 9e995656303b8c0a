/**
 * The assays whose runs are analyzed.
 * This folder: results of each assay on the wire, from what the analysis found. Not here: analysis.
 */
import type { ResultOf } from '#analysis/assays/assay.ts';
import type { ASSAYS as ANALYZED } from '#analysis/assays/registry.ts';
import type { AssayName } from '#domain/assays/registry.ts';
import { affinity } from './affinity/assay.ts';
import { expression } from './expression/assay.ts';
import { fluorescence } from './fluorescence/assay.ts';
import type { ResultAssay } from './result-assay.ts';
import { screening } from './screening/assay.ts';
import { thermostability } from './thermostability/assay.ts';

/** Each presents the output of the analysis of the same name. */
export const RESULT_ASSAYS = {
  affinity,
  screening,
  thermostability,
  fluorescence,
  expression,
} satisfies { [Name in AssayName]: ResultAssay<ResultOf<(typeof ANALYZED)[Name]>> };
