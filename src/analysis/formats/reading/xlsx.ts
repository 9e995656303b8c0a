/**
 * Worksheets of an xlsx workbook (ECMA-376) as grids: shared and inline strings, numbers as written, cached results
 * of formulas. Nothing is evaluated. The declared size of a sheet is ignored: only cells with content count. Dates
 * stay serial numbers.
 */
import { FormatError } from '../../failures/errors.ts';
import { CELLS_MAX, type Grid, type GridRow, type Field } from './grid.ts';
import { type InputFile, LIMITS } from './input-file.ts';
import { TextFile } from './text.ts';
import { isZip, unzip } from './zip.ts';
import { findChild, createXmlError, readXmlEvents, parseXmlTree } from './xml.ts';
import type { XmlElement } from './xml.ts';

export interface Sheet extends Grid {
  sheet: string;
}

const WORKBOOK = 'xl/workbook.xml';
const COLUMNS_MAX = 4_096;
const ROWS_MAX = 1_048_576;
const SHEETS_MAX = 512;
const UNPACKED_BYTES_MAX = 96 * 1024 * 1024;

/** Whether a zip archive is a workbook, by the names of its entries. */
export function isXlsx(file: InputFile): boolean {
  if (!isZip(file)) return false;
  const names = new Set(unzip(file).map(({ name }) => name));
  return names.has(WORKBOOK) && names.has('[Content_Types].xml');
}

/** Reads the sheets in the order of the workbook. */
export function readWorkbook(input: InputFile, unpackedBytesMax: number = UNPACKED_BYTES_MAX): Sheet[] {
  const entries = new Map(unzip(input, unpackedBytesMax).map((entry) => [entry.name, entry]));
  const openPart = (name: string): TextFile => {
    const entry = entries.get(name);
    if (entry === undefined) throw createMissingError(input, name);
    return new TextFile({ name: `${input.name} (${name})`, bytes: entry.bytes });
  };
  const targets = new Map<string, string>();
  for (const relation of parseXmlTree(openPart('xl/_rels/workbook.xml.rels')).children) {
    const target = relation.attributes.get('Target') ?? '';
    targets.set(
      relation.attributes.get('Id') ?? '',
      target.startsWith('/') ? target.slice(1) : `xl/${target}`,
    );
  }
  const strings = entries.has('xl/sharedStrings.xml')
    ? readSharedStrings(openPart('xl/sharedStrings.xml'))
    : [];
  const sheets = findChild(parseXmlTree(openPart(WORKBOOK)), 'sheets')?.children ?? [];
  if (sheets.length === 0 || sheets.length > SHEETS_MAX)
    throw createMissingError(input, `1 to ${SHEETS_MAX} sheets`, `${sheets.length}`);
  const room = { cells: CELLS_MAX, characters: LIMITS.fileBytes };
  return sheets.map((sheet) => {
    const name = sheet.attributes.get('name') ?? '';
    const target = targets.get(sheet.attributes.get('id') ?? '');
    if (target === undefined) throw createMissingError(input, `the cells of sheet ${name}`);
    return {
      sheet: name,
      name: `${input.name} (sheet ${name})`,
      rows: readSheet(openPart(target), strings, room),
      decimal: '.',
      open: false,
    };
  });
}

function createMissingError(input: InputFile, expected: string, found = 'none'): FormatError {
  return new FormatError({ file: input.name, line: null, column: null, expected, found });
}

function readSharedStrings(file: TextFile): string[] {
  const items = parseXmlTree(file).children.filter(({ name }) => name === 'si');
  return items.map(getText);
}

/** Joins the pieces of rich text; phonetic readings (`rPh`) are not part of it. */
function getText(item: XmlElement): string {
  return item.children
    .map((child) => (child.name === 't' ? child.text : child.name === 'r' ? getText(child) : ''))
    .join('');
}

interface Open {
  row: number;
  column: number;
  type: string;
  formula: boolean;
  value: string | null;
  at: number;
}

