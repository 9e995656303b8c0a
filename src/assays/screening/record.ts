import type { ScreeningAnalysis } from './engine/types.ts';
import { bindingSettings, getSignalUnit } from '../binding/record.ts';
import { collectControlValues, LOG10_MOLAR, readLog10 } from '../control-values.ts';
import { buildScreeningResult } from './result.ts';
import type { ResultAssay } from '../result-assay.ts';

export const screening: ResultAssay<ScreeningAnalysis> = {
  ...bindingSettings,
  listNotices: ({ notices }) => notices,
  listLeftOut: ({ leftOut }) => leftOut,
  listControlValues: (found) =>
    collectControlValues(found, [
      { quantity: 'kd', unit: LOG10_MOLAR, read: ({ controlKd }) => readLog10(controlKd) },
      { quantity: 'signal', unit: getSignalUnit(found), read: ({ response }) => response },
    ]),
  present: buildScreeningResult,
};
