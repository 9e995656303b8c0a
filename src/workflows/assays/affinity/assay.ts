/**
 * This folder: the result of affinity on the wire. Not here: analysis.
 */
import type { AffinityAnalysis } from '#analysis/assays/affinity/types.ts';
import { bindingSettings } from '../binding/assay.ts';
import { buildAffinityResult } from './result.ts';
import type { ResultAssay } from '../result-assay.ts';

export const affinity: ResultAssay<AffinityAnalysis> = {
  ...bindingSettings,
  listNotices: ({ notices }) => notices,
  present: buildAffinityResult,
};
