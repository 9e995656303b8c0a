/** Sequences as clients send them: random residues in natural frequencies, the same on every run. */

/** Occurrence in percent over known proteins (UniProtKB/Swiss-Prot statistics), rounded. */
const FREQUENCIES: Readonly<Record<string, number>> = {
  A: 8.3,
  R: 5.5,
  N: 4.1,
  D: 5.5,
  C: 1.4,
  Q: 3.9,
  E: 6.7,
  G: 7.1,
  H: 2.3,
  I: 5.9,
  L: 9.7,
  K: 5.8,
  M: 2.4,
  F: 3.9,
  P: 4.7,
  S: 6.6,
  T: 5.4,
  W: 1.1,
  Y: 2.9,
  V: 6.9,
};
const BAG = Object.entries(FREQUENCIES)
  .map(([letter, percent]) => letter.repeat(Math.round(percent * 10)))
  .join('');

/** Deterministic numbers in [0, 1) (mulberry32). */
export function createUniforms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function drawResidues(length: number, uniform: () => number): string {
  let text = '';
  while (text.length < length) text += BAG.charAt(Math.floor(uniform() * BAG.length));
  return text;
}

/** Nothing about it is worth a warning, so that every rule about sequences has to look at all of it. */
export function removeRemarkable(residues: string): string {
  const plain = residues.replaceAll('N', 'Q').replaceAll('C', 'S').replaceAll(/D[GP]/g, 'EA');
  return `M${plain.slice(1, -1)}W`;
}

export function createDesigns(count: number, length: number, seed: number): Record<string, string> {
  const uniform = createUniforms(seed);
  const entries = Array.from({ length: count }, (_, index) => {
    return [`design-${index + 1}`, drawResidues(length, uniform)] as const;
  });
  return Object.fromEntries(entries);
}
