/** What a family of the attack is: runs with a known truth, and the judgment of what a client reads. */
import type { AttackRun } from '../analyze-run.ts';

export interface Truth {
  /** Name of the sequence that is judged. */
  readonly sequence: string;
  /** The quantity of the record that is judged. */
  readonly quantity: 'tm' | 'yield_ng_per_ul' | 'normalized_to_control';
  /** Null: nothing is there to measure. */
  readonly value: number | null;
  readonly tolerance: { readonly kind: 'absolute' | 'relative'; readonly by: number };
  /** Every transition in °C, ascending. */
  readonly all?: readonly number[];
  /** Intensity above the blank, in RFU. */
  readonly intensity?: number;
  /** What was drawn, for reading a replayed run. */
  readonly facts: Readonly<Record<string, number | string | null>>;
}

/** What the judge reads of an analyzed run; an `AttackResult` is one. */
export interface JudgedResult {
  readonly results: ReadonlyMap<
    string,
    {
      readonly outcome: string;
      readonly summary: readonly object[];
      readonly record: Readonly<Record<string, unknown>>;
    }
  >;
}

export interface SimulatedRun {
  readonly run: AttackRun;
  readonly truth: Truth;
}

export const OUTCOMES = [
  'interval_miss',
  'second_interval_miss',
  'third_interval_miss',
  'intensity_interval_miss',
  'silent_miss',
  'false_firm',
  'wrong_limit',
  'untold',
  'kept',
  'all_found',
  'refused',
] as const;
export type OutcomeName = (typeof OUTCOMES)[number];

/** Whether each outcome happened in this run; an outcome that could not happen is left out. */
export type Judgment = Partial<Readonly<Record<OutcomeName, boolean>>>;

export interface Limit {
  readonly share: number;
  /** `most`: the share may not be above; `least`: it may not be below. */
  readonly side: 'most' | 'least';
}
export type Limits = Partial<Readonly<Record<OutcomeName, Limit>>>;

export interface WellsFamily {
  readonly name: string;
  readonly limits: Limits;
  simulate(seed: number): SimulatedRun;
  judge(result: JudgedResult | Error, truth: Truth): Judgment;
}

/** Limits of every family: intervals that miss, silent misses, wrong bounds. */
const COMMON: Limits = {
  interval_miss: { share: 0.05, side: 'most' },
  second_interval_miss: { share: 0.05, side: 'most' },
  third_interval_miss: { share: 0.05, side: 'most' },
  silent_miss: { share: 0.005, side: 'most' },
  wrong_limit: { share: 0.05, side: 'most' },
};
const NOTHING_THERE: Limits = { ...COMMON, false_firm: { share: 0.005, side: 'most' } };

/** A value that is kept in so large a share. */
export function limitKept(share: number): Limits {
  return { ...COMMON, kept: { share, side: 'least' } };
}

export const LIMITS = {
  common: COMMON,
  nothingThere: NOTHING_THERE,
  clean: limitKept(0.9),
  /** A fault that has to be told wherever a firm value is given. */
  toldFault: { ...COMMON, untold: { share: 0.05, side: 'most' } },
} as const satisfies Record<string, Limits>;
