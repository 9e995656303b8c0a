/** Mass and absorbance of a protein from its sequence. */
import type { Random } from './random.ts';

/** Average masses of residues in Da. */
const RESIDUE_DA: Readonly<Record<string, number>> = {
  A: 71.0788,
  R: 156.1875,
  N: 114.1038,
  D: 115.0886,
  C: 103.1388,
  E: 129.1155,
  Q: 128.1307,
  G: 57.0519,
  H: 137.1411,
  I: 113.1594,
  L: 113.1594,
  K: 128.1741,
  M: 131.1926,
  F: 147.1766,
  P: 97.1167,
  S: 87.0782,
  T: 101.1051,
  W: 186.2132,
  Y: 163.176,
  V: 99.1326,
};
const WATER_DA = 18.0153;

export function computeMassDa(sequence: string): number {
  return sequence.split('').reduce((sum, residue) => sum + (RESIDUE_DA[residue] ?? Number.NaN), WATER_DA);
}

/** Computes the molar absorbance at 280 nm from tryptophan and tyrosine, in 1/(M cm). */
export function computeAbsorbance280(sequence: string): number {
  const count = (residue: string) => sequence.split(residue).length - 1;
  return 5500 * count('W') + 1490 * count('Y');
}

/** Draws a sequence without cysteine, with at least two tryptophans. */
export function drawSequence(random: Random): string {
  const residues = 'ARNDEQGHILKMFPSTVYWVLAEGKS'.split('');
  const length = random.integer(80, 260);
  const rest = Array.from({ length }, () => random.pick(residues)).join('');
  return `M${rest}WKW`;
}
