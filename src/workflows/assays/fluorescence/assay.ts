/**
 * This folder: the result of fluorescence on the wire. Not here: analysis.
 */
import type { PackedResult } from '#analysis/assays/pack-result.ts';
import type { FluorescenceAnalysis } from '#analysis/assays/fluorescence/types.ts';
import type { ResultAssay } from '../result-assay.ts';
import { presentFluorescence } from './result.ts';

export const fluorescence: ResultAssay<PackedResult<FluorescenceAnalysis>> = {
  chooseSettings: () => ({}),
  describeTarget: () => ({}),
  listNotices: ({ found }) => found.notices,
  present: presentFluorescence,
};
