/** The strength classes of binders, by KD. */
import type { Relation } from './relations.ts';

export type BindingStrength = 'strong' | 'medium' | 'weak' | 'none';

/** Upper KD limits of the classes, in M. */
const STRENGTH_LIMITS_M = { strong: 50e-9, medium: 1e-6, weak: 10e-6 } as const;

export function classifyKd(kdM: number): BindingStrength {
  if (kdM < STRENGTH_LIMITS_M.strong) return 'strong';
  if (kdM < STRENGTH_LIMITS_M.medium) return 'medium';
  return kdM <= STRENGTH_LIMITS_M.weak ? 'weak' : 'none';
}

interface Bounded {
  readonly value: number | null;
  readonly relation: Relation;
  readonly ci95_low: number | null;
  readonly ci95_high: number | null;
}

/**
 * Returns the classes of both ends of what a KD may be, the stronger first; an end that is unknown has that of the
 * value. Undefined where nothing bounds the class.
 */
export function findStrengthRange(kd: Bounded | undefined): [BindingStrength, BindingStrength] | undefined {
  if (kd === undefined || kd.value === null || kd.relation === '>') return undefined;
  const low = kd.relation === '<' ? 0 : (kd.ci95_low ?? kd.value);
  const high = kd.relation === '<' ? kd.value : (kd.ci95_high ?? kd.value);
  return [classifyKd(Math.min(low, kd.value)), classifyKd(Math.max(high, kd.value))];
}
