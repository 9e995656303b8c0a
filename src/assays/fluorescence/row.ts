/** The summary row of fluorescence. */
import { defineText } from '#core/fields.ts';
import { Type, type Static } from '#core/schema.ts';
import { defineNumber, defineQuantity, defineRelation } from '#features/results/row-fields.ts';
import { open, Replicate, Row, Sequence, shape, type Summarized } from '../row.ts';

const FluorescenceReplicate = Type.Object(
  {
    ...Replicate,
    raw: defineNumber('as the reader gave it, in the unit of the plate; null where the detector overflowed'),
    intensity: defineNumber('minus the mean of the blank wells, in `intensity_unit`; null without a value'),
    intensity_relation: defineRelation('intensity'),
    normalized_to_control: defineNumber('1 is as bright as the reference of the plate; null without one'),
    normalized_to_control_relation: defineRelation('normalized_to_control'),
    saturated: Type.Optional(Type.Boolean({ description: 'whether the detector was saturated' })),
  },
  open,
);

export const FluorescenceResult = Type.Object(
  {
    result_type: Type.Literal('fluorescence', { description: shape }),
    ...Row,
    sequence: Sequence,
    intensity: defineNumber(
      'minus the blank, in `intensity_unit`, mean of the replicates; null where readings differ in gain or wavelength',
    ),
    intensity_relation: defineRelation('intensity'),
    intensity_quantity: defineQuantity('`intensity` with its interval and number of replicates'),
    intensity_unit: defineText('unit of the reader, such as RFU'),
    normalized_to_control: defineNumber(
      '(F − blank)/(reference − blank): 1 is as bright as the reference; null without one',
    ),
    normalized_to_control_relation: defineRelation('normalized_to_control'),
    normalized_quantity: defineQuantity('`normalized_to_control` with its interval and number of replicates'),
    log2_fold: defineNumber('log2 of `normalized_to_control`; null for a limit'),
    log2_fold_relation: defineRelation('log2_fold'),
    cv_pct: defineNumber('coefficient of variation over replicates, in percent; null below two'),
    ex_nm: defineNumber('wavelength of excitation in nm; null where the plates differ'),
    em_nm: defineNumber('wavelength of emission in nm; null where the plates differ'),
    gain: defineNumber('setting of the detector, without unit; null where the plates differ'),
    z_prime_plate: defineNumber(
      'Z′ of reference against dark control, lowest of its plates; above 0.5 is good',
    ),
    saturated: Type.Boolean({ description: 'whether the detector was saturated in any replicate' }),
    replicates: Type.Array(FluorescenceReplicate, { description: 'each well' }),
  },
  open,
);
export type FluorescenceResult = Static<typeof FluorescenceResult>;

export function findFluorescenceRow({ rows }: Summarized): FluorescenceResult | undefined {
  return rows.find((row): row is FluorescenceResult => row.result_type === 'fluorescence');
}
