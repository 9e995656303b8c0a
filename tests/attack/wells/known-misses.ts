/** Limits that are missed today, as measured over 60 to 100 runs, and why. The test of the sample permits these and no others. */
import type { OutcomeName } from './family.ts';

export interface KnownMiss {
  readonly family: string;
  readonly outcome: OutcomeName;
  /** The measured share; for `kept` and `all_found` the share that is. */
  readonly share: number;
  readonly cause: string;
}

const UNNAMED_RATIO =
  'a table that names no channel is read as a dye, so nobody knows that it holds a ratio, whose midpoint the brightness moves; it would take the name of the channel';

export const KNOWN_MISSES: readonly KnownMiss[] = [
  {
    family: 'irreversible',
    outcome: 'interval_miss',
    share: 0.09,
    cause:
      'a step that is steeper on one side is fitted as unfolding in equilibrium; its skew is in the interval only as far as one linearization reaches',
  },
  { family: 'ratio_brightness_shift', outcome: 'interval_miss', share: 0.12, cause: UNNAMED_RATIO },
  { family: 'ratio_brightness_shift', outcome: 'silent_miss', share: 0.025, cause: UNNAMED_RATIO },
  {
    family: 'edge_gradient',
    outcome: 'intensity_interval_miss',
    share: 0.16,
    cause: 'the effect of places is told but is in no interval of an intensity',
  },
];
