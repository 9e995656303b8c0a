/** Assigns samples, controls and reference sensors of an experiment to the wells of 96-well plates. */
import { toMolar } from '#core/number-words.ts';
import type { Truth } from './truth.ts';

type Role = 'sample' | 'reference' | 'positive_control' | 'negative_control';

const WELLS_PER_PLATE = 96;
const ROWS = 'ABCDEFGH';

interface Dip {
  role: Role;
  /** Name of the sample loaded on the sensor; empty on a reference sensor. */
  sample: string;
  replicate: number;
  concentrationM: number;
  /** Null if nothing is loaded. */
  truth: Truth | null;
}

export interface PlacedDip extends Dip {
  well: string;
}

export interface PlateLayout {
  /** `P1`, `P2`, … */
  name: string;
  dips: PlacedDip[];
}

/** One independently prepared sample: it takes one well per concentration, all on one plate. */
export interface Preparation {
  sample: string;
  replicate: number;
  truth: Truth;
}

/** Returns the concentrations in M, highest first, each once, with buffer at the end. */
export function listConcentrations(concentrationsNm: readonly number[]): number[] {
  if (concentrationsNm.some((value) => !Number.isFinite(value) || value < 0)) {
    throw new RangeError('A concentration is a number of nM, zero or more.');
  }
  const distinct = [...new Set([...concentrationsNm, 0])].sort((a, b) => b - a);
  // Without rounding, 316.2 nM would print as 3.1620000000000003e-7.
  return distinct.map(toMolar);
}

/**
 * Every plate has the same controls; preparations follow in order until the plate is full. If one preparation and the
 * controls exceed 96 wells, the sensors are moved to fresh wells under the names already used.
 */
export function layOut(
  preparations: readonly Preparation[],
  concentrationsM: readonly number[],
  positiveControl: Truth,
): PlateLayout[] {
  const controls = listControlDips(concentrationsM, positiveControl);
  const room = WELLS_PER_PLATE - controls.length;
  const perPlate = Math.max(1, Math.floor(room / concentrationsM.length));
  const plates: PlateLayout[] = [];
  for (let start = 0; start < preparations.length; start += perPlate) {
    const samples = preparations
      .slice(start, start + perPlate)
      .flatMap((preparation) =>
        concentrationsM.map((concentrationM): Dip => ({ role: 'sample', ...preparation, concentrationM })),
      );
    plates.push({
      name: `P${plates.length + 1}`,
      dips: [...controls, ...samples].map((dip, i) => ({ ...dip, well: formatWellName(i) })),
    });
  }
  return plates;
}

/** Returns the name A01, B01, … H01, A02, … H12, then again from A01. */
export function formatWellName(index: number): string {
  const within = index % WELLS_PER_PLATE;
  const column = String(Math.floor(within / ROWS.length) + 1).padStart(2, '0');
  return `${ROWS[within % ROWS.length] ?? ''}${column}`;
}

/**
 * References and the positive control are measured over the whole series; the negative controls only in buffer and at
 * the highest concentration, where the response threshold is determined.
 */
function listControlDips(concentrationsM: readonly number[], positiveControl: Truth): Dip[] {
  const dips: Dip[] = [];
  for (const concentrationM of concentrationsM) {
    dips.push({ role: 'reference', sample: '', replicate: 1, concentrationM, truth: null });
  }
  for (const concentrationM of concentrationsM) {
    dips.push({
      role: 'positive_control',
      sample: POSITIVE_CONTROL_NAME,
      replicate: 1,
      concentrationM,
      truth: positiveControl,
    });
  }
  const negatives = NEGATIVE_CONTROL_NAMES.map((sample) => ({ sample, truth: NEGATIVE_CONTROL_TRUTH }));
  negatives.push({ sample: NO_DNA_CONTROL_NAME, truth: NO_DNA_CONTROL_TRUTH });
  const highestAndBuffer = [...new Set([Math.max(...concentrationsM), 0])];
  for (const { sample, truth } of negatives) {
    for (const concentrationM of highestAndBuffer) {
      dips.push({ role: 'negative_control', sample, replicate: 1, concentrationM, truth });
    }
  }
  return dips;
}

/** The controls that the simulated lab puts on every plate. Their truth is fixed: no seed, no scatter, no failure. */

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
const NO_DNA_CONTROL_NAME = 'no-DNA';
const NO_DNA_CONTROL_TRUTH: Truth = {
  ...NEGATIVE_CONTROL_TRUTH,
  expressed: false,
  yieldNgPerUl: 0,
};
