/** Fluorescence on the wire. */
import { toWireNames } from '#core/records.ts';
import type { FluorescenceAnalysis, SequenceFluorescence } from './engine/types.ts';
import type { FluorescenceResult } from './row.ts';
import { collectControlValues } from '../control-values.ts';
import { describeSequence, createPackedAssay } from '../packed-result.ts';
import { listCodes, findRelation, toWireQuantity } from '../result-record.ts';

export const fluorescenceResult = createPackedAssay<
  SequenceFluorescence,
  FluorescenceAnalysis,
  FluorescenceResult
>({
  describeUntested: (common, subject) => ({
    ...common,
    result_type: 'fluorescence',
    sequence: describeSequence(subject),
    saturated: false,
    replicates: [],
  }),
  describe,
  listQuantities: ({ normalized, intensity, log2Fold }) => ({
    normalized_to_control: normalized,
    ...toWireNames({ intensity, log2Fold }),
  }),
  compare: ({ performance }) => performance,
  findSignalUnit: ({ plates }) => plates[0]?.signalUnit ?? '',
  listControlValues: (found) =>
    collectControlValues(found, [
      { quantity: 'signal', unit: found.plates[0]?.signalUnit ?? '', read: ({ raw }) => raw },
    ]),
});

function describe(sequence: SequenceFluorescence): Partial<FluorescenceResult> {
  const { intensity, normalized, intensityUnit, cvPct, exNm, emNm, gain, zPrimePlate, saturated } = sequence;
  return {
    intensity: intensity?.value ?? null,
    intensity_relation: findRelation(intensity),
    intensity_quantity: toWireQuantity(intensity),
    normalized_to_control: normalized?.value ?? null,
    normalized_to_control_relation: findRelation(normalized),
    normalized_quantity: toWireQuantity(normalized),
    log2_fold: sequence.log2Fold?.value ?? null,
    log2_fold_relation: findRelation(sequence.log2Fold),
    ...toWireNames({ intensityUnit, cvPct, exNm, emNm, gain, zPrimePlate, saturated }),
    replicates: sequence.replicates.map((each) => ({
      replicate: each.replicate,
      well: each.well,
      plate: each.plate,
      outcome: each.outcome,
      raw: each.raw,
      intensity: each.intensity?.value ?? null,
      intensity_relation: findRelation(each.intensity),
      normalized_to_control: each.normalized?.value ?? null,
      normalized_to_control_relation: findRelation(each.normalized),
      saturated: each.saturated,
      flags: listCodes(each.flags),
    })),
  };
}
