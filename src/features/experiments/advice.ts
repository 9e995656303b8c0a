/** The advice about the sequences of an experiment, as its order gets it and as the lab reads it again. */
import { createSliceCounter, type Steps } from '#core/slices.ts';
import { duplicateWarnings, findSequenceWarnings, type SequenceWarning } from '../sequences/quality.ts';
import { isAntibody, type NewSequence } from '../sequences/rules.ts';
import { WarningGroups, type WarningGroup } from '../sequences/warnings.ts';

/** Letters that are searched for warnings: some 15,000 antibody domains, a fraction of a second. */
const WARNED_LETTERS_MAX = 2_000_000;
/** Fixed cost of checking one entry, in letters. */
export const ENTRY_LETTERS = 500;

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
