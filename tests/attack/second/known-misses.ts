/**
 * How the small sample may mislead: family, fault, and why. They are permitted, not wanted: remove an entry when its
 * cause is mended. Misses of intervals by chance alone are not listed; the test allows for them.
 */
import type { Fault } from './judge.ts';

export interface KnownMiss {
  readonly family: string;
  readonly faults: readonly Fault[];
  readonly because: string;
}

const LISTED: readonly KnownMiss[] = [
  {
    family: 'bli-evaporation',
    faults: ['interval misses', 'kon misses', 'silent miss'],
    because: 'all doses are higher than stated, which the curves of one protein do not show',
  },
  {
    family: 'bli-depletion',
    faults: ['interval misses', 'kon misses', 'koff misses', 'silent miss'],
    because: 'the lowest doses are eaten up by the sensor, and released analyte stays in its well',
  },
  {
    family: 'bli-avidity',
    faults: ['interval misses', 'wrong limit', 'silent miss'],
    because: 'a dimer that was ordered as a monomer binds by both arms',
  },
  {
    family: 'spr-avidity',
    faults: ['interval misses', 'wrong limit', 'silent miss'],
    because: 'a dimer that was ordered as a monomer binds by both arms',
  },
  {
    family: 'bli-mistyped-dose',
    faults: ['interval misses', 'kon misses', 'koff misses', 'wrong limit', 'silent miss'],
    because: 'each tip has an Rmax of its own, so one wrong dose hides in its Rmax and pulls kon',
  },
  {
    family: 'bli-smoothed',
    faults: ['kon misses', 'koff misses', 'silent miss'],
    because: 'a moving average rounds the steps and correlates the noise; the wide interval still covers KD',
  },
  {
    family: 'bli-sticky-nonbinder',
    faults: ['false find'],
    because: 'without a reference sensor what sticks to every tip looks like weak binding',
  },
  {
    family: 'spr-mismatch',
    faults: ['kon misses', 'koff misses'],
    because: 'a rounded step of the buffer overlaps the fastest part of association',
  },
  {
    family: 'spr-regeneration',
    faults: ['interval misses', 'kon misses', 'koff misses'],
    because: 'complex that regeneration leaves goes on dissociating under the next cycle',
  },
  {
    family: 'bli-aggregates',
    faults: ['interval misses', 'kon misses', 'koff misses', 'wrong limit', 'silent miss'],
    because: 'deposits that stay look like a second site or a slower dissociation',
  },
  {
    family: 'spr-aggregates',
    faults: ['interval misses', 'kon misses', 'koff misses'],
    because: 'deposits that stay look like a second site or a slower dissociation',
  },
  {
    family: 'spr-clean-single',
    faults: ['interval misses', 'silent miss'],
    because: 'a saturated last injection is taken for equilibrium at every injection',
  },
  {
    family: 'melt-ratio-weighs',
    faults: ['interval misses'],
    because: 'the brightness of both states is known only as well as their baselines at 330 nm are straight',
  },
  {
    family: 'melt-two-close-domains',
    faults: ['interval misses', 'silent miss'],
    because: 'two transitions a few degrees apart are fitted as one broad one',
  },
  {
    family: 'melt-refolded',
    faults: ['interval misses'],
    because: 'a broad step before the first bends its baseline more than the interval allows for',
  },
  {
    family: 'melt-aggregating',
    faults: ['interval misses', 'silent miss'],
    because: 'light that aggregates scatter shifts the step of the ratio',
  },
  {
    family: 'yield-pipetting',
    faults: ['interval misses', 'silent miss', 'wrong limit'],
    because: 'an error of a serial dilution is carried on, and the curve goes with it',
  },
  {
    family: 'yield-hook',
    faults: ['interval misses', 'silent miss', 'wrong limit'],
    because: 'one dilution of a sample does not show on which side of a hook it lies',
  },
  {
    family: 'light-inner-filter',
    faults: ['interval misses', 'silent miss'],
    because: 'one dilution of a sample does not show that its own absorbance takes light away',
  },
];

export const KNOWN_MISSES: ReadonlyMap<string, KnownMiss> = new Map(
  LISTED.map((known) => [known.family, known]),
);
