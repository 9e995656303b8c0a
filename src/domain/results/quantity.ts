import { RELATIONS } from '#core/relations.ts';
import { Nullable, OneOf, Type, type Static } from '#core/schema.ts';

export const KineticInterval = Type.Object({
  value: Type.Number(),
  ci_low: Type.Optional(Nullable(Type.Number())),
  ci_high: Type.Optional(Nullable(Type.Number())),
});

/** A measured number with everything needed to trust it; `relation` is `=`, or `<`, `>`, `~` for a limit. */
export const Quantity = Type.Object({
  value: Nullable(Type.Number()),
  unit: Type.String(),
  relation: OneOf(RELATIONS),
  ci95_low: Nullable(Type.Number()),
  ci95_high: Nullable(Type.Number()),
  log10_sd: Nullable(Type.Number()),
  n: Type.Integer(),
});
export type Quantity = Static<typeof Quantity>;
