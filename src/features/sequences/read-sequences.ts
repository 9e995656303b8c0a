/** Reads sequences from a text, which is FASTA or a table; the text itself says which. */
import { isSequenceHeader, readSequenceTable, type SequenceReading } from './csv.ts';
import { readFasta, type FastaRecord } from './fasta.ts';

/** A text without a sequence has one problem, so that it is never taken for an empty list. */
export function readSequences(content: string): SequenceReading {
  const text = content.replace(/^\uFEFF/, '');
  const reading = isTable(text) ? readSequenceTable(text) : readRecords(text);
  if (reading.records.length > 0 || reading.problems.length > 0) return reading;
  const message =
    'there is no sequence; FASTA begins with a line ">name", a table with the columns name and sequence.';
  return { records: [], problems: [{ line: 1, message }] };
}

function isTable(text: string): boolean {
  const first = text.trimStart().split(/[\r\n]/, 1)[0] ?? '';
  return !/^[>;]/.test(first) && isSequenceHeader(first);
}

function readRecords(text: string): SequenceReading {
  const { records, broken, problems } = readFasta(text);
  const toRead = ({ name, sequence, line }: FastaRecord) => ({ name, value: sequence, line });
  return { records: records.map(toRead), broken: broken.map(toRead), problems };
}
