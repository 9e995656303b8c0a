/**
 * This folder: the result of thermostability on the wire. Not here: analysis.
 */
import type { PackedResult } from '#analysis/assays/pack-result.ts';
import type { ThermostabilityAnalysis } from '#analysis/assays/thermostability/types.ts';
import type { ResultAssay } from '../result-assay.ts';
import { presentThermostability } from './result.ts';

export const thermostability: ResultAssay<PackedResult<ThermostabilityAnalysis>> = {
  chooseSettings: () => ({}),
  describeTarget: () => ({}),
  listNotices: ({ found }) => found.notices,
  present: presentThermostability,
};
