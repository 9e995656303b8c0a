/** The summary row of expression. */
import { Nullable, OneOf, Type, type Static } from '#core/schema.ts';
import {
  defineFlag,
  defineInterval,
  defineNumber,
  defineQuantity,
  defineRelation,
} from '#features/results/row-fields.ts';
import { open, Replicate, Row, Sequence, shape, type Summarized } from '../row.ts';

const ExpressionReplicate = Type.Object(
  {
    ...Replicate,
    yield_ng_per_ul: defineNumber('yield of the undiluted reaction, in ng/µL; null without a value'),
    yield_ng_per_ul_relation: defineRelation('yield_ng_per_ul'),
    yield_ng_per_ul_interval: defineInterval('the same yield with its 95 % interval, in ng/µL'),
    loading_signal: defineNumber('initial rate of the capture in signal per s, or absorbance, as measured'),
    loading_signal_adjusted: defineNumber('the same minus the signal of the reaction without DNA'),
  },
  open,
);

export const ExpressionResult = Type.Object(
  {
    result_type: Type.Literal('expression', { description: shape }),
    ...Row,
    sequence: Sequence,
    yield_ng_per_ul: defineNumber(
      'of the undiluted reaction, in ng/µL, geometric mean of the replicates; null without a value',
    ),
    yield_relation: defineRelation('yield_ng_per_ul'),
    yield_quantity: defineQuantity('`yield_ng_per_ul` with its interval, spread and number of replicates'),
    yield_ug: defineNumber('protein in one reaction volume, in µg; null without a yield'),
    yield_ug_relation: defineRelation('yield_ug'),
    molar_um: defineNumber(
      'the yield in µM, from the molecular mass of the sequence; null where either is unknown',
    ),
    molar_um_relation: defineRelation('molar_um'),
    expression_class: Nullable(OneOf(['none', 'low', 'medium', 'high']), {
      description: 'low to 20 ng/µL, medium to 100, unless the settings say otherwise; null without a yield',
    }),
    expressed: Nullable(Type.Boolean(), {
      description: 'whether it is at least 2 ng/µL; null where the assay cannot tell',
    }),
    lloq: defineNumber(
      'lower limit of quantification, in ng/µL of the undiluted reaction; the highest of its plates',
    ),
    uloq: defineNumber(
      'upper limit of quantification, in ng/µL of the undiluted reaction; the lowest of its plates',
    ),
    quantification: Type.Optional(
      Nullable(OneOf(['bli_capture', 'a280']), {
        description: 'capture on a sensor, or absorbance at 280 nm',
      }),
    ),
    loading_signal: defineNumber('mean of `loading_signal_adjusted` over replicates'),
    nc_adjusted: defineFlag('whether the control without DNA was subtracted'),
    replicates: Type.Array(ExpressionReplicate, { description: 'one entry for each sensor or well' }),
  },
  open,
);
export type ExpressionResult = Static<typeof ExpressionResult>;

export function findExpressionRow({ rows }: Summarized): ExpressionResult | undefined {
  return rows.find((row): row is ExpressionResult => row.result_type === 'expression');
}