/** What all sheets together may still have. A shared text counts in each of its cells. */
interface Room {
  cells: number;
  characters: number;
}

function readSheet(file: TextFile, strings: readonly string[], room: Room): GridRow[] {
  const rows: GridRow[] = [];
  let row = 0;
  let column = 0;
  let cell: Open | null = null;
  let into: 'value' | 'other' | null = null;
  for (const event of readXmlEvents(file)) {
    if (event.kind === 'open' && event.name === 'row') {
      row = parseOrdinal(file, event.attributes.get('r'), { after: row, most: ROWS_MAX, at: event.at });
      column = 0;
    } else if (event.kind === 'open' && event.name === 'c') {
      column = parseColumn(file, event.attributes.get('r'), { row, column, at: event.at });
      const type = event.attributes.get('t') ?? 'n';
      cell = { row, column, type, formula: false, value: null, at: event.at };
    } else if (event.kind === 'open' && cell !== null) {
      if (event.name === 'f') cell.formula = true;
      into = event.name === 'v' || event.name === 't' ? 'value' : 'other';
      if (into === 'value') cell.value ??= '';
    } else if (event.kind === 'text') {
      if (into === 'value' && cell !== null) cell.value += event.text;
    } else if (event.kind === 'close' && event.name === 'c' && cell !== null) {
      const text = readCellText(file, cell, strings);
      if (text !== '') {
        room.cells -= placeCell(rows, cell, text);
        if (room.cells < 0) throw createXmlError(file, event.at, `at most ${CELLS_MAX} cells`, 'more');
        room.characters -= text.length;
        if (room.characters < 0)
          throw createXmlError(file, event.at, `at most ${LIMITS.fileBytes} characters in all cells`, 'more');
      }
      cell = null;
      into = null;
    } else if (event.kind === 'close') into = null;
  }
  return rows;
}

function parseOrdinal(
  file: TextFile,
  text: string | undefined,
  { after, most, at }: { after: number; most: number; at: number },
): number {
  const value = text === undefined ? after + 1 : Number(text);
  if (!Number.isInteger(value) || value <= after || value > most)
    throw createXmlError(file, at, `a row after ${after} and up to ${most}`, text ?? `${value}`);
  return value;
}

function parseColumn(
  file: TextFile,
  reference: string | undefined,
  { row, column, at }: { row: number; column: number; at: number },
): number {
  if (reference === undefined) return column + 1;
  const found = /^([A-Z]{1,3})(\d{1,7})$/.exec(reference);
  let value = 0;
  for (const letter of found?.[1] ?? '') value = 26 * value + letter.charCodeAt(0) - 64;
  if (found === null || Number(found[2]) !== row || value <= column || value > COLUMNS_MAX)
    throw createXmlError(file, at, `a cell of row ${row} after column ${column}`, reference);
  return value;
}

function readCellText(file: TextFile, cell: Open, strings: readonly string[]): string {
  if (cell.value === null) {
    if (cell.formula) throw createXmlError(file, cell.at, 'the stored result of a formula', 'none');
    return '';
  }
  if (cell.type !== 's') return cell.value.trim();
  const shared = /^\d+$/.test(cell.value) ? strings.at(Number(cell.value)) : undefined;
  if (shared === undefined)
    throw createXmlError(file, cell.at, `a shared text from 0 to ${strings.length - 1}`, cell.value);
  return shared.trim();
}

/**
 * Places a cell in its row. Gaps before it become empty cells; empty rows are absent. Returns how many cells were
 * added.
 */
function placeCell(rows: GridRow[], cell: Open, text: string): number {
  let last = rows.at(-1);
  if (last?.number !== cell.row) {
    last = { number: cell.row, cells: [] };
    rows.push(last);
  }
  const cells: Field[] = last.cells;
  const before = cells.length;
  while (cells.length < cell.column - 1) cells.push({ text: '', column: cells.length + 1 });
  cells.push({ text, column: cell.column });
  return cells.length - before;
}
