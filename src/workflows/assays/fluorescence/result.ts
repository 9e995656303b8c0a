/** Fluorescence on the wire: the record and the summary row of one sequence. */
import type { PackedResult } from '#analysis/assays/pack-result.ts';
import type { FluorescenceAnalysis, SequenceFluorescence } from '#analysis/assays/fluorescence/types.ts';
import type { FluorescenceResult } from '#domain/assays/fluorescence/row.ts';
import { common, entry, platesOf, untested, presentRow } from '../packed-result.ts';
import type { Row } from '../packed-result.ts';
import {
  codesOf,
  comparisonsOf,
  findOrdered,
  isPositiveControl,
  present,
  recordOf,
  relationOf,
  wireQuantity,
} from '../result-record.ts';
import type { ResultSubject, WireResult } from '../result-record.ts';

/** `not_tested` when the files hold nothing of the sequence. */
export function presentFluorescence(
  result: PackedResult<FluorescenceAnalysis>,
  subject: ResultSubject,
): WireResult {
  return presentRow(
    result,
    fluorescenceRow(result.found, subject),
    subject,
    result.found.plates[0]?.signalUnit ?? '',
  );
}

function fluorescenceRow(found: FluorescenceAnalysis, subject: ResultSubject): Row {
  const empty: FluorescenceResult = {
    ...common(subject),
    result_type: 'fluorescence',
    sequence: entry(subject),
    saturated: false,
    replicates: [],
  };
  const sequence = findOrdered(found, subject.sequenceName);
  if (sequence === undefined) return untested(found, subject, empty);
  const { intensity, normalized, log2Fold } = sequence;
  const quantities = present({ normalized_to_control: normalized, intensity, log2_fold: log2Fold });
  return {
    outcome: sequence.outcome,
    summary: {
      ...empty,
      ...fluorescenceMembers(sequence),
      positive_control: isPositiveControl(subject, sequence),
    },
    record: {
      ...recordOf(found, subject, sequence, quantities),
      details: { comparisons: comparisonsOf(sequence.performance) },
    },
    plates: platesOf(sequence.replicates),
  };
}

function fluorescenceMembers(sequence: SequenceFluorescence): Partial<FluorescenceResult> {
  const { intensity, normalized } = sequence;
  return {
    intensity: intensity?.value ?? null,
    intensity_relation: relationOf(intensity),
    intensity_quantity: wireQuantity(intensity),
    intensity_unit: sequence.intensityUnit,
    normalized_to_control: normalized?.value ?? null,
    normalized_to_control_relation: relationOf(normalized),
    normalized_quantity: wireQuantity(normalized),
    log2_fold: sequence.log2Fold?.value ?? null,
    log2_fold_relation: relationOf(sequence.log2Fold),
    cv_pct: sequence.cvPct,
    ex_nm: sequence.exNm,
    em_nm: sequence.emNm,
    gain: sequence.gain,
    z_prime_plate: sequence.zPrimePlate,
    saturated: sequence.saturated,
    place: sequence.place,
    performance: Object.fromEntries(sequence.performance.map(({ control, verdict }) => [control, verdict])),
    replicates: sequence.replicates.map((each) => ({
      replicate: each.replicate,
      well: each.well,
      plate: each.plate,
      outcome: each.outcome,
      raw: each.raw,
      intensity: each.intensity?.value ?? null,
      intensity_relation: relationOf(each.intensity),
      normalized_to_control: each.normalized?.value ?? null,
      normalized_to_control_relation: relationOf(each.normalized),
      saturated: each.saturated,
      flags: codesOf(each.flags),
    })),
  };
}
