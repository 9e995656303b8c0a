/** The assays whose runs are analyzed. */
import type { ResultOf } from '#analysis/assays/assay.ts';
import type { ASSAYS as ANALYZED } from './engines.ts';
import type { AssayName } from './registry.ts';
import { affinity } from './affinity/record.ts';
import { expression } from './expression/record.ts';
import { fluorescence } from './fluorescence/record.ts';
import type { ResultAssay } from './result-assay.ts';
import { screening } from './screening/record.ts';
import { thermostability } from './thermostability/record.ts';

/** Each presents the output of the analysis of the same name. */
export const RESULT_ASSAYS = {
  affinity,
  screening,
  thermostability,
  fluorescence,
  expression,
} satisfies { [Name in AssayName]: ResultAssay<ResultOf<(typeof ANALYZED)[Name]>> };
