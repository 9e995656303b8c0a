/** The catalog as a CSV file: one target in each row, found again by its catalog number. Pure. */
import { formatCount } from '#core/words.ts';
import {
  findDelimiter,
  parseCsvField,
  readRows,
  writeCsvField,
  type LineProblem,
  type Row,
} from '#core/csv.ts';
import { listChanges } from '#core/record.ts';
import { EMPTY_ENTRY, findEntryProblems, type TargetEntry } from './entry.ts';
import { LOTS_COLUMN, parsePricingCells, PRICE_COLUMN, writePricingCells } from './pricing-rules.ts';
import { targetRecord } from './record.ts';

/** Rows of one file. */
const IMPORT_ROWS_MAX = 5_000;
/** The column by which a row is found again stands first. */
const KEY = 'catalog_number';
export const catalogColumns: readonly string[] = [
  KEY,
  ...targetRecord.names.filter((name) => name !== KEY),
  PRICE_COLUMN,
  LOTS_COLUMN,
];

export function writeCatalogCsv(entries: readonly TargetEntry[]): string {
  const rows = entries.map((entry) => {
    const { [KEY]: key = '', ...cells } = targetRecord.writeCells(entry);
    return [key, ...Object.values(cells), ...writePricingCells(entry.pricing)];
  });
  return [catalogColumns, ...rows].map((cells) => `${cells.map(writeCsvField).join(',')}\r\n`).join('');
}

/** What a row says about a target; a field whose column the file lacks keeps its value. */
export interface CatalogRecord {
  readonly line: number;
  readonly catalogNumber: string;
  readonly fields: Partial<TargetEntry>;
}

export interface CatalogReading {
  readonly records: readonly CatalogRecord[];
  readonly problems: readonly LineProblem[];
}

/** Reads every row and finds every problem that the file alone shows. */
export function readCatalogCsv(content: string): CatalogReading {
  const body = content.replace(/^\u{feff}/u, '');
  const { rows, problems: broken } = readRows(
    body,
    findDelimiter(body.trimStart().split(/[\r\n]/, 1)[0] ?? ''),
  );
  const [header, ...rest] = rows;
  if (header === undefined)
    return {
      records: [],
      problems: [{ line: 1, message: 'the file is empty; its first row names the columns' }],
    };
  const names = header.cells.map((cell) => cell.trim().toLowerCase());
  const wrong = findHeaderProblems(names).map((message) => ({ line: header.line, message }));
  const tooMany = rest[IMPORT_ROWS_MAX];
  if (tooMany !== undefined)
    wrong.push({ line: tooMany.line, message: `a file has at most ${IMPORT_ROWS_MAX} rows; split it` });
  if (wrong.length > 0) return { records: [], problems: [...broken, ...wrong] };
  const problems = [...broken];
  const records = rest.map((row) => readRecord(row, names, problems));
  return { records, problems: [...problems, ...findRepeated(records)] };
}

function findHeaderProblems(names: readonly string[]): string[] {
  if (names.length > catalogColumns.length)
    return [`the header has ${names.length} columns; known are ${catalogColumns.join(', ')}`];
  return [
    ...(names.includes('catalog_number') ? [] : ['the header has no column catalog_number']),
    ...names.flatMap((name, index) => {
      if (!catalogColumns.includes(name))
        return [`"${name}" is not a known column; known are ${catalogColumns.join(', ')}`];
      return names.indexOf(name) < index ? [`the column ${name} is given twice`] : [];
    }),
  ];
}

function readRecord({ line, cells }: Row, names: readonly string[], problems: LineProblem[]): CatalogRecord {
  const fields: Record<string, unknown> = {};
  const refuse = (message: string) => problems.push({ line, message });
  if (cells.length > names.length)
    refuse(
      `the row has ${formatCount(cells.length, 'cell')}, the header ${names.length}; put quotes around a cell that holds the delimiter`,
    );
  for (const [index, name] of names.entries()) {
    const field = targetRecord.findField(name);
    if (field === undefined) continue;
    const cell = parseCsvField(cells[index] ?? '');
    const value = field.read(cell);
    if (value === undefined) refuse(`${name} "${cell}" is not ${field.expected}`);
    else fields[name] = value;
  }
  if (names.includes(PRICE_COLUMN) || names.includes(LOTS_COLUMN)) {
    const read = (name: string): string => parseCsvField(cells[names.indexOf(name)] ?? '').trim();
    const pricing = parsePricingCells(read(PRICE_COLUMN), read(LOTS_COLUMN));
    if (typeof pricing === 'string') refuse(pricing);
    else fields.pricing = pricing;
  }
  const number = parseCsvField(cells[names.indexOf('catalog_number')] ?? '');
  return { line, catalogNumber: number, fields };
}

function findRepeated(records: readonly CatalogRecord[]): LineProblem[] {
  const lineOf = new Map<string, number>();
  return records.flatMap(({ line, catalogNumber }) => {
    const earlier = lineOf.get(catalogNumber);
    lineOf.set(catalogNumber, earlier ?? line);
    if (catalogNumber === '' || earlier === undefined) return [];
    return [{ line, message: `the catalog number ${catalogNumber} is already used in line ${earlier}` }];
  });
}

export interface PlannedEntry {
  readonly line: number;
  readonly action: 'add' | 'change' | 'keep';
  readonly before: TargetEntry | null;
  readonly after: TargetEntry;
}

/** Decides what an import does, and finds every problem of what the targets would become. */
export function planCatalogImport(
  { records, problems }: CatalogReading,
  present: ReadonlyMap<string, TargetEntry>,
): { readonly planned: readonly PlannedEntry[]; readonly problems: readonly LineProblem[] } {
  const planned = records.map(({ line, catalogNumber, fields }): PlannedEntry => {
    const before = present.get(catalogNumber) ?? null;
    const after = { ...EMPTY_ENTRY, ...before, ...fields };
    if (before === null) return { line, before, after, action: 'add' };
    return { line, before, after, action: listChanges(before, after).length === 0 ? 'keep' : 'change' };
  });
  const unfit = planned.flatMap(({ line, after }) =>
    findEntryProblems(after).map(({ path, message }) => ({ line, message: `${path} ${message}` })),
  );
  return { planned, problems: [...problems, ...unfit].toSorted((a, b) => a.line - b.line) };
}
