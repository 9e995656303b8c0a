/** Assigns samples, controls and reference sensors of an experiment to the wells of 96-well plates. */
import {
  NEGATIVE_CONTROL_NAMES,
  NEGATIVE_CONTROL_TRUTH,
  NO_DNA_CONTROL_NAME,
  NO_DNA_CONTROL_TRUTH,
  POSITIVE_CONTROL_NAME,
} from './controls.ts';
import type { Truth } from './truth.ts';

export type Role = 'sample' | 'reference' | 'positive_control' | 'negative_control';

const WELLS_PER_PLATE = 96;
const ROWS = 'ABCDEFGH';

export interface Dip {
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
  return distinct.map((nm) => Number((nm * 1e-9).toPrecision(12)));
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
