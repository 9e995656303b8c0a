import { toWireNames } from '#core/records.ts';
import type { ScreeningAnalysis, SequenceScreening } from './engine/types.ts';
import { bindingSettings, getSignalUnit } from '../binding/record.ts';
import { collectControlValues, LOG10_MOLAR, readLog10 } from '../control-values.ts';
import {
  type ResultAssay,
  findOrdered,
  toWireQuantities,
  buildRecord,
  type ResultSubject,
  type WireResult,
} from '../result-record.ts';
import type { AffinityResult } from '#features/results/contract.ts';
import {
  describeBinding,
  collectPackedCurves,
  buildReplicateCommon,
  createUntestedResult,
} from '../binding/result.ts';

export const screeningResult: ResultAssay<ScreeningAnalysis> = {
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

/** From what a screening found to what the wire shows: one record per sequence, with the contract's summary row. */
function buildScreeningResult(analysis: ScreeningAnalysis, subject: ResultSubject): WireResult {
  const sequenceAnalysis = findOrdered(analysis, subject.sequence_name);
  if (sequenceAnalysis === undefined) return createUntestedResult(analysis, subject);
  const { response, responseSd, responseUnit, threshold, zScore, concentrationsM } = sequenceAnalysis;
  const { loadingLevel, pctTheoreticalRmax } = sequenceAnalysis;
  const details = {
    ...toWireNames({ response, responseSd, responseUnit, threshold, zScore, concentrationsM }),
    ...toWireNames({ loadingLevel, pctTheoreticalRmax }),
  };
  const { outcome, bindingScore, rankRange } = sequenceAnalysis;
  return {
    outcome,
    ...toWireNames({ bindingScore, rankRange }),
    summary: [{ ...buildScreeningRow(sequenceAnalysis, subject), ...details }],
    record: {
      ...buildRecord(
        analysis,
        subject,
        sequenceAnalysis,
        toWireQuantities({ kd_estimate: sequenceAnalysis.kdEstimate }),
      ),
      details,
    },
    packed_curves: collectPackedCurves(analysis, sequenceAnalysis.replicates),
  };
}

/** A screening decides yes or no; its rough KD stays in `kd_estimate` and never fills the measured fields. */
function buildScreeningRow(found: SequenceScreening, subject: ResultSubject): AffinityResult {
  return {
    ...describeBinding(found, subject),
    replicates: found.replicates.map((replicate) => {
      const { zScore, threshold } = replicate;
      return { ...buildReplicateCommon(replicate, subject), ...toWireNames({ zScore, threshold }) };
    }),
  };
}
