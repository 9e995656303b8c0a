/** Writes sequences as `readSequences` reads them, so that a person can go on from an earlier order. */
import { writeDelimitedField } from '#core/csv.ts';
import { isRecord } from '#core/records.ts';

export interface WrittenSequence {
  readonly name: string;
  readonly aa_string: string;
  readonly control: boolean;
  /** As stored; what a table has no column for is left out. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/** FASTA where that says everything, otherwise a table with the columns that are needed. */
export function writeSequences(sequences: readonly WrittenSequence[]): string {
  const cells = sequences.map((sequence) => new Map(listCells(sequence)));
  const further = FURTHER.filter((column) => cells.some((row) => row.has(column)));
  if (further.length === 0 && sequences.every(({ name }) => !/^;|\s|^$/.test(name)))
    return sequences.map(({ name, aa_string: aaString }) => `>${name}\n${aaString}\n`).join('');
  const columns = ['name', 'sequence', ...further];
  const rows = cells.map((row) => columns.map((column) => writeDelimitedField(row.get(column) ?? '', ',')));
  return [columns, ...rows].map((row) => `${row.join(',')}\n`).join('');
}

const FURTHER = ['control', 'type', 'VH', 'VL', 'linker', 'tag_location', 'ch', 'cl'] as const;

function listCells({ name, aa_string: aaString, control, metadata }: WrittenSequence): [string, string][] {
  const regions = isRecord(metadata?.framework_regions) ? metadata.framework_regions : {};
  const known = { ...metadata, ch: regions.ch, cl: regions.cl };
  const described = FURTHER.flatMap((column): [string, string][] => {
    const text = Object.entries(known).find(([key]) => key === column)?.[1];
    return typeof text === 'string' && text !== '' ? [[column, text]] : [];
  });
  return [
    ['name', name],
    ['sequence', aaString],
    ...(control ? [['control', 'yes'] satisfies [string, string]] : []),
    ...described,
  ];
}
