/** The summary row of expression. */
import { Nullable, OneOf, Type, type Static } from '#core/schema.ts';
import { SequenceEntry } from '#domain/sequences/contract.ts';
import { interval, number, open, quantity, Replicate, Row, text } from '../row.ts';
import type { Summarized } from '../row.ts';

const ExpressionReplicate = Type.Object(
  {
    ...Replicate,
    yield_ng_per_ul: number,
    yield_ng_per_ul_relation: text,
    yield_ng_per_ul_interval: interval,
    loading_signal: number,
    loading_signal_adjusted: number,
  },
  open,
);

export const ExpressionResult = Type.Object(
  {
    result_type: Type.Literal('expression'),
    ...Row,
    sequence: SequenceEntry,
    yield_ng_per_ul: number,
    yield_relation: text,
    yield_quantity: quantity,
    yield_ug: number,
    yield_ug_relation: text,
    molar_um: number,
    molar_um_relation: text,
    expression_class: Nullable(OneOf(['none', 'low', 'medium', 'high'])),
    expressed: Nullable(Type.Boolean({ description: 'null where the assay cannot tell' })),
    lloq: number,
    uloq: number,
    quantification: Type.Optional(Nullable(OneOf(['bli_capture', 'a280']))),
    loading_signal: number,
    nc_adjusted: Type.Optional(
      Nullable(Type.Boolean({ description: 'the control without DNA was taken off' })),
    ),
    replicates: Type.Array(ExpressionReplicate),
  },
  open,
);
export type ExpressionResult = Static<typeof ExpressionResult>;

export function expressionRow({ summary }: Summarized): ExpressionResult | undefined {
  return summary.find((row): row is ExpressionResult => row.result_type === 'expression');
}
