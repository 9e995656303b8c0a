/**
 * The limits that the analysis of wells misses today, measured over 2,000 runs, and why: none beyond chance. The
 * test of the sample allows these and no others.
 */
import type { OutcomeName } from './family.ts';

export interface KnownMiss {
  readonly family: string;
  readonly outcome: OutcomeName;
  /** The measured share of runs with this outcome; `kept` and `all_found` are wanted, all others are not. */
  readonly share: number;
  readonly cause: string;
}

export const KNOWN_MISSES: readonly KnownMiss[] = [];
