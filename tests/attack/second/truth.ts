/** What is true of a simulated run, for the judge. */
import type { AttackRun } from '../analyze-run.ts';

export interface Subject {
  readonly name: string;
  /** `drawn` is a value in the unit of the quantity; null where there is nothing to find. */
  readonly quantity: 'kd' | 'tm' | 'yield_ng_per_ul' | 'normalized_to_control';
  readonly truth: { readonly low: number; readonly high: number } | null;
  /** Every transition of a melt in °C, ascending; `truth` is the first. */
  readonly transitionsC?: readonly number[];
  readonly rates?: { readonly konPerMS: number; readonly koffPerS: number };
  /** Whether a sound run of this design must keep its `=`. */
  readonly isSound: boolean;
}

export interface SimulatedRun {
  readonly run: AttackRun;
  readonly subjects: readonly Subject[];
  /** The parameters, for a reader of a replay. */
  readonly story: Readonly<Record<string, unknown>>;
}
