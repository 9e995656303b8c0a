/** Reads sequences from a file, FASTA or CSV; reports all problems at once, with file and line. */
import { translateReading } from '#features/sequences/dna.ts';
import type { SequenceValue } from '#features/sequences/contract.ts';
import { readSequences } from '#features/sequences/read-sequences.ts';
import { formatCount } from '#core/words.ts';
import { CommandError } from './command-error.ts';
import { readTextFile } from './files.ts';
import { printNote, toPlainText } from './terminal.ts';

const PROBLEMS_SHOWN = 10;

/** By name, as an experiment takes them: residues, or an entry that also says what kind of sequence it is. */
export type NamedSequences = Readonly<Record<string, SequenceValue>>;

/** `-` is standard input. */
export async function readSequenceFile(file: string, isDna = false): Promise<NamedSequences> {
  return parseSequences(await readTextFile(file), file === '-' ? '(standard input)' : file, isDna);
}

/** Reads every record, and translates those of DNA on demand. */
export function parseSequences(text: string, file: string, isDna = false): NamedSequences {
  const reading = readSequences(text);
  const { records, problems, notes, translatedCount } = isDna
    ? translateReading(reading)
    : { ...reading, notes: [], translatedCount: 0 };
  refuseProblems(problems, file);
  if (isDna) printNote(`Translated ${formatCount(translatedCount, 'sequence')} of DNA.`);
  for (const note of notes) printNote(toPlainText(note));
  return Object.fromEntries(records.map(({ name, value }) => [name, value]));
}

function refuseProblems(
  problems: readonly { readonly line: number; readonly message: string }[],
  file: string,
): void {
  if (problems.length === 0) return;
  const shown = problems.slice(0, PROBLEMS_SHOWN).map(({ line, message }) => `${file}:${line}: ${message}`);
  const more = problems.length - shown.length;
  const lines = [...shown, ...(more > 0 ? [`… and ${more} more in ${file}.`] : [])];
  throw new CommandError(lines.map((line) => toPlainText(line)).join('\n'), 2);
}
