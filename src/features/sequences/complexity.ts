/** Finds regions of low complexity by entropy. */
/**
 * Shannon entropy over 24 residues. Folded proteins stay above 3 bits, helical bundles of five kinds of residue
 * above 2; repeats of two or three kinds fall below 1.9.
 */
const COMPLEXITY_WINDOW = 24;
const COMPLEXITY_BITS_MIN = 1.9;
/** The increase of Σ c log2 c when one more residue of a kind is added to c of them. */
const COUNT_STEPS = Float64Array.from(
  { length: COMPLEXITY_WINDOW + 1 },
  (_, count) => (count + 1) * Math.log2(count + 1) - (count > 0 ? count * Math.log2(count) : 0),
);
/** Entropy of counts c in a window of w is log2 w − Σ c log2 c / w. */
const COUNT_SUM_MAX = COMPLEXITY_WINDOW * (Math.log2(COMPLEXITY_WINDOW) - COMPLEXITY_BITS_MIN);
/** Glycine-serine linkers are simple by design. */
const LINKER = /[GS]{8,}/g;

/** Finds the first window whose entropy is below the limit; O(1) per residue. */
export function findLowEntropyStart(residues: string): number | null {
  const counts = new Uint8Array(128);
  let sum = 0;
  for (let i = 0; i < residues.length; i += 1) {
    const code = residues.charCodeAt(i);
    const count = counts[code] ?? 0;
    counts[code] = count + 1;
    sum += COUNT_STEPS[count] ?? 0;
    const start = i - COMPLEXITY_WINDOW + 1;
    if (start > 0) {
      const left = residues.charCodeAt(start - 1);
      const rest = (counts[left] ?? 0) - 1;
      counts[left] = rest;
      sum -= COUNT_STEPS[rest] ?? 0;
    }
    if (start >= 0 && sum > COUNT_SUM_MAX) return start;
  }
  return null;
}

export function removeLinkers(residues: string): { start: number; residues: string }[] {
  const segments: { start: number; residues: string }[] = [];
  let start = 0;
  for (const match of residues.matchAll(LINKER)) {
    segments.push({ start, residues: residues.slice(start, match.index) });
    start = match.index + match[0].length;
  }
  segments.push({ start, residues: residues.slice(start) });
  return segments;
}
