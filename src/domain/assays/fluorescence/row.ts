/** The summary row of fluorescence. */
import { Type, type Static } from '#core/schema.ts';
import { SequenceEntry } from '#domain/sequences/contract.ts';
import { number, open, quantity, Replicate, Row, text } from '../row.ts';
import type { Summarized } from '../row.ts';

const FluorescenceReplicate = Type.Object(
  {
    ...Replicate,
    raw: number,
    intensity: number,
    intensity_relation: text,
    normalized_to_control: number,
    normalized_to_control_relation: text,
    saturated: Type.Optional(Type.Boolean()),
  },
  open,
);

export const FluorescenceResult = Type.Object(
  {
    result_type: Type.Literal('fluorescence'),
    ...Row,
    sequence: SequenceEntry,
    intensity: number,
    intensity_relation: text,
    intensity_quantity: quantity,
    intensity_unit: text,
    normalized_to_control: number,
    normalized_to_control_relation: text,
    normalized_quantity: quantity,
    log2_fold: number,
    log2_fold_relation: text,
    cv_pct: number,
    ex_nm: number,
    em_nm: number,
    gain: number,
    z_prime_plate: number,
    saturated: Type.Boolean(),
    replicates: Type.Array(FluorescenceReplicate),
  },
  open,
);
export type FluorescenceResult = Static<typeof FluorescenceResult>;

export function fluorescenceRow({ summary }: Summarized): FluorescenceResult | undefined {
  return summary.find((row): row is FluorescenceResult => row.result_type === 'fluorescence');
}
