import { RELATIONS } from '#core/relations.ts';
import { Nullable, OneOf, Type, type Static } from '#core/schema.ts';

export const KineticInterval = Type.Object({
  value: Type.Number({ description: 'in the unit of the field that holds it' }),
  ci_low: Type.Optional(
    Nullable(Type.Number(), {
      description: 'lower end of the 95 % interval; null where it is open or unknown',
    }),
  ),
  ci_high: Type.Optional(
    Nullable(Type.Number(), {
      description: 'upper end of the 95 % interval; null where it is open or unknown',
    }),
  ),
});

/**
 * A measured number with its interval and replicates; `relation` is `=`, or `<`, `>` for a limit, `~` for an
 * estimate.
 */
export const Quantity = Type.Object({
  value: Nullable(Type.Number(), { description: 'in `unit`; null where there is none, never 0 for that' }),
  unit: Type.String({ description: 'unit of value and interval, such as M, 1/s or °C; empty for a ratio' }),
  relation: OneOf(RELATIONS, {
    description: '= measured, < or > a limit of the assay, ~ an estimate not to be compared',
  }),
  ci95_low: Nullable(Type.Number(), {
    description: 'lower end of the 95 % interval; null for a limit and where it is open or unknown',
  }),
  ci95_high: Nullable(Type.Number(), {
    description: 'upper end of the 95 % interval; null for a limit and where it is open or unknown',
  }),
  log10_sd: Nullable(Type.Number(), {
    description: 'standard deviation (n − 1) of log10 over replicates; null below two',
  }),
  n: Type.Integer({ description: 'replicates behind the value' }),
});
export type Quantity = Static<typeof Quantity>;
