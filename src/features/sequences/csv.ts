/** Reads a table of sequences as spreadsheets and scripts write it: a header row, then one sequence in each row. */
import { formatCount } from '#core/words.ts';
import { findDelimiter, readRows, type LineProblem, type Row } from '#core/csv.ts';
import type { SequenceMetadata, SequenceValue } from './contract.ts';

export interface ReadSequence {
  readonly name: string;
  readonly value: SequenceValue;
  /** The line on which it begins, from 1. */
  readonly line: number;
}

export interface SequenceReading {
  readonly records: readonly ReadSequence[];
  /** Of FASTA, those with letters that are no amino acids; what else is wrong with them is worth a problem, too. */
  readonly broken?: readonly ReadSequence[];
  readonly problems: readonly LineProblem[];
}

/** Other spellings of a column, without case, spaces and underscores. */
const COLUMNS: Readonly<Record<string, string>> = {
  name: 'name',
  id: 'name',
  sequencename: 'name',
  sequence: 'sequence',
  aastring: 'sequence',
  aminoacids: 'sequence',
  control: 'control',
  iscontrol: 'control',
  type: 'type',
  vh: 'VH',
  vl: 'VL',
  linker: 'linker',
  taglocation: 'tag_location',
  ch: 'ch',
  cl: 'cl',
};
const KNOWN = [...new Set(Object.values(COLUMNS))].join(', ');
const YES = new Set(['true', 'yes', 'y', '1', 'x', 'control']);
const NO = new Set(['', 'false', 'no', 'n', '0']);
/** Whether a cell says if a design is a control. */
export const isControlCell = (cell: string): boolean =>
  YES.has(cell.trim().toLowerCase()) || NO.has(cell.trim().toLowerCase());

/** Whether a line names columns of such a table. */
export function isSequenceHeader(line: string): boolean {
  const [row] = readRows(line, findDelimiter(line)).rows;
  return row !== undefined && row.cells.some((cell) => findColumn(cell) !== undefined);
}

/** Reads every row and finds every problem. */
export function readSequenceTable(text: string): SequenceReading {
  const delimiter = findDelimiter(text.trimStart().split(/[\r\n]/, 1)[0] ?? '');
  const { rows, problems: broken } = readRows(text, delimiter);
  const [header, ...rest] = rows;
  if (header === undefined) return { records: [], problems: broken };
  const columns = header.cells.map(findColumn);
  const problems = [...broken, ...findHeaderProblems(header, columns)];
  if (problems.length > broken.length) return { records: [], problems };
  const lineOfName = new Map<string, number>();
  const records: ReadSequence[] = [];
  for (const row of rest) {
    const record = readRow(row, columns, lineOfName, (message) => problems.push({ line: row.line, message }));
    if (record !== null) records.push(record);
  }
  return { records, problems: problems.toSorted((a, b) => a.line - b.line) };
}

/** The header of a column without case, spaces and signs. */
export function normalizeHeader(cell: string): string {
  return cell.toLowerCase().replaceAll(/[\s_.()/-]/g, '');
}

export function findColumn(cell: string): string | undefined {
  const key = normalizeHeader(cell);
  return Object.hasOwn(COLUMNS, key) ? COLUMNS[key] : undefined;
}

function findHeaderProblems({ line, cells }: Row, columns: readonly (string | undefined)[]): LineProblem[] {
  const missing = ['name', 'sequence'].filter((column) => !columns.includes(column));
  const messages = [
    ...missing.map((column) => `the header has no column "${column}"; the known columns are ${KNOWN}.`),
    ...cells.flatMap((cell, index) =>
      columns[index] === undefined ? [`"${cell.trim()}" is not a known column; known are ${KNOWN}.`] : [],
    ),
    ...columns.flatMap((column, index) =>
      column !== undefined && columns.indexOf(column) < index ? [`the column ${column} is given twice.`] : [],
    ),
  ];
  return messages.map((message) => ({ line, message }));
}

/** Names a problem, and the column of the table that it is about where it is about one. */
export type AddProblem = (message: string, column?: string) => void;

/** Reads a row by the columns that its table has; null where there is nothing to order. */
export function readRow(
  { line, cells }: Row,
  columns: readonly (string | undefined)[],
  lineOfName: Map<string, number>,
  addProblem: AddProblem,
): ReadSequence | null {
  if (cells.length > columns.length) {
    addProblem(
      `the row has ${formatCount(cells.length, 'cell')}, the header ${columns.length}; put quotes around a cell that holds the delimiter.`,
    );
    return null;
  }
  const read = (column: string): string => cells[columns.indexOf(column)]?.trim() ?? '';
  const name = read('name');
  const sequence = read('sequence');
  const control = read('control').toLowerCase();
  const earlier = lineOfName.get(name);
  if (name === '') addProblem('the row has no name.', 'name');
  else if (earlier !== undefined)
    addProblem(`the name "${name}" is already used in line ${earlier}; names must differ.`, 'name');
  else lineOfName.set(name, line);
  if (sequence === '') addProblem(`"${name}" has no sequence.`, 'sequence');
  if (!YES.has(control) && !NO.has(control))
    addProblem(`"${read('control')}" in the column control is neither true nor false.`, 'control');
  const metadata = readMetadata(read, addProblem);
  if (name === '' || earlier !== undefined || sequence === '') return null;
  const isPlain = !YES.has(control) && metadata === null;
  const value = isPlain ? sequence : { aa_string: sequence, control: YES.has(control), metadata };
  return { name, value, line };
}

export const TYPES = ['ScFv', 'FAB', 'SingleChain', 'IgG', 'sc_fv', 'fab', 'single_chain', 'igg'] as const;
export const TERMINI = ['N', 'C'] as const;

function readMetadata(read: (column: string) => string, addProblem: AddProblem): SequenceMetadata | null {
  const choose = <Value extends string>(column: string, values: readonly Value[]): Value | undefined => {
    const cell = read(column);
    const found = values.find((value) => value === cell);
    if (cell !== '' && found === undefined)
      addProblem(`"${cell}" in the column ${column} is not one of ${values.join(', ')}.`, column);
    return found;
  };
  const [type, tag_location] = [choose('type', TYPES), choose('tag_location', TERMINI)];
  const [VH, VL, linker] = [read('VH'), read('VL'), read('linker')];
  const regions = { ch: read('ch'), cl: read('cl') };
  const hasRegions = regions.ch !== '' || regions.cl !== '';
  const metadata = {
    ...(type === undefined ? {} : { type }),
    ...(VH === '' ? {} : { VH }),
    ...(VL === '' ? {} : { VL }),
    ...(linker === '' ? {} : { linker }),
    ...(tag_location === undefined ? {} : { tag_location }),
    ...(hasRegions ? { framework_regions: regions } : {}),
  };
  return Object.keys(metadata).length === 0 ? null : metadata;
}
