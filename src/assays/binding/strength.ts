/** The strength class of a binder in words. */
import { findStrengthRange } from '#core/binding-strength.ts';
import type { Relation } from '#core/relations.ts';

interface Classed {
  readonly outcome: string;
  readonly quantities: Readonly<
    Record<
      string,
      | {
          readonly value: number | null;
          readonly relation: Relation;
          readonly ci95_low: number | null;
          readonly ci95_high: number | null;
        }
      | undefined
    >
  >;
}

/** Names both classes where the interval of KD reaches from one into another, or else the class `stated`. */
export function formatStrength({ outcome, quantities }: Classed, stated = 'unknown'): string {
  const range = outcome === 'measured' ? findStrengthRange(quantities.kd) : undefined;
  return range === undefined || range[0] === range[1] ? stated : `${range[0]} to ${range[1]}`;
}
