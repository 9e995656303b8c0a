/**
 * How the variants of a published antibody bind: they inherit from their parent, so that an affinity maturation in the
 * sandbox looks as in life. The numbers are made up and say nothing about the molecules themselves.
 *
 * Each change adds its own effect to the score of the parent (additivity: Wells 1990, Biochemistry 29, 8509), drawn once
 * for parent, target, position and residue. Most effects are small; a few contacts carry most of the binding energy, and
 * most of what is changed there harms (hot spots: Clackson and Wells 1995, Science 267, 383). Contacts lie mostly in the
 * loops, which are found by the residues around them (AbM and Kabat: Martin 1996).
 */
import { readFileSync } from 'node:fs';
import { ROOT } from '#core/package-root.ts';
import { readAccessions } from '../seed/catalog.ts';
import { toCanonicalSequence } from './latent.ts';
import { createRandomSource } from './random.ts';

export interface Relative {
  /** The sequence of the published antibody. */
  readonly parent: string;
  /** Whether the antibody was raised against the target; another one does not bind it. */
  readonly isAgainstTarget: boolean;
  /** What the changes add to the score of the parent; zero for itself. One unit is 1.4 decades of KD. */
  readonly effect: number;
}

interface Antibody {
  readonly sequence: string;
  /** UniProt accession; undefined for an antigen outside of the seeded catalog. */
  readonly accession: string | undefined;
  /** Whether each position, colons included, lies in a loop. */
  readonly isInLoop: readonly boolean[];
}

interface Change {
  readonly position: number;
  /** The new residues in place of one of the parent: none for a deletion, several with an insertion. */
  readonly residues: string;
}

const RECORD = /^>\S+ \| target=(\S+)[^\n]*\n([^>]+)/gm;

/** A sequence with more changes, by the length of the parent, is a design of its own. */
const CHANGED_SHARE_MAX = 0.1;

/** Effects of one change on the score, by where it is. */
const CONTACT = { mean: -0.55, sd: 0.5 };
const LOOP = { mean: -0.1, sd: 0.2 };
const FRAMEWORK = { mean: -0.04, sd: 0.1 };
const CONTACT_SHARE = { loop: 1 / 3, framework: 1 / 30 };
/** A residue more or less moves its neighbors, too. */
const GAP_EFFECT = -0.5;

/** First cysteine, tryptophan, second cysteine and the glycines after the third loop, of a heavy chain and a light one. */
const HEAVY = /^(.{17,26}C.{3})(.{5,14}?)(W[VIFYL][RQK][^C]{11})(.{10})(.{20,50}C.)(.{2,30}?)[WR]G.G/;
const LIGHT = /^(.{17,26}C)(.{7,18}?)(W[YFLI][QL][^C]{12})(.{7})(.{20,45}C)(.{3,16}?)FG.G/;

const accessionOf = readAccessions();
let antibodies: readonly Antibody[] | undefined;

/** Finds the published antibody that a canonical sequence is or is made from, seen from a target of the seeded catalog. */
export function findRelative(sequence: string, targetId: string): Relative | undefined {
  const accession = accessionOf.get(targetId);
  if (accession === undefined) return undefined;
  antibodies ??= readAntibodies();
  let nearest: { readonly antibody: Antibody; readonly changes: readonly Change[] } | undefined;
  for (const antibody of antibodies) {
    const changes = listChanges(antibody.sequence, sequence);
    if (changes !== undefined && changes.length < (nearest?.changes.length ?? Infinity))
      nearest = { antibody, changes };
  }
  if (nearest === undefined) return undefined;
  const { antibody, changes } = nearest;
  return {
    parent: antibody.sequence,
    isAgainstTarget: antibody.accession === accession,
    effect: changes.reduce((sum, change) => sum + computeEffect(antibody, targetId, change), 0),
  };
}

/** The published antibodies of the examples, against which the sandbox measures strong binding. */
function readAntibodies(): readonly Antibody[] {
  const text = readFileSync(new URL('examples/antibodies.fasta', ROOT), 'utf8');
  const accessionByName = readAccessions('name');
  return [...text.matchAll(RECORD)].map(([, antigen = '', lines = '']) => {
    const sequence = toCanonicalSequence(lines);
    return { sequence, accession: accessionByName.get(antigen), isInLoop: markLoops(sequence) };
  });
}

/** Marks the positions in loops; a chain without the usual residues around them has none. */
export function markLoops(sequence: string): readonly boolean[] {
  const chains = sequence.split(':').map((chain) => {
    const [, ...parts] = LIGHT.exec(chain) ?? HEAVY.exec(chain) ?? [];
    const marks = parts.flatMap((part, index) => Array.from(part, () => index % 2 === 1));
    return Array.from(chain, (_, position) => marks[position] ?? false);
  });
  return chains.flatMap((marks, index) => (index === 0 ? marks : [false, ...marks]));
}

/** Lists what differs from the parent; undefined where it is too much or the chains differ in number. */
function listChanges(parent: string, sequence: string): readonly Change[] | undefined {
  const most = Math.floor(CHANGED_SHARE_MAX * parent.length);
  const chains = sequence.split(':');
  const parentChains = parent.split(':');
  if (chains.length !== parentChains.length) return undefined;
  const changes: Change[] = [];
  let start = 0;
  for (const [index, parentChain] of parentChains.entries()) {
    const chain = chains[index] ?? '';
    if (Math.abs(chain.length - parentChain.length) > most) return undefined;
    changes.push(...compareChains(parentChain, chain, start));
    if (changes.length > most) return undefined;
    start += parentChain.length + 1;
  }
  return changes;
}

/** Compares position by position where the lengths agree, else all between the common start and the common end. */
function compareChains(parent: string, chain: string, start: number): Change[] {
  const isSameLength = parent.length === chain.length;
  const shorter = Math.min(parent.length, chain.length);
  let head = 0;
  while (head < shorter && parent[head] === chain[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && parent.at(-1 - tail) === chain.at(-1 - tail)) tail += 1;
  const inserted = Math.max(0, chain.length - parent.length);
  const changes: Change[] = [];
  for (let position = head; position < parent.length - tail; position += 1) {
    const residues = chain[position] ?? '';
    if (residues !== parent[position]) changes.push({ position: start + position, residues });
  }
  if (!isSameLength && inserted > 0)
    changes.push({ position: start + head, residues: chain.slice(head, head + inserted + 1) });
  return changes;
}

function computeEffect({ sequence, isInLoop }: Antibody, targetId: string, change: Change): number {
  const { position, residues } = change;
  const inLoop = isInLoop[position] ?? false;
  const place = createRandomSource('contact', sequence, targetId, position);
  const isContact = place.drawUniform() < (inLoop ? CONTACT_SHARE.loop : CONTACT_SHARE.framework);
  const { mean, sd } = isContact ? CONTACT : inLoop ? LOOP : FRAMEWORK;
  const random = createRandomSource('change', sequence, targetId, position, residues);
  const gaps = Math.abs(residues.length - 1);
  return mean + sd * random.drawNormal() + GAP_EFFECT * gaps;
}
