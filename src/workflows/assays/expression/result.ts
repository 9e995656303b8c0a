/** Expression on the wire: the record and the summary row of one sequence. */
import type { PackedResult } from '#analysis/assays/pack-result.ts';
import type { ExpressionAnalysis, SequenceExpression } from '#analysis/assays/expression/types.ts';
import type { ExpressionResult } from '#domain/assays/expression/row.ts';
import { common, entry, platesOf, untested, presentRow } from '../packed-result.ts';
import type { Row } from '../packed-result.ts';
import {
  codesOf,
  comparisonsOf,
  findOrdered,
  interval,
  isPositiveControl,
  present,
  recordOf,
  relationOf,
  wireQuantity,
} from '../result-record.ts';
import type { ResultSubject, WireResult } from '../result-record.ts';

/** `not_tested` when the files hold nothing of the sequence. */
export function presentExpression(
  result: PackedResult<ExpressionAnalysis>,
  subject: ResultSubject,
): WireResult {
  return presentRow(
    result,
    expressionRow(result.found, subject),
    subject,
    result.found.plates[0]?.signalUnit ?? '',
  );
}

function expressionRow(found: ExpressionAnalysis, subject: ResultSubject): Row {
  const empty: ExpressionResult = {
    ...common(subject),
    result_type: 'expression',
    sequence: entry(subject),
    expression_class: null,
    expressed: null,
    replicates: [],
  };
  const sequence = findOrdered(found, subject.sequenceName);
  if (sequence === undefined) return untested(found, subject, empty);
  const quantities = present({
    yield_ng_per_ul: sequence.yield,
    yield_ug: sequence.yieldUg,
    molar_um: sequence.molarUm,
  });
  return {
    outcome: sequence.outcome,
    summary: {
      ...empty,
      ...expressionMembers(sequence),
      positive_control: isPositiveControl(subject, sequence),
    },
    record: {
      ...recordOf(found, subject, sequence, quantities),
      details: { comparisons: comparisonsOf(sequence.performance) },
    },
    plates: platesOf(sequence.replicates),
  };
}

function expressionMembers(sequence: SequenceExpression): Partial<ExpressionResult> {
  const { yield: amount } = sequence;
  return {
    yield_ng_per_ul: amount?.value ?? null,
    yield_relation: relationOf(amount),
    yield_quantity: wireQuantity(amount),
    yield_ug: sequence.yieldUg?.value ?? null,
    yield_ug_relation: relationOf(sequence.yieldUg),
    molar_um: sequence.molarUm?.value ?? null,
    molar_um_relation: relationOf(sequence.molarUm),
    expression_class: sequence.expressionClass,
    expressed: sequence.expressed,
    lloq: sequence.lloqNgPerUl,
    uloq: sequence.uloqNgPerUl,
    quantification: sequence.quantification,
    loading_signal: sequence.response,
    nc_adjusted: sequence.isNoDnaSubtracted,
    place: sequence.place,
    performance: Object.fromEntries(sequence.performance.map(({ control, verdict }) => [control, verdict])),
    replicates: sequence.replicates.map((each) => ({
      replicate: each.replicate,
      well: each.well,
      plate: each.plate,
      outcome: each.outcome,
      yield_ng_per_ul: each.yield?.value ?? null,
      yield_ng_per_ul_relation: relationOf(each.yield),
      yield_ng_per_ul_interval: interval(each.yield),
      loading_signal: each.response,
      loading_signal_adjusted: each.responseAdjusted,
      flags: codesOf(each.flags),
    })),
  };
}
