/** Rules for acceptable sequences, and the names of invalid letters. */
import { isBlank } from '#core/texts.ts';
import { findLineProblem } from '#core/one-line.ts';
import type { Problem } from '#core/failures.ts';
import type { SequenceMetadata, SequenceValue } from './contract.ts';
import { looksLikeDna } from './dna.ts';
import type { RuleWarning } from './warnings.ts';

/** A problem of form (400) or of content (422); `dna` is a content of its own. */
export interface SequenceProblem extends Problem {
  readonly kind: 'form' | 'content' | 'dna';
}

export interface NewSequence {
  readonly name: string;
  readonly aaString: string;
  /** Residues over all chains, without separators. */
  readonly length: number;
  readonly isControl: boolean;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export interface SequenceLimits {
  readonly residuesPerSequence: number;
}

const SEQUENCE_NAME_LENGTH_MAX = 200;
const CHAINS_MAX = 4;
const LETTERS = /^[ACDEFGHIKLMNPQRSTVWY:]+$/;
const DEFAULT_SCFV_LINKER = 'GGGGSGGGGSGGGGS';

const LETTER_ADVICE: Readonly<Record<string, string>> = {
  X: 'X (any residue) does not name one residue',
  B: 'B (Asn or Asp) does not name one residue',
  Z: 'Z (Gln or Glu) does not name one residue',
  J: 'J (Leu or Ile) does not name one residue',
  U: 'U (selenocysteine) cannot be expressed here',
  O: 'O (pyrrolysine) cannot be expressed here',
  '*': '"*" (stop) is only allowed once, at the very end',
  '-': '"-" (gap) is not a residue; paste the sequence without alignment gaps',
};

export interface CheckedSequence {
  readonly sequence: NewSequence | null;
  readonly problems: readonly SequenceProblem[];
  readonly warnings: readonly RuleWarning[];
}

/** Normalizes one sequence and finds all its problems. `path` is its place in the request. */
export function checkSequence(
  name: string,
  value: SequenceValue,
  path: string,
  limits: SequenceLimits,
): CheckedSequence {
  const problems: SequenceProblem[] = findNameProblems(name, path);
  const input = typeof value === 'string' ? { aa_string: value } : value;
  const warnings: RuleWarning[] = [];
  let aaString = input.aa_string;
  // Most sequences need no cleaning, so the check comes first.
  if (!LETTERS.test(aaString)) {
    aaString = aaString.replaceAll(/\s+/g, '').toUpperCase();
    if (aaString.endsWith('*')) {
      aaString = aaString.slice(0, -1);
      warnings.push({ rule: 'stop_removed', sequence: name, message: 'The trailing "*" was removed.' });
    }
  }
  problems.push(...findResidueProblems(name, aaString, path, limits));
  const metadata = input.metadata ?? null;
  if (metadata !== null) problems.push(...findMetadataProblems(metadata, path));
  if (problems.length > 0) return { sequence: null, problems, warnings };
  return {
    sequence: {
      name,
      aaString,
      length: countResidues(aaString),
      isControl: input.control ?? false,
      metadata: metadata === null ? null : withDefaults(metadata),
    },
    problems,
    warnings,
  };
}

export function countResidues(aaString: string): number {
  if (!aaString.includes(':')) return aaString.length;
  return aaString.replaceAll(':', '').length;
}

function findNameProblems(name: string, path: string): SequenceProblem[] {
  const createProblems = (message: string): SequenceProblem[] => [{ kind: 'form', path, message }];
  if (name.trim() === '') return createProblems('a sequence needs a name');
  if (name.length > SEQUENCE_NAME_LENGTH_MAX) {
    return createProblems(`the name is longer than ${SEQUENCE_NAME_LENGTH_MAX} characters`);
  }
  const problem = findLineProblem(name);
  return problem === undefined ? [] : createProblems(`the name ${problem}`);
}

function findDnaProblems(name: string, aaString: string, path: string): SequenceProblem[] {
  return aaString.split(':').flatMap((chain, index): SequenceProblem[] => {
    if (!looksLikeDna(chain)) return [];
    const message = `${name}, chain ${index + 1} looks like DNA: it has only the letters A, C, G, T and N`;
    return [{ kind: 'dna', path, message }];
  });
}

function findResidueProblems(
  name: string,
  aaString: string,
  path: string,
  limits: SequenceLimits,
): SequenceProblem[] {
  const createProblem = (message: string): SequenceProblem => ({ kind: 'content', path, message });
  if (aaString === '') return [createProblem(`${name} is empty`)];
  const dna = findDnaProblems(name, aaString, path);
  if (dna.length > 0) return dna;
  if (countResidues(aaString) > limits.residuesPerSequence) {
    return [createProblem(`${name} is longer than ${limits.residuesPerSequence} residues`)];
  }
  if (LETTERS.test(aaString) && !aaString.includes(':')) return [];
  const chains = aaString.split(':');
  if (chains.length > CHAINS_MAX)
    return [createProblem(`${name} has ${chains.length} chains; at most ${CHAINS_MAX} are possible`)];
  return chains.flatMap((chain, index) => {
    if (chain === '') return [createProblem(`${name}: chain ${index + 1} is empty`)];
    return listBadLetters(chain).map(([letter, positions]) => {
      const advice = LETTER_ADVICE[letter] ?? `"${letter}" is not one of the 20 amino acids`;
      const shown = positions.slice(0, POSITIONS_NAMED_MAX).join(', ');
      const more =
        positions.length > POSITIONS_NAMED_MAX ? ` and ${positions.length - POSITIONS_NAMED_MAX} more` : '';
      const place = `${positions.length === 1 ? 'position' : 'positions'} ${shown}${more}`;
      return createProblem(`${name}, chain ${index + 1}, ${place}: ${advice}`);
    });
  });
}

const POSITIONS_NAMED_MAX = 5;
/** Different letters that are named of one chain. */
const BAD_LETTERS_MAX = 6;

/** Each letter that is none of the 20, with its positions from 1. */
function listBadLetters(chain: string): [letter: string, positions: number[]][] {
  const bad = new Map<string, number[]>();
  for (const { 0: letter, index } of chain.matchAll(/[^ACDEFGHIKLMNPQRSTVWY]/gu)) {
    const positions = bad.get(letter) ?? [];
    if (positions.length === 0 && bad.size === BAD_LETTERS_MAX) continue;
    positions.push(index + 1);
    bad.set(letter, positions);
  }
  return [...bad];
}

function findMetadataProblems(metadata: SequenceMetadata, path: string): SequenceProblem[] {
  const form = toCanonicalType(metadata.type);
  const createMissingProblem = (field: string): SequenceProblem => ({
    kind: 'form',
    path: `${path}.metadata.${field}`,
    message: `${form} needs ${field}`,
  });
  const problems: SequenceProblem[] = [];
  if (form === 'ScFv') {
    if (isBlank(metadata.VH)) problems.push(createMissingProblem('VH'));
    if (isBlank(metadata.VL)) problems.push(createMissingProblem('VL'));
  }
  if (form === 'FAB') {
    if (isBlank(metadata.framework_regions?.ch)) problems.push(createMissingProblem('framework_regions.ch'));
    if (isBlank(metadata.framework_regions?.cl)) problems.push(createMissingProblem('framework_regions.cl'));
  }
  return problems;
}

const TYPE_SPELLINGS: Readonly<Record<string, 'ScFv' | 'FAB' | 'SingleChain' | 'IgG'>> = {
  sc_fv: 'ScFv',
  fab: 'FAB',
  single_chain: 'SingleChain',
  igg: 'IgG',
  ScFv: 'ScFv',
  FAB: 'FAB',
  SingleChain: 'SingleChain',
  IgG: 'IgG',
};

export function isAntibody(metadata: SequenceMetadata | null): boolean {
  const type = toCanonicalType(metadata?.type);
  return type === 'ScFv' || type === 'FAB' || type === 'IgG';
}

function toCanonicalType(type: SequenceMetadata['type']): 'ScFv' | 'FAB' | 'SingleChain' | 'IgG' | null {
  return type === null || type === undefined ? null : (TYPE_SPELLINGS[type] ?? null);
}

function withDefaults(metadata: SequenceMetadata): SequenceMetadata {
  const type = toCanonicalType(metadata.type);
  if (type === null) return metadata;
  const linker = type === 'ScFv' ? { linker: metadata.linker ?? DEFAULT_SCFV_LINKER } : {};
  return { ...metadata, type, ...linker };
}
