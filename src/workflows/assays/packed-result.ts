/** Shared by the assays without a target: one record per sequence with the summary row of its assay. */
import type { PackedResult } from '#analysis/assays/pack-result.ts';
import type { ResultSummary } from '#domain/results/contract.ts';
import { joinPackedCurves } from '#domain/results/packed-curves.ts';
import {
  recordOf,
  UNTESTED,
  type AnalysisFacts,
  type ResultSubject,
  type WireResult,
} from './result-record.ts';

export interface Row extends Pick<WireResult, 'outcome' | 'record'> {
  readonly summary: ResultSummary;
  /** Plates whose figures belong to the result. */
  readonly plates: readonly string[];
}

/** Makes the result of one sequence from its row, its curves and those of its plates. */
export function presentRow(
  { packed }: PackedResult<unknown>,
  row: Row,
  { sequenceName }: ResultSubject,
  signalUnit: string,
): WireResult {
  const parts = [packed.samples.get(sequenceName), ...row.plates.map((name) => packed.plates.get(name))];
  return {
    outcome: row.outcome,
    bindingScore: null,
    summary: [row.summary],
    record: row.record,
    packedCurves: joinPackedCurves(
      signalUnit,
      parts.flatMap((part) => part ?? []),
    ),
  };
}

export function untested(facts: AnalysisFacts, subject: ResultSubject, summary: ResultSummary): Row {
  return { outcome: 'not_tested', record: recordOf(facts, subject, UNTESTED, {}), summary, plates: [] };
}

export function common(subject: ResultSubject) {
  return {
    sequence_id: subject.sequenceId,
    sequence_name: subject.sequenceName,
    positive_control: subject.isControl,
    place: null,
    performance: {},
  };
}

export function entry(subject: ResultSubject) {
  return { name: subject.sequenceName, aa_string: subject.aaString, control: subject.isControl };
}

export function platesOf(replicates: readonly { readonly plate: string }[]): string[] {
  return [...new Set(replicates.map(({ plate }) => plate))];
}
