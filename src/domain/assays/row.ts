/** What the summary rows of the assays without a target share. A value that could not be measured is null or a quantity with a relation, never 0. */
import { Nullable, Type, Uuid } from '#core/schema.ts';
import { KineticInterval, Quantity } from '#domain/results/quantity.ts';

export const number = Type.Optional(Nullable(Type.Number()));
export const text = Type.Optional(Nullable(Type.String()));
export const quantity = Type.Optional(Nullable(Quantity));
export const interval = Type.Optional(Nullable(KineticInterval));
export const open = { additionalProperties: true } as const;
const verdicts = Type.Record(Type.String(), Nullable(Type.String()));

export const Replicate = {
  replicate: Type.Integer(),
  well: text,
  plate: text,
  outcome: text,
  flags: Type.Optional(Type.Array(Type.String())),
};

export const Row = {
  sequence_id: Uuid,
  sequence_name: text,
  positive_control: Type.Boolean(),
  place: Type.Optional(Nullable(Type.Integer())),
  performance: verdicts,
};

/** A result with its summary rows. */
export interface Summarized {
  readonly summary: readonly { readonly result_type: string }[];
}
