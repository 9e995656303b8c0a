/**
 * This folder: the result of screening on the wire. Not here: analysis.
 */
import type { ScreeningAnalysis } from '#analysis/assays/screening/types.ts';
import { bindingSettings } from '../binding/assay.ts';
import { buildScreeningResult } from './result.ts';
import type { ResultAssay } from '../result-assay.ts';

export const screening: ResultAssay<ScreeningAnalysis> = {
  ...bindingSettings,
  listNotices: ({ notices }) => notices,
  present: buildScreeningResult,
};
