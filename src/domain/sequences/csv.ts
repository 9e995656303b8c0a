/** Reads a table of sequences as spreadsheets and scripts write it: a header row, then one sequence in each row. */
import type { SequenceMetadata, SequenceValue } from './contract.ts';

export interface ReadSequence {
  readonly name: string;
  readonly value: SequenceValue;
  /** The line on which it begins, from 1. */
  readonly line: number;
}

export interface LineProblem {
  readonly line: number;
  readonly message: string;
}

export interface SequenceReading {
  readonly records: readonly ReadSequence[];
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
const DELIMITERS = [',', ';', '\t'] as const;
const YES = new Set(['true', 'yes', 'y', '1', 'x']);
const NO = new Set(['', 'false', 'no', 'n', '0']);

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

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

function findDelimiter(line: string): string {
  const count = (delimiter: string): number => line.split(delimiter).length;
  return DELIMITERS.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
}

function findColumn(cell: string): string | undefined {
  const key = cell
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '');
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

function readRow(
  { line, cells }: Row,
  columns: readonly (string | undefined)[],
  lineOfName: Map<string, number>,
  addProblem: (message: string) => void,
): ReadSequence | null {
  if (cells.length > columns.length) {
    addProblem(
      `the row has ${cells.length} cells, the header ${columns.length}; put quotes around a cell that holds the delimiter.`,
    );
    return null;
  }
  const read = (column: string): string => cells[columns.indexOf(column)]?.trim() ?? '';
  const name = read('name');
  const sequence = read('sequence');
  const control = read('control').toLowerCase();
  const earlier = lineOfName.get(name);
  if (name === '') addProblem('the row has no name.');
  else if (earlier !== undefined)
    addProblem(`the name "${name}" is already used in line ${earlier}; names must differ.`);
  else lineOfName.set(name, line);
  if (sequence === '') addProblem(`"${name}" has no sequence.`);
  if (!YES.has(control) && !NO.has(control))
    addProblem(`"${read('control')}" in the column control is neither true nor false.`);
  const metadata = readMetadata(read, addProblem);
  if (name === '' || earlier !== undefined || sequence === '') return null;
  const isPlain = !YES.has(control) && metadata === null;
  const value = isPlain ? sequence : { aa_string: sequence, control: YES.has(control), metadata };
  return { name, value, line };
}

const TYPES = ['ScFv', 'FAB', 'SingleChain', 'IgG', 'sc_fv', 'fab', 'single_chain', 'igg'] as const;
const TERMINI = ['N', 'C'] as const;

function readMetadata(
  read: (column: string) => string,
  addProblem: (message: string) => void,
): SequenceMetadata | null {
  const choose = <Value extends string>(column: string, values: readonly Value[]): Value | undefined => {
    const given = read(column);
    const found = values.find((value) => value === given);
    if (given !== '' && found === undefined)
      addProblem(`"${given}" in the column ${column} is not one of ${values.join(', ')}.`);
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

/** RFC 4180: a cell in quotes may hold the delimiter, line breaks, and quotes that are doubled. Empty rows are left out. */
function readRows(text: string, delimiter: string): { rows: Row[]; problems: LineProblem[] } {
  const rows: Row[] = [];
  const problems: LineProblem[] = [];
  let [at, line] = [0, 1];
  while (at < text.length) {
    const start = line;
    const cells: string[] = [];
    for (;;) {
      const cell = readCell(text, at, delimiter);
      if (!cell.isClosed) problems.push({ line: start, message: 'a quote is opened and not closed.' });
      cells.push(cell.value);
      line += cell.breaks;
      at = cell.end;
      if (text[at] !== delimiter) break;
      at++;
    }
    if (text.startsWith('\r\n', at)) at += 2;
    else at++;
    line++;
    if (cells.some((cell) => cell.trim() !== '')) rows.push({ line: start, cells });
  }
  return { rows, problems };
}

interface Cell {
  readonly value: string;
  readonly end: number;
  readonly breaks: number;
  readonly isClosed: boolean;
}

function readCell(text: string, start: number, delimiter: string): Cell {
  if (text[start] !== '"') return readBareCell(text, start, delimiter);
  let value = '';
  for (let at = start + 1; ;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) {
      value += text.slice(at);
      return { value, end: text.length, breaks: countBreaks(value), isClosed: false };
    }
    value += text.slice(at, quote);
    if (text[quote + 1] === '"') {
      value += '"';
      at = quote + 2;
      continue;
    }
    // What stands between the closing quote and the delimiter belongs to the cell, as spreadsheets read it.
    const tail = readBareCell(text, quote + 1, delimiter);
    return { value: value + tail.value, end: tail.end, breaks: countBreaks(value), isClosed: true };
  }
}

function readBareCell(text: string, start: number, delimiter: string): Cell {
  let end = start;
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end++;
  return { value: text.slice(start, end), end, breaks: 0, isClosed: true };
}

function countBreaks(text: string): number {
  return text.split(/\r\n|\n|\r/).length - 1;
}
