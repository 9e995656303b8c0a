/** Shared by the assays without a target: one record per sequence with the summary row of its assay. */
import type { PackedResult } from '#analysis/assays/pack-result.ts';
import type { Quantity as MeasuredQuantity } from '#analysis/quantities/quantity.ts';
import type { Outcome, ResultSummary } from '#features/results/contract.ts';
import { joinPackedCurves } from '#features/results/packed-curves.ts';
import type { ControlValue } from './control-values.ts';
import {
  type ResultAssay,
  buildComparisons,
  describePerformance,
  findOrdered,
  isPositiveControl,
  toWireQuantities,
  buildRecord,
  UNTESTED,
  type AnalysisFacts,
  type Comparison,
  type Judged,
  type ResultSubject,
} from './result-record.ts';

interface Sequence extends Judged {
  readonly sample: string;
  readonly role: string;
  readonly outcome: Outcome;
  readonly replicates: readonly { readonly plate: string }[];
}

interface Analysis<Found extends Sequence> extends AnalysisFacts {
  readonly notices: readonly string[];
  readonly sequences: readonly Found[];
  readonly controls: readonly Found[];
}

/** What an assay adds to what all of them put on the wire. */
interface PackedRules<Found extends Sequence, Result extends Analysis<Found>, Row extends ResultSummary> {
  /** The row of a sequence without anything measured. */
  readonly describeUntested: (common: CommonMembers, subject: ResultSubject) => Row;
  readonly describe: (sequence: Found, result: Result) => Partial<Row>;
  readonly listQuantities: (
    sequence: Found,
    result: Result,
  ) => Readonly<Record<string, MeasuredQuantity | null>>;
  readonly compare: (sequence: Found) => readonly Comparison[];
  readonly findSignalUnit: (result: Result) => string;
  readonly listControlValues: (result: Result) => readonly ControlValue[];
}

export function createPackedAssay<
  Found extends Sequence,
  Result extends Analysis<Found>,
  Row extends ResultSummary,
>(rules: PackedRules<Found, Result, Row>): ResultAssay<PackedResult<Result>> {
  return {
    chooseSettings: () => ({}),
    describeTarget: () => ({}),
    listNotices: ({ found }) => found.notices,
    listControlValues: ({ found }) => rules.listControlValues(found),
    present({ found, packed }, subject) {
      const empty = rules.describeUntested(describeCommon(subject), subject);
      const unit = rules.findSignalUnit(found);
      const sequence = findOrdered(found, subject.sequence_name);
      const plates = new Set(sequence?.replicates.map(({ plate }) => plate));
      const parts = [
        packed.samples.get(subject.sequence_name),
        ...[...plates].map((name) => packed.plates.get(name)),
      ].filter((part) => part !== undefined);
      const rest = { binding_score: null, packed_curves: joinPackedCurves(unit, parts) };
      if (sequence === undefined)
        return {
          ...rest,
          outcome: 'not_tested',
          rank_range: null,
          summary: [empty],
          record: buildRecord(found, subject, UNTESTED, {}),
        };
      const comparisons = rules.compare(sequence);
      const own = {
        place: sequence.place,
        ...describePerformance(comparisons),
        positive_control: isPositiveControl(subject, sequence),
      };
      return {
        ...rest,
        outcome: sequence.outcome,
        rank_range: sequence.rankRange,
        summary: [{ ...empty, ...rules.describe(sequence, found), ...own }],
        record: {
          ...buildRecord(found, subject, sequence, toWireQuantities(rules.listQuantities(sequence, found))),
          details: { comparisons: buildComparisons(comparisons) },
        },
      };
    },
  };
}

type CommonMembers = ReturnType<typeof describeCommon>;

function describeCommon(subject: ResultSubject) {
  return {
    sequence_id: subject.sequence_id,
    sequence_name: subject.sequence_name,
    positive_control: subject.is_control,
    place: null,
    performance: {},
    comparison: {},
  };
}

export function describeSequence(subject: ResultSubject) {
  return { name: subject.sequence_name, aa_string: subject.aa_string, control: subject.is_control };
}
