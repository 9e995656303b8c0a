/** Reads the sequences of a request, in either of its forms, checks them, and finds what is worth pointing out. */
import { createSliceCounter, type Steps } from '#core/slices.ts';
import type { NewSequences, SequenceEntry, SequenceValue } from './contract.ts';
import { duplicateWarnings, findSequenceWarnings, type SequenceWarning } from './quality.ts';
import {
  checkSequence,
  isAntibody,
  type NewSequence,
  type SequenceLimits,
  type SequenceProblem,
} from './rules.ts';
import { WarningGroups, type WarningGroup } from './warnings.ts';

/** Letters that are searched for warnings: some 15,000 antibody domains, a fraction of a second. */
export const WARNED_LETTERS_MAX = 2_000_000;
/** Fixed cost of checking one entry, in letters. */
const ENTRY_LETTERS = 500;

export interface GivenSequence {
  readonly name: string;
  readonly value: SequenceValue;
  /** Its name in a map, its index in a list: the last part of its JSON path. */
  readonly place: string;
  readonly isInList: boolean;
  /** Of an entry of a list: any object, kept as given. That of a map has the strict form and is in `value`. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/** Lists the sequences of a map or a list. An entry of a list without a name is numbered from `firstNumber` on. */
export function listGiven(sequences: NewSequences, firstNumber = 1): GivenSequence[] {
  if (!Array.isArray(sequences))
    return Object.entries(sequences).map(([name, value]) => nameGiven(name, value));
  return sequences.map((entry, index) => {
    const {
      name: named,
      metadata = null,
      ...value
    }: SequenceEntry = typeof entry === 'string' ? { aa_string: entry } : entry;
    const name = named ?? `sequence-${firstNumber + index}`;
    return { name, value, place: String(index), isInList: true, metadata };
  });
}

/** Gives a sequence by its name, as a map does. */
export function nameGiven(name: string, value: SequenceValue): GivenSequence {
  return { name, value, place: name, isInList: false, metadata: null };
}

export interface CheckedSequences {
  /** Those without a problem. */
  readonly sequences: readonly NewSequence[];
  readonly problems: readonly SequenceProblem[];
  /** What was put right in them; `addQualityWarnings` adds its advice. */
  readonly warnings: WarningGroups;
}

/** Checks each sequence and that the names in a list are unique. `root` is the path of all of them. */
export function* checkSequences(
  given: readonly GivenSequence[],
  root: string,
  limits: SequenceLimits,
): Steps<CheckedSequences> {
  const sequences: NewSequence[] = [];
  const problems: SequenceProblem[] = [];
  const warnings = new WarningGroups();
  const seen = new Set<string>();
  const isSliceFull = createSliceCounter();
  for (const { name, value, place, isInList, metadata } of given) {
    if (isSliceFull(countLetters(value))) yield;
    const path = `${root}.${place}`;
    const checked = checkSequence(name, value, path, limits);
    problems.push(...checked.problems);
    for (const warning of checked.warnings) warnings.add(warning);
    if (isInList && seen.has(name))
      problems.push({ kind: 'form', path, message: `the name ${name} is given twice` });
    seen.add(name);
    if (checked.sequence !== null)
      sequences.push(isInList ? { ...checked.sequence, metadata } : checked.sequence);
  }
  return { sequences, problems, warnings };
}

/** The cost of checking one entry, in letters. */
function countLetters(value: SequenceValue): number {
  return ENTRY_LETTERS + (typeof value === 'string' ? value.length : value.aa_string.length);
}

type Inspected = Pick<NewSequence, 'name' | 'aaString' | 'metadata'>;

/** Returns the advice about sequences that are stored, as their order got it. */
export function* findQualityWarnings(sequences: readonly Inspected[]): Steps<WarningGroup[]> {
  const warnings = new WarningGroups();
  yield* addQualityWarnings(warnings, sequences);
  return warnings.list();
}

/** Adds the advice about all sequences, up to a limit of letters; beyond it, a sentence says how many were searched. */
export function* addQualityWarnings(warnings: WarningGroups, sequences: readonly Inspected[]): Steps<void> {
  const add = ({ code, sequence, message }: SequenceWarning): void =>
    warnings.add({ rule: code, sequence, message });
  const isSliceFull = createSliceCounter();
  let letters = 0;
  let searched = 0;
  for (const { name, aaString, metadata } of sequences) {
    if (letters > WARNED_LETTERS_MAX) break;
    letters += aaString.length;
    searched += 1;
    if (isSliceFull(ENTRY_LETTERS + aaString.length)) yield;
    for (const warning of findSequenceWarnings(name, aaString, { antibody: isAntibody(metadata) }))
      add(warning);
  }
  for (const warning of yield* duplicateWarnings(sequences.slice(0, searched))) add(warning);
  if (searched < sequences.length) {
    const message = `Only the first ${searched} of ${sequences.length} sequences were searched for warnings.`;
    warnings.add({ rule: 'not_all_inspected', sequence: null, message });
  }
}
