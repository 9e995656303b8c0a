/**
 * Fields that the summary rows of assays without a target share. A value that could not be measured is null or a
 * quantity with a relation, never 0.
 */
import { defineText } from '#core/fields.ts';
import { describe, Type, Uuid } from '#core/schema.ts';
import {
  Assessment,
  Flags,
  Comparison,
  Performance,
  Place,
  Plate,
  PositiveControl,
  replicateCounts,
  ReplicateNumber,
  ReplicateOutcome,
  Well,
} from '#features/results/row-fields.ts';
import { SequenceEntry } from '#features/sequences/contract.ts';

export const open = { additionalProperties: true } as const;

export const Replicate = {
  replicate: ReplicateNumber,
  well: Well,
  plate: Plate,
  outcome: ReplicateOutcome,
  flags: Type.Optional(Flags),
};

export const Row = {
  assessment: Type.Optional(Assessment),
  sequence_id: describe(Uuid, 'the sequence that was measured; `get_sequence_info` reads it'),
  sequence_name: defineText('as it was ordered; unique in the experiment'),
  positive_control: PositiveControl,
  place: Place,
  ...replicateCounts,
  performance: Performance,
  comparison: Comparison,
};
export const Sequence = describe(SequenceEntry, 'the sequence that was measured, as it was ordered');
export const shape = 'the shape of the row';

/** A result with its rows. */
export interface Summarized {
  readonly rows: readonly { readonly result_type: string }[];
}
