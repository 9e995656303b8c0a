/** What the controls of a run showed on each plate, for the control charts of the lab. */
import type { Quantity } from '#analysis/quantities/quantity.ts';
import { RELATION_RULES, type RelationCase } from '#core/relations.ts';
import type { ControlQuantity } from '#features/controls/rules.ts';

export interface ControlValue {
  readonly control: string;
  readonly role: 'positive_control' | 'negative_control';
  readonly quantity: ControlQuantity;
  /** The decimal logarithm of a KD in M, a Tm in °C, or a signal in the unit beside it. */
  readonly value: number;
  readonly unit: string;
  readonly plate: string;
  readonly nReplicates: number;
}

interface Replicate {
  readonly plate: string;
}

interface Analysis<One extends Replicate> {
  readonly controls: readonly {
    readonly sample: string;
    readonly role: string;
    readonly replicates: readonly One[];
  }[];
}

/** A value of one replicate; null where it has none that a chart can show. */
type Read<One> = (replicate: One) => number | null;

interface Charted<One> {
  readonly quantity: ControlQuantity;
  readonly unit: string;
  readonly read: Read<One>;
}

/**
 * Returns the mean over the replicates of each control on each plate. The first quantity that any of them has is
 * taken, so that a negative control without a KD still has its signal.
 */
export function collectControlValues<One extends Replicate>(
  { controls }: Analysis<One>,
  charted: readonly Charted<One>[],
): ControlValue[] {
  return controls.flatMap(({ sample, role, replicates }) => {
    if (role !== 'positive_control' && role !== 'negative_control') return [];
    const groups = [...Map.groupBy(replicates, ({ plate }) => plate)];
    return groups.flatMap(([plate, same]): ControlValue[] => {
      for (const { quantity, unit, read } of charted) {
        const values = same.flatMap((replicate) => read(replicate) ?? []).filter(Number.isFinite);
        if (values.length === 0) continue;
        const value = values.reduce((sum, each) => sum + each, 0) / values.length;
        return [{ control: sample, role, quantity, value, unit, plate, nReplicates: values.length }];
      }
      return [];
    });
  });
}

/**
 * Returns the value of a measured quantity; null for a limit or an estimate, which has no place on a chart. The control
 * that missed its known value was measured all the same, and its chart is there to show it.
 */
export function readMeasured(quantity: Quantity | null): number | null {
  if (quantity === null) return null;
  const isMeasured =
    quantity.relation === RELATION_RULES.measured.relation || quantity.because === CONTROL_MISSED;
  return isMeasured ? quantity.value : null;
}

const CONTROL_MISSED: RelationCase = 'control_missed';

export const LOG10_MOLAR = 'log10 M';

/** A KD scatters by factors, so it is charted as its logarithm. */
export function readLog10(kd: Quantity | null): number | null {
  const value = readMeasured(kd);
  return value === null ? null : Math.log10(value);
}
