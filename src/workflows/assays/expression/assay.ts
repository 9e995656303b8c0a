/**
 * This folder: the result of expression on the wire. Not here: analysis.
 */
import type { PackedResult } from '#analysis/assays/pack-result.ts';
import type { ExpressionAnalysis } from '#analysis/assays/expression/types.ts';
import type { ResultAssay } from '../result-assay.ts';
import { presentExpression } from './result.ts';

export const expression: ResultAssay<PackedResult<ExpressionAnalysis>> = {
  chooseSettings: () => ({}),
  describeTarget: () => ({}),
  listNotices: ({ found }) => found.notices,
  present: presentExpression,
};
