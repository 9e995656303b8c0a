import type { SequenceReading } from './csv.ts';
import type { FastaProblem } from './fasta.ts';
import { translateRecords } from './translate-records.ts';

export interface TranslatedSequences {
  /** By name, as an experiment takes them. */
  readonly sequences: Readonly<Record<string, unknown>>;
  readonly problems: readonly FastaProblem[];
  /** What is worth knowing of the translation, in words. */
  readonly notes: readonly string[];
  readonly translatedCount: number;
}

/** Translates what is DNA in FASTA or a table. Only residues change: a control stays one. */
export function translateReading({ records, problems }: SequenceReading): TranslatedSequences {
  const plain = records.map(({ name, value, line }) => ({
    name,
    line,
    sequence: typeof value === 'string' ? value : value.aa_string,
  }));
  const reading = translateRecords({ records: plain, problems });
  const pairs = reading.records.map(({ name, sequence }, index) => {
    const value = records[index]?.value;
    return [name, typeof value === 'object' ? { ...value, aa_string: sequence } : sequence] as const;
  });
  return { ...reading, sequences: Object.fromEntries(pairs) };
}
