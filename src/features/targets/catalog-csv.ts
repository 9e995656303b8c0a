/** The catalog as a CSV file: one target in each row, found again by its catalog number. Pure. */
import { formatCount } from '#core/words.ts';
import {
  findDelimiter,
  parseCsvField,
  parseTexts,
  readRows,
  writeCsvField,
  writeTexts,
  type LineProblem,
  type Row,
} from '#core/csv.ts';
import { EMPTY_ENTRY, findEntryProblems, listChanges, type Bioactivity, type TargetEntry } from './entry.ts';
import { LOTS_COLUMN, parsePricingCells, PRICE_COLUMN, writePricingCells } from './pricing-rules.ts';

/** Rows of one file. */
const IMPORT_ROWS_MAX = 5_000;
const SEPARATOR = ';';

interface Column<Value> {
  readonly write: (value: Value) => string;
  /** Undefined: the cell is not valid. */
  readonly read: (text: string) => Value | undefined;
  readonly expected: string;
}

const required: Column<string> = { write: (value) => value, read: (text) => text, expected: 'a text' };
const text: Column<string | null> = {
  write: (value) => value ?? '',
  read: (cell) => (cell.trim() === '' ? null : cell),
  expected: 'a text',
};
const texts: Column<readonly string[]> = {
  write: (value) => writeTexts(value, SEPARATOR),
  read: (cell) => parseTexts(cell, SEPARATOR),
  expected: 'texts separated by ";", each in quotes that holds one',
};
const number: Column<number | null> = {
  write: (value) => (value === null ? '' : String(value)),
  read: (cell) => {
    if (cell.trim() === '') return null;
    return Number.isFinite(Number(cell)) ? Number(cell) : undefined;
  },
  expected: 'a number with a decimal point',
};
const TRUE = new Set(['true', 'yes', '1']);
const FALSE = new Set(['', 'false', 'no', '0']);
const flag: Column<boolean> = {
  write: String,
  read: (cell) => {
    const word = cell.trim().toLowerCase();
    return TRUE.has(word) ? true : FALSE.has(word) ? false : undefined;
  },
  expected: 'true or false',
};
const METHODS: readonly (keyof Bioactivity)[] = ['bli', 'elisa', 'spr'];
const bioactivity: Column<Bioactivity | null> = {
  write: (value) => {
    const shown = METHODS.filter((method) => value?.[method] === true);
    return value !== null && shown.length === 0 ? 'none' : shown.join(`${SEPARATOR} `);
  },
  read: (cell) => {
    const word = cell.trim().toLowerCase();
    if (word === '') return null;
    const named = word === 'none' ? [] : splitList(word);
    if (!named.every((name) => METHODS.some((method) => method === name))) return undefined;
    return { bli: named.includes('bli'), elisa: named.includes('elisa'), spr: named.includes('spr') };
  },
  expected: `${METHODS.join(', ')} separated by ";", or none`,
};

type PlainField = Exclude<keyof TargetEntry, 'pricing'>;

const columns: { readonly [Field in PlainField]: Column<TargetEntry[Field]> } = {
  catalog_number: required,
  name: required,
  vendor_name: required,
  uniprot_id: text,
  gene_names: texts,
  organism: text,
  family: text,
  conjugated: flag,
  description: text,
  synonyms: texts,
  ncbi_id: text,
  taxon_id: text,
  subcellular_locations: texts,
  construct: text,
  oligomeric_state: text,
  tags: texts,
  is_fc_fusion: flag,
  expression_system: text,
  purity: number,
  molecular_weight: text,
  sequence: text,
  structures: texts,
  bioactivity,
  lot: text,
  stock_ug: number,
  control_kd_m: number,
  retired: flag,
};
export const catalogColumns: readonly string[] = [...Object.keys(columns), PRICE_COLUMN, LOTS_COLUMN];

function isPlainField(name: string): name is PlainField {
  return Object.hasOwn(columns, name);
}

function splitList(cell: string): string[] {
  return cell
    .split(SEPARATOR)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

export function writeCatalogCsv(entries: readonly TargetEntry[]): string {
  const rows = entries.map((entry) => [
    ...Object.keys(columns).map((name) => (isPlainField(name) ? writeCell(entry, name) : '')),
    ...writePricingCells(entry.pricing),
  ]);
  return [catalogColumns, ...rows].map((cells) => `${cells.map(writeCsvField).join(',')}\r\n`).join('');
}

function writeCell<Field extends PlainField>(entry: Pick<TargetEntry, Field>, field: Field): string {
  const column: Column<TargetEntry[Field]> = columns[field];
  return column.write(entry[field]);
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
    if (!isPlainField(name)) continue;
    const cell = parseCsvField(cells[index] ?? '');
    const value = columns[name].read(cell);
    if (value === undefined) refuse(`${name} "${cell}" is not ${columns[name].expected}`);
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
