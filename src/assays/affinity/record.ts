import type { AffinityAnalysis } from './engine/types.ts';
import { bindingSettings, getSignalUnit } from '../binding/record.ts';
import { collectControlValues, LOG10_MOLAR, readLog10 } from '../control-values.ts';
import { buildAffinityResult } from './result.ts';
import type { ResultAssay } from '../result-assay.ts';

export const affinityResult: ResultAssay<AffinityAnalysis> = {
  ...bindingSettings,
  listNotices: ({ notices }) => notices,
  listLeftOut: ({ leftOut }) => leftOut,
  listControlValues: (found) =>
    collectControlValues(found, [
      { quantity: 'kd', unit: LOG10_MOLAR, read: ({ kd }) => readLog10(kd) },
      { quantity: 'signal', unit: getSignalUnit(found), read: ({ response }) => response },
    ]),
  present: buildAffinityResult,
};
