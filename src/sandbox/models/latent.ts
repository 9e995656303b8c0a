/**
 * Latent properties of a sequence: a score z ~ N(0, 1) per property, which is the sum of seeded weights of its 3-mers.
 *
 * Neighbors in sequence space are neighbors in z: one substitution touches at most three 3-mers of about n, so
 * it moves z by about √(6/n) (0.22 for 120 residues). Only one 3-mer in six carries a large weight, the way
 * a few hot-spot residues carry most of a binding energy, so that most single substitutions move z by less.
 */
import { createRandomSource } from './random.ts';

export type LatentProperty = 'expression' | 'stability' | 'association' | 'binding' | 'brightness';

const ALPHABET = 'ACDEFGHIKLMNPQRSTVWY';
const LETTERS = ALPHABET.length;
const KMERS = LETTERS ** 3;
const HOT_SPOT_FRACTION = 1 / 6;
const CACHED_TABLES_MAX = 64;

const letterIndex = new Int8Array(128).fill(-1);
for (let i = 0; i < LETTERS; i += 1) letterIndex[ALPHABET.charCodeAt(i)] = i;

const tables = new Map<string, Float64Array>();

/**
 * Computes the score of a sequence for one property, N(0, 1) over random sequences. * `context` separates worlds
 * that have nothing to do with one another: the target id for binding, '' otherwise. Chains are separated by ':'; no
 * 3-mer spans two chains. Characters outside the 20 amino acids are skipped.
 */
export function computeLatentScore(sequence: string, property: LatentProperty, context = ''): number {
  const weights = getWeightTable(property, context);
  const counts = countKmers(sequence);
  let sum = 0;
  let squares = 0;
  for (const [kmer, count] of counts) {
    sum += count * (weights[kmer] ?? 0);
    squares += count * count;
  }
  // Σ count² equals n when no 3-mer repeats; with repeats the division keeps the variance of z at 1.
  return squares === 0 ? 0 : sum / Math.sqrt(squares);
}

/**
 * Upper case, without blanks and without a final stop sign, so that two spellings of one sequence share their truth.
 */
export function toCanonicalSequence(sequence: string): string {
  return sequence.replace(/\s+/g, '').toUpperCase().replace(/\*$/, '');
}

function countKmers(sequence: string): Map<number, number> {
  const counts = new Map<number, number>();
  let first = -1;
  let second = -1;
  for (let i = 0; i < sequence.length; i += 1) {
    const third = letterIndex[sequence.charCodeAt(i)] ?? -1;
    if (first >= 0 && second >= 0 && third >= 0) {
      const kmer = (first * LETTERS + second) * LETTERS + third;
      counts.set(kmer, (counts.get(kmer) ?? 0) + 1);
    }
    first = second;
    second = third;
  }
  return counts;
}

function getWeightTable(property: LatentProperty, context: string): Float64Array {
  const key = `${property}\n${context}`;
  const cached = tables.get(key);
  if (cached !== undefined) return cached;
  const random = createRandomSource('latent', property, context);
  const table = new Float64Array(KMERS);
  for (let i = 0; i < KMERS; i += 1) {
    table[i] = random.drawUniform() < HOT_SPOT_FRACTION ? random.drawNormal() : 0;
  }
  centerTable(table);
  const oldest = tables.keys().next();
  if (tables.size >= CACHED_TABLES_MAX && oldest.done !== true) tables.delete(oldest.value);
  tables.set(key, table);
  return table;
}

/**
 * Removes all main effects and pair effects from the weights and scales them to variance 1.
 *
 * The remainder is pure three-way interaction: without it the mean weight alone would shift z by 0.1 for 120
 * residues, and the amino-acid composition would decide whether a target's designs bind.
 */
function centerTable(table: Float64Array): void {
  for (const stride of [1, LETTERS, LETTERS * LETTERS]) {
    for (let start = 0; start < KMERS; start += 1) {
      if (Math.floor(start / stride) % LETTERS !== 0) continue;
      let sum = 0;
      for (let k = 0; k < LETTERS; k += 1) sum += table[start + k * stride] ?? 0;
      for (let k = 0; k < LETTERS; k += 1) {
        table[start + k * stride] = (table[start + k * stride] ?? 0) - sum / LETTERS;
      }
    }
  }
  let squares = 0;
  for (const weight of table) squares += weight * weight;
  const scale = Math.sqrt(KMERS / squares);
  for (let i = 0; i < KMERS; i += 1) table[i] = (table[i] ?? 0) * scale;
}
