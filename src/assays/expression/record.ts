/** Expression on the wire. */
import { toWireNames } from '#core/records.ts';
import type { ExpressionAnalysis, SequenceExpression } from './engine/types.ts';
import type { ExpressionResult } from './row.ts';
import { collectControlValues } from '../control-values.ts';
import { describeSequence, createPackedAssay } from '../packed-result.ts';
import { listCodes, toInterval, findRelation, toWireQuantity } from '../result-record.ts';

export const expressionResult = createPackedAssay<SequenceExpression, ExpressionAnalysis, ExpressionResult>({
  describeUntested: (common, subject) => ({
    ...common,
    result_type: 'expression',
    sequence: describeSequence(subject),
    expression_class: null,
    expressed: null,
    replicates: [],
  }),
  describe,
  listQuantities: ({ yield: amount, yieldUg, molarUm }) => ({
    yield_ng_per_ul: amount,
    ...toWireNames({ yieldUg, molarUm }),
  }),
  compare: ({ performance }) => performance,
  findSignalUnit: ({ plates }) => plates[0]?.signalUnit ?? '',
  listControlValues: (found) =>
    collectControlValues(found, [
      { quantity: 'signal', unit: found.plates[0]?.signalUnit ?? '', read: ({ response }) => response },
    ]),
});

function describe(sequence: SequenceExpression): Partial<ExpressionResult> {
  const { yield: amount } = sequence;
  return {
    yield_ng_per_ul: amount?.value ?? null,
    yield_relation: findRelation(amount),
    yield_quantity: toWireQuantity(amount),
    yield_ug: sequence.yieldUg?.value ?? null,
    yield_ug_relation: findRelation(sequence.yieldUg),
    molar_um: sequence.molarUm?.value ?? null,
    molar_um_relation: findRelation(sequence.molarUm),
    expression_class: sequence.expressionClass,
    expressed: sequence.expressed,
    lloq: sequence.lloqNgPerUl,
    uloq: sequence.uloqNgPerUl,
    quantification: sequence.quantification,
    loading_signal: sequence.response,
    nc_adjusted: sequence.isNoDnaSubtracted,
    replicates: sequence.replicates.map((each) => ({
      replicate: each.replicate,
      well: each.well,
      plate: each.plate,
      outcome: each.outcome,
      yield_ng_per_ul: each.yield?.value ?? null,
      yield_ng_per_ul_relation: findRelation(each.yield),
      yield_ng_per_ul_interval: toInterval(each.yield),
      loading_signal: each.response,
      loading_signal_adjusted: each.responseAdjusted,
      flags: listCodes(each.flags),
    })),
  };
}
