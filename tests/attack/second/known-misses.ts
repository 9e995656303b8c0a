/**
 * The known misses of the analysis: for each family of simulated runs the faults that its results may have, and why. The
 * test of one run per family allows these faults and no others. Remove an entry once its cause is fixed. Intervals that
 * miss by chance alone need no entry, because the test allows for chance.
 */
import type { Fault } from './judge.ts';

export interface KnownMiss {
  readonly family: string;
  readonly faults: readonly Fault[];
  readonly because: string;
}

const ENTRIES: readonly KnownMiss[] = [
  {
    family: 'bli-evaporation',
    faults: ['interval misses', 'kon misses', 'silent miss'],
    because: 'evaporation makes every dose higher than stated, which the curves of one protein do not show',
  },
  {
    family: 'bli-depletion',
    faults: ['interval misses', 'kon misses', 'koff misses', 'silent miss'],
    because: 'the sensor depletes the lowest doses, and analyte that dissociates stays in its well',
  },
  {
    family: 'bli-avidity',
    faults: ['interval misses', 'wrong limit', 'silent miss'],
    because: 'the analyte is a dimer that was ordered as a monomer, so it binds to two sites at once',
  },
  {
    family: 'spr-avidity',
    faults: ['interval misses', 'wrong limit', 'silent miss'],
    because: 'the analyte is a dimer that was ordered as a monomer, so it binds to two sites at once',
  },
  {
    family: 'bli-mistyped-dose',
    faults: ['interval misses', 'kon misses', 'koff misses', 'wrong limit', 'silent miss'],
    because: 'each tip has its own Rmax, which absorbs the error of one wrong dose and shifts kon',
  },
  {
    family: 'bli-smoothed',
    faults: ['kon misses', 'koff misses', 'silent miss'],
    because: 'a moving average rounds the steps and correlates the noise; the wide interval still covers KD',
  },
  {
    family: 'bli-sticky-nonbinder',
    faults: ['false positive'],
    because: 'without a reference sensor, a protein that sticks to every tip looks like a weak binder',
  },
  {
    family: 'spr-mismatch',
    faults: ['kon misses', 'koff misses'],
    because: 'a rounded step of the buffer overlaps the fastest part of association',
  },
  {
    family: 'spr-regeneration',
    faults: ['interval misses', 'kon misses', 'koff misses'],
    because: 'complex that regeneration did not remove continues to dissociate during the next cycle',
  },
  {
    family: 'bli-aggregates',
    faults: ['interval misses', 'kon misses', 'koff misses', 'wrong limit', 'silent miss'],
    because: 'aggregates that stay on the surface look like a second site or a slower dissociation',
  },
  {
    family: 'spr-aggregates',
    faults: ['interval misses', 'kon misses', 'koff misses'],
    because: 'aggregates that stay on the surface look like a second site or a slower dissociation',
  },
  {
    family: 'spr-clean-single',
    faults: ['interval misses', 'silent miss'],
    because:
      'the last injection saturates the surface, and the analysis then assumes equilibrium at every injection',
  },
  {
    family: 'melt-ratio-weighs',
    faults: ['interval misses'],
    because:
      'the intensity of both states at 330 nm is only as accurate as the assumption of straight baselines',
  },
  {
    family: 'melt-two-close-domains',
    faults: ['interval misses', 'silent miss'],
    because: 'the fit merges two transitions a few degrees apart into one broad transition',
  },
  {
    family: 'melt-refolded',
    faults: ['interval misses'],
    because: 'a broad step before the first transition bends its baseline more than the interval allows for',
  },
  {
    family: 'melt-aggregating',
    faults: ['interval misses', 'silent miss'],
    because: 'scattered light from aggregates shifts the step of the 350/330 nm ratio',
  },
  {
    family: 'yield-pipetting',
    faults: ['interval misses', 'silent miss', 'wrong limit'],
    because:
      'an error in one step of a serial dilution carries over to all later steps and shifts the standard curve',
  },
  {
    family: 'yield-hook',
    faults: ['interval misses', 'silent miss', 'wrong limit'],
    because: 'one dilution of a sample does not show on which side of the hook effect it lies',
  },
  {
    family: 'light-inner-filter',
    faults: ['interval misses', 'silent miss'],
    because: 'one dilution of a sample does not show that the sample absorbs part of the light',
  },
];

export const KNOWN_MISSES: ReadonlyMap<string, KnownMiss> = new Map(
  ENTRIES.map((entry) => [entry.family, entry]),
);
