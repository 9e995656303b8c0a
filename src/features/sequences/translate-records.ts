import { translateDna } from './dna.ts';
import type { FastaReading } from './fasta.ts';

export interface TranslatedReading extends FastaReading {
  /** What is worth knowing of the translation, in words. */
  readonly notes: readonly string[];
  readonly translatedCount: number;
}

/** Translates the records that are DNA; those of protein stay as they are. */
export function translateRecords({ records, problems }: FastaReading): TranslatedReading {
  const translated = records.map((record) => ({ record, reading: translateDna(record.sequence) }));
  return {
    records: translated.map(({ record, reading }) => ({ ...record, sequence: reading.aaString })),
    problems: [
      ...problems,
      ...translated.flatMap(({ record: { name, line }, reading }) =>
        reading.problems.map((problem) => ({ line, message: `"${name}" cannot be translated: ${problem}.` })),
      ),
    ],
    notes: translated.flatMap(({ record: { name }, reading }) =>
      reading.notes.map((note) => `${name}: ${note}.`),
    ),
    translatedCount: translated.filter(({ reading }) => reading.isTranslated).length,
  };
}
