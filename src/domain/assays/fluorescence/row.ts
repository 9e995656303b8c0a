/** The summary row of fluorescence. */
import { Type, type Static } from '#core/schema.ts';
import { number, quantity, relation, text } from '#domain/results/row-fields.ts';
import { open, Replicate, Row, Sequence, shape, type Summarized } from '../row.ts';

const FluorescenceReplicate = Type.Object(
  {
    ...Replicate,
    raw: number('as the reader gave it, in the unit of the plate; null where the detector overflowed'),
    intensity: number('minus the mean of the blank wells, in `intensity_unit`; null without a value'),
    intensity_relation: relation('intensity'),
    normalized_to_control: number('1 is as bright as the reference of the plate; null without one'),
    normalized_to_control_relation: relation('normalized_to_control'),
    saturated: Type.Optional(Type.Boolean({ description: 'whether the detector was saturated' })),
  },
  open,
);

export const FluorescenceResult = Type.Object(
  {
    result_type: Type.Literal('fluorescence', { description: shape }),
    ...Row,
    sequence: Sequence,
    intensity: number(
      'minus the blank, in `intensity_unit`, mean of the replicates; null where readings differ in gain or wavelength',
    ),
    intensity_relation: relation('intensity'),
    intensity_quantity: quantity('`intensity` with its interval and number of replicates'),
    intensity_unit: text('unit of the reader, such as RFU'),
    normalized_to_control: number(
      '(F − blank)/(reference − blank): 1 is as bright as the reference; null without one',
    ),
    normalized_to_control_relation: relation('normalized_to_control'),
    normalized_quantity: quantity('`normalized_to_control` with its interval and number of replicates'),
    log2_fold: number('log2 of `normalized_to_control`; null for a limit'),
    log2_fold_relation: relation('log2_fold'),
    cv_pct: number('coefficient of variation over replicates, in percent; null below two'),
    ex_nm: number('wavelength of excitation in nm; null where the plates differ'),
    em_nm: number('wavelength of emission in nm; null where the plates differ'),
    gain: number('setting of the detector, without unit; null where the plates differ'),
    z_prime_plate: number('Z′ of reference against dark control, lowest of its plates; above 0.5 is good'),
    saturated: Type.Boolean({ description: 'whether the detector was saturated in any replicate' }),
    replicates: Type.Array(FluorescenceReplicate, { description: 'each well' }),
  },
  open,
);
export type FluorescenceResult = Static<typeof FluorescenceResult>;

export function fluorescenceRow({ summary }: Summarized): FluorescenceResult | undefined {
  return summary.find((row): row is FluorescenceResult => row.result_type === 'fluorescence');
}
