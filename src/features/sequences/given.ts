/** Sequences as a request gives them: a map from names or a list, read as one list of names and values. */
import type { NewSequences, SequenceEntry, SequenceValue } from './contract.ts';

/** A map keeps the order of its names; an object would put names such as "10" before all others. */
export type OrderedSequences = ReadonlyMap<string, SequenceValue>;

export interface GivenSequence {
  readonly name: string;
  readonly value: SequenceValue;
  /** Its name in a map, its index in a list: the last part of its JSON path. */
  readonly place: string;
  readonly isInList: boolean;
  /** Of an entry of a list: any object, kept as given. That of a map has the strict form and is in `value`. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export function countGiven(sequences: NewSequences | OrderedSequences | undefined): number {
  if (sequences instanceof Map) return sequences.size;
  return sequences === undefined ? 0 : Object.keys(sequences).length;
}

/** An entry of a list without a name is numbered from `firstNumber` on. */
export function listGiven(
  sequences: NewSequences | OrderedSequences | undefined,
  firstNumber: number,
): GivenSequence[] {
  if (sequences === undefined) return [];
  if (!Array.isArray(sequences)) {
    const pairs: Iterable<[string, SequenceValue]> =
      sequences instanceof Map ? sequences : Object.entries(sequences);
    return Array.from(pairs, ([name, value]) => ({
      name,
      value,
      place: name,
      isInList: false,
      metadata: null,
    }));
  }
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
