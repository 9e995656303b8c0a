/** Two sequences beside each other: which residues differ, chain by chain. */

/** Scores of a global alignment; a gap costs as much as two exchanges, so that variants stay in register. */
const MATCH = 1;
const MISMATCH = -1;
const GAP = -2;
/** Beyond so many cells a chain is compared position by position. */
const CELLS_MAX = 4_000_000;

export interface Difference {
  readonly kind: 'exchange' | 'insertion' | 'deletion';
  /** Counted from 1 in the chain of `own`; a deletion stands behind this residue, 0 before the first. */
  readonly at: number;
  /** Counted from 1 in the chain of `other`; an insertion stands behind this residue. */
  readonly otherAt: number;
  /** Empty for a deletion. */
  readonly own: string;
  /** Empty for an insertion. */
  readonly other: string;
}

export interface ChainComparison {
  readonly own: string;
  readonly differences: readonly Difference[];
  /** Equal residues over the length of the alignment, from 0 to 1. */
  readonly identity: number;
}

/** Compares chain by chain, in the order in which both name them; a chain that only one has differs as a whole. */
export function compareSequences(own: string, other: string): ChainComparison[] {
  const others = other.split(':');
  return own.split(':').map((chain, index) => compareChains(chain, others[index] ?? ''));
}

/** The equal residues of all chains over their alignments together. */
export function computeIdentity(own: string, other: string): number {
  const chains = compareSequences(own, other);
  const length = chains.reduce((sum, chain) => sum + countColumns(chain), 0);
  const equal = chains.reduce((sum, chain) => sum + chain.identity * countColumns(chain), 0);
  return length === 0 ? 0 : equal / length;
}

const countColumns = ({ own, differences }: ChainComparison): number =>
  own.length + differences.filter(({ kind }) => kind === 'deletion').length;

function compareChains(own: string, other: string): ChainComparison {
  const pairs =
    own.length === other.length && isClose(own, other) ? listPairs(own, other) : alignChains(own, other);
  const differences: Difference[] = [];
  let [at, otherAt] = [0, 0];
  for (const [mine, theirs] of pairs) {
    if (mine !== '') at += 1;
    if (theirs !== '') otherAt += 1;
    if (mine === theirs) continue;
    const kind = mine === '' ? 'deletion' : theirs === '' ? 'insertion' : 'exchange';
    differences.push({ kind, at, otherAt, own: mine, other: theirs });
  }
  return {
    own,
    differences,
    identity: pairs.length === 0 ? 1 : 1 - differences.length / pairs.length,
  };
}

type Pair = readonly [own: string, other: string];

/** Most variants of one length differ by exchanges alone. */
function isClose(own: string, other: string): boolean {
  let different = 0;
  for (let index = 0; index < own.length; index += 1) if (own[index] !== other[index]) different += 1;
  return different <= 0.3 * own.length;
}

function listPairs(own: string, other: string): Pair[] {
  const length = Math.max(own.length, other.length);
  return Array.from({ length }, (_, index): Pair => [own[index] ?? '', other[index] ?? '']);
}

/** Needleman and Wunsch's alignment of whole chains. */
function alignChains(own: string, other: string): Pair[] {
  if (own === '' || other === '' || own.length * other.length > CELLS_MAX) return listPairs(own, other);
  const width = other.length + 1;
  const scores = new Int32Array((own.length + 1) * width);
  const read = (cell: number): number => scores[cell] ?? 0;
  for (let column = 1; column < width; column += 1) scores[column] = GAP * column;
  for (let row = 1; row <= own.length; row += 1) {
    const start = row * width;
    scores[start] = GAP * row;
    for (let column = 1; column < width; column += 1) {
      const above = start + column - width;
      const paired = read(above - 1) + (own[row - 1] === other[column - 1] ? MATCH : MISMATCH);
      scores[start + column] = Math.max(paired, read(above) + GAP, read(start + column - 1) + GAP);
    }
  }
  return traceBack(own, other, read);
}

function traceBack(own: string, other: string, read: (cell: number) => number): Pair[] {
  const width = other.length + 1;
  const pairs: Pair[] = [];
  let [row, column] = [own.length, other.length];
  while (row > 0 || column > 0) {
    const score = read(row * width + column);
    const mine = own[row - 1] ?? '';
    const theirs = other[column - 1] ?? '';
    const diagonal = read((row - 1) * width + column - 1) + (mine === theirs ? MATCH : MISMATCH);
    if (row > 0 && column > 0 && score === diagonal) {
      pairs.push([mine, theirs]);
      row -= 1;
      column -= 1;
    } else if (row > 0 && score === read((row - 1) * width + column) + GAP) {
      pairs.push([mine, '']);
      row -= 1;
    } else {
      pairs.push(['', theirs]);
      column -= 1;
    }
  }
  return pairs.toReversed();
}

/**
 * Finds what a sequence is most likely a variant of: among those of its length, the one with the fewest exchanges, where
 * these are at most `exchangesMax` of 1. The first of equals is taken.
 */
export function findClosest<Item extends { readonly aa_string: string }>(
  own: string,
  others: readonly Item[],
  exchangesMax = 0.3,
): Item | undefined {
  let closest: Item | undefined;
  let least = Math.floor(exchangesMax * own.length) + 1;
  for (const other of others) {
    if (other.aa_string.length !== own.length) continue;
    let exchanges = 0;
    for (let index = 0; index < own.length && exchanges < least; index += 1)
      if (own[index] !== other.aa_string[index]) exchanges += 1;
    if (exchanges < least) [closest, least] = [other, exchanges];
  }
  return closest;
}
