/**
 * Properties of a protein that follow from its sequence: mass and absorbance at 280 nm. Chains are separated by ':'.
 */

/** Average masses of residues in Da (IUPAC standard atomic weights); water is added once per chain. */
const RESIDUE_MASS_DA: Readonly<Record<string, number>> = {
  G: 57.0513,
  A: 71.0779,
  S: 87.0773,
  P: 97.1152,
  V: 99.1311,
  T: 101.1039,
  C: 103.1429,
  L: 113.1576,
  I: 113.1576,
  N: 114.1026,
  D: 115.0874,
  Q: 128.1292,
  K: 128.1723,
  E: 129.114,
  M: 131.1961,
  H: 137.1393,
  F: 147.1739,
  R: 156.1857,
  Y: 163.1733,
  W: 186.2099,
};
const WATER_DA = 18.0153;

/** Returns the molar mass in Da; null when a letter is not one of the 20 amino acids. */
export function computeMassDa(sequence: string): number | null {
  let sum = 0;
  for (const chain of sequence.split(':')) {
    if (chain === '') return null;
    sum += WATER_DA;
    for (const letter of chain) {
      const residue = RESIDUE_MASS_DA[letter];
      if (residue === undefined) return null;
      sum += residue;
    }
  }
  return sum;
}

/**
 * Returns the molar absorption at 280 nm in 1/(M·cm), 5500 W + 1490 Y + 125 per cystine (Pace et al. 1995). The
 * sequence does not show cystines, so they are given; the default, 0, is a reduced protein.
 */
export function computeExtinction280(sequence: string, cystines = 0): number {
  let value = 125 * cystines;
  for (const letter of sequence) value += letter === 'W' ? 5500 : letter === 'Y' ? 1490 : 0;
  return value;
}

/**
 * Returns the number of disulfides when as many cysteines as possible are paired, within a chain or across chains.
 */
export function countPairedCystines(sequence: string): number {
  return Math.floor((sequence.match(/C/g)?.length ?? 0) / 2);
}

/**
 * Converts an absorbance at 280 nm to ng/µL (= µg/mL); null for a protein without W and Y, which does not absorb at
 * 280 nm.
 */
export function computeConcentrationA280(
  absorbance: number,
  protein: { sequence: string; cystines?: number; pathCm?: number },
): number | null {
  if (!/[WY]/.test(protein.sequence)) return null;
  const mass = computeMassDa(protein.sequence);
  if (mass === null) return null;
  const molar =
    absorbance / (computeExtinction280(protein.sequence, protein.cystines) * (protein.pathCm ?? 1));
  return molar * mass * 1e3;
}
