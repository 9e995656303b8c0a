/** Reads FASTA from a file; reports all problems at once, with file and line. */
import {
  readFasta,
  type FastaProblem,
  type FastaReading,
  type FastaRecord,
} from '#features/sequences/fasta.ts';
import { translateRecords, type TranslatedReading } from '#features/sequences/dna.ts';

/** All problems of a file, in the order of its lines. */
export class FastaError extends Error {
  override readonly name = 'FastaError';

  constructor(file: string, problems: readonly FastaProblem[]) {
    const shown = problems.slice(0, PROBLEMS_SHOWN).map(({ line, message }) => `${file}:${line}: ${message}`);
    const more = problems.length - shown.length;
    super([...shown, ...(more > 0 ? [`… and ${more} more in ${file}.`] : [])].join('\n'));
  }
}

const PROBLEMS_SHOWN = 10;

/** Reads every record of a file, or throws a `FastaError` that lists all its problems. */
export function parseFasta(text: string, file: string): readonly FastaRecord[] {
  return refuseProblems(readFasta(text), file).records;
}

/** Reads every record of a file of DNA and translates it, or throws a `FastaError` that lists all problems of the file. */
export function parseDna(text: string, file: string): TranslatedReading {
  return refuseProblems(translateRecords(readFasta(text)), file);
}

function refuseProblems<Reading extends FastaReading>(reading: Reading, file: string): Reading {
  const { records, problems } = reading;
  if (problems.length > 0) throw new FastaError(file, problems);
  if (records.length === 0) {
    const message = 'there is no sequence in this file; a sequence begins with a line ">name".';
    throw new FastaError(file, [{ line: 1, message }]);
  }
  return reading;
}
