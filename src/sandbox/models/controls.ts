/** The controls that the simulated lab puts on every plate. Their truth is fixed: no seed, no scatter, no failure. */
import type { Truth } from './truth.ts';

const WELL_EXPRESSED_NG_PER_UL = 60;

/**
 * Cetuximab scFv: KD 6.6 nM, the mean published for it in an EGFR design round. kon is in the range of its
 * published replicates (3.8e5 and 1.5e6 per M and s) and koff follows from the two.
 */
export const POSITIVE_CONTROL_NAME = 'Cetuximab scFv';
export const POSITIVE_CONTROL_TRUTH: Truth = {
  expressed: true,
  yieldNgPerUl: WELL_EXPRESSED_NG_PER_UL,
  binds: true,
  strength: 'strong',
  kdM: 6.6e-9,
  konPerMS: 3e5,
  koffPerS: 6.6e-9 * 3e5,
  tmC: 72,
  unfoldingEnthalpyKcalPerMol: 180,
  failure: null,
};

/** The positive control after it was spoiled: it dissociates twenty times faster, so its KD misses the known one. */
export const SPOILED_POSITIVE_CONTROL_TRUTH: Truth = {
  ...POSITIVE_CONTROL_TRUTH,
  kdM: 20 * 6.6e-9,
  koffPerS: 20 * 6.6e-9 * 3e5,
};

/** A well-expressed scaffold that binds nothing; the response threshold is derived from it. */
export const NEGATIVE_CONTROL_TRUTH: Truth = {
  expressed: true,
  yieldNgPerUl: WELL_EXPRESSED_NG_PER_UL,
  binds: false,
  strength: 'none',
  kdM: null,
  konPerMS: null,
  koffPerS: null,
  tmC: 65,
  unfoldingEnthalpyKcalPerMol: 120,
  failure: null,
};

/** Eight, the minimum for a threshold from median and MAD. */
export const NEGATIVE_CONTROL_NAMES: readonly string[] = Array.from({ length: 8 }, (_, i) => `nc-${i + 1}`);

/** A cell-free reaction without template: nothing is loaded, so any response comes from the lysate. */
export const NO_DNA_CONTROL_NAME = 'no-DNA';
export const NO_DNA_CONTROL_TRUTH: Truth = {
  ...NEGATIVE_CONTROL_TRUTH,
  expressed: false,
  yieldNgPerUl: 0,
};
