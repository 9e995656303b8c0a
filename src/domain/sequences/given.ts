/** Sequences as a request gives them: a map from names or a list, read as one list of names and values. */
import type { NewSequences, SequenceValue } from './contract.ts';

export interface GivenSequence {
  readonly name: string;
  readonly value: SequenceValue;
  /** Its name in a map, its index in a list: the last part of its JSON path. */
  readonly place: string;
  readonly isInList: boolean;
}

export function countGiven(given: NewSequences | undefined): number {
  return given === undefined ? 0 : Object.keys(given).length;
}

/** An entry of a list without a name is numbered from `firstNumber` on. */
export function listGiven(given: NewSequences | undefined, firstNumber: number): GivenSequence[] {
  if (given === undefined) return [];
  if (!Array.isArray(given))
    return Object.entries(given).map(([name, value]) => ({ name, value, place: name, isInList: false }));
  return given.map((entry, index) => {
    const { name: named, ...value } = typeof entry === 'string' ? { aa_string: entry } : entry;
    const name = named ?? `sequence-${firstNumber + index}`;
    return { name, value, place: String(index), isInList: true };
  });
}
