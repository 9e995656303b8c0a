/** Tables of cells from delimited text or a worksheet, with the position of every cell and its number. */
import { formatCount } from '#core/words.ts';
import { FormatError } from '../../failures/errors.ts';
import { type InputFile, LIMITS } from './input-file.ts';
import { TextFile, type Line } from './text.ts';

export interface GridRow {
  /** 1-based line of the file, or row of the sheet. */
  number: number;
  cells: Field[];
}

export interface Grid {
  /** The name of the file, with the sheet if there is one. */
  name: string;
  rows: GridRow[];
  decimal: DecimalMark;
  /** Whether the last line has no line end, so that the file may have been cut off. */
  open: boolean;
}

export type DecimalMark = '.' | ',';

export const CELLS_MAX = 600_000;
const COLUMNS_MAX = 4_096;
const SEPARATORS: readonly Separator[] = ['\t', ';', ','];

/** Reads a table; rows without any text are left out. Without a given separator, the first line decides it. */
export function readGrid(input: InputFile, known?: Separator): Grid {
  const file = new TextFile(input, 'windows-1252');
  const separator = known ?? detectSeparator(file);
  const rows: GridRow[] = [];
  let cells = 0;
  for (const line of file.readLines()) {
    if (line.text.trim() === '') continue;
    const fields = trimFields(splitFields(file, line, separator, COLUMNS_MAX));
    cells += fields.length;
    if (cells > CELLS_MAX)
      throw file.createError({ line: line.number }, `at most ${CELLS_MAX} cells`, 'more');
    rows.push({ number: line.number, cells: fields });
  }
  const grid: Grid = { name: file.name, rows, decimal: '.', open: !file.endsWithLineEnd };
  return { ...grid, decimal: detectDecimalMark(grid, separator) };
}

function trimFields(fields: Field[]): Field[] {
  return fields.map(({ text, column }) => ({ text: text.trim(), column }));
}

/** Returns the most frequent separator of the first line that has one; semicolons and tabs before commas. */
function detectSeparator(file: TextFile): Separator {
  for (const { text } of file.readLines()) {
    const counts = SEPARATORS.map((separator) => countSeparators(text, separator));
    const most = Math.max(...counts);
    if (most > 0) return SEPARATORS[counts.indexOf(most)];
  }
  return ',';
}

function countSeparators(text: string, separator: Separator): number {
  let count = 0;
  for (let at = text.indexOf(separator); at !== -1; at = text.indexOf(separator, at + 1)) count += 1;
  return count;
}

// A group of thousands never starts with a zero: `0,271` can only be a decimal.
const GROUPED = {
  '.': /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/,
  ',': /^[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?$/,
} as const;
const COMMA_DECIMAL = /^[+-]?\d*,\d+([eE][+-]?\d+)?$/;
const SEVERAL_GROUPS = /^[+-]?\d{1,3}(,\d{3}){2,}$/;
const POINT = /^[+-]?\d[\d,]*\.\d+/;

/**
 * Decides the decimal mark of a file. A comma, where some number cannot be read otherwise (`30,5`, `0,271`), or where
 * every comma may be a decimal one and the separator is the semicolon that such files use. A point, where some number
 * has a point or several thousands groups. Throws FormatError for a tab-separated file that allows both, because a wrong
 * guess would be wrong by a factor of 1,000.
 */
function detectDecimalMark(grid: Grid, separator: Separator): DecimalMark {
  if (separator === ',') return '.';
  let isPoint = false;
  let unclear: { row: GridRow; cell: Field } | null = null;
  for (const row of grid.rows) {
    for (const cell of row.cells) {
      if (COMMA_DECIMAL.test(cell.text)) {
        if (!GROUPED['.'].test(cell.text)) return ',';
        unclear ??= { row, cell };
      } else if (POINT.test(cell.text) || SEVERAL_GROUPS.test(cell.text)) isPoint = true;
    }
  }
  if (isPoint || unclear === null) return '.';
  if (separator === ';') return ',';
  const expected = 'numbers that show whether a comma is the decimal mark or groups thousands';
  throw createGridError(grid, unclear, expected, formatFound(unclear.cell.text));
}

/** Parses a number with the decimal mark of its file and thousands groups; NaN for anything else. */
export function parseLocalNumber(text: string, decimal: DecimalMark): number {
  if (decimal === '.') {
    const isGrouped = text.includes(',') && GROUPED['.'].test(text);
    return parsePlainNumber(isGrouped ? text.replaceAll(',', '') : text);
  }
  const plain = GROUPED[','].test(text) ? text.replaceAll('.', '') : text;
  return parsePlainNumber(plain.replace(',', '.'));
}

export function createGridError(
  grid: Grid,
  at: { row: GridRow | null; cell?: Field | null },
  expected: string,
  found: string,
): FormatError {
  return new FormatError({
    file: grid.name,
    line: at.row?.number ?? null,
    column: at.cell?.column ?? null,
    expected,
    found,
  });
}

/** Returns the finite number in a cell; otherwise throws an error that names the cell. */
export function readGridNumber(grid: Grid, row: GridRow, index: number, what: string): number {
  const cell = row.cells.at(index);
  const value = parseLocalNumber(cell?.text ?? '', grid.decimal);
  if (Number.isNaN(value))
    throw createGridError(
      grid,
      { row, cell: cell ?? null },
      `${what}, a finite number`,
      formatFound(cell?.text ?? ''),
    );
  return value;
}

/** Rejects rows after the header whose number of cells differs; a truncated line is one of them. */
export function assertWidth(grid: Grid, row: GridRow, width: number): void {
  if (row.cells.length === width) return;
  const found = `${row.cells.length}${row === grid.rows.at(-1) ? ' (the file looks cut off)' : ''}`;
  throw createGridError(grid, { row }, formatCount(width, 'field'), found);
}

export const OPEN_END =
  'The last line of the file has no line end: if it was cut off there, rows are missing.';

/**
 * Spreadsheets omit the last line end. In that case the last number of the file must be as long as the longest of its
 * column, so that it is not a truncated one; a notice tells the reader of the result.
 */
export function assertComplete(grid: Grid, notices: string[]): void {
  if (!grid.open) return;
  const row = grid.rows.at(-1);
  const cell = row?.cells.at(-1);
  if (row === undefined || cell === undefined) return;
  const index = row.cells.length - 1;
  const countDigits = (text: string): number => text.replaceAll(/\D/g, '').length;
  const countDecimals = (text: string): number => countDigits(text.split(grid.decimal)[1] ?? '');
  const others = grid.rows.flatMap((each) => {
    const text = each === row ? undefined : each.cells.at(index)?.text;
    return text === undefined || Number.isNaN(parseLocalNumber(text, grid.decimal)) ? [] : [text];
  });
  const isWhole =
    others.length === 0 ||
    countDecimals(cell.text) >= others.reduce((most, text) => Math.max(most, countDecimals(text)), 0) ||
    countDigits(cell.text) >= others.reduce((most, text) => Math.max(most, countDigits(text)), 0);
  if (!isWhole)
    throw createGridError(
      grid,
      { row, cell },
      'a line end after the last line (the file looks cut off)',
      formatFound(cell.text),
    );
  notices.push(OPEN_END);
}

/** The fields of a line, and the numbers in them. */

const NUMBER_CHARACTERS = /^[0-9eE+.-]+$/;

/** Parses a plain decimal number; NaN for blanks, hexadecimal, infinities and thousands separators. */
export function parsePlainNumber(text: string): number {
  if (!NUMBER_CHARACTERS.test(text)) return Number.NaN;
  const value = Number(text);
  return Number.isFinite(value) ? value : Number.NaN;
}

export interface Field {
  text: string;
  /** 1-based, in characters. */
  column: number;
}

type Separator = ',' | ';' | '\t';

/**
 * Splits one line at the separator. Fields may be quoted as in RFC 4180, with doubled quotes inside, but a quoted field
 * may not contain a line end.
 */
export function splitFields(
  file: TextFile,
  line: Line,
  separator: Separator = ',',
  fieldsMax: number = LIMITS.fieldsPerRecord,
): Field[] {
  const fields: Field[] = [];
  const { text } = line;
  let at = 0;
  for (;;) {
    if (fields.length >= fieldsMax) {
      const expected = `at most ${fieldsMax} fields`;
      throw file.createError({ line: line.number, column: at + 1 }, expected, 'more');
    }
    const column = at + 1;
    if (text[at] === '"') {
      const field = readQuotedField(file, line, at);
      fields.push({ text: field.text, column });
      at = field.end;
      if (at < text.length && text[at] !== separator) {
        throw file.createError(
          { line: line.number, column: at + 1 },
          'a separator after the closing quote',
          text.slice(at, at + 8),
        );
      }
    } else {
      const next = text.indexOf(separator, at);
      const end = next === -1 ? text.length : next;
      fields.push({ text: text.slice(at, end), column });
      at = end;
    }
    if (at >= text.length) return fields;
    at += 1;
  }
}

function readQuotedField(file: TextFile, line: Line, start: number): { text: string; end: number } {
  const { text } = line;
  let value = '';
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) {
      throw file.createError(
        { line: line.number, column: start + 1 },
        'a closing quote on the same line',
        'end of line',
      );
    }
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') return { text: value, end: quote + 1 };
    value += '"';
    at = quote + 2;
  }
}

/** Returns the finite number in a field; otherwise throws an error that names the field. */
export function readNumber(file: TextFile, line: Line, field: Field, fieldName: string): number {
  const value = parsePlainNumber(field.text);
  if (Number.isNaN(value)) {
    throw file.createError(
      { line: line.number, column: field.column },
      `${fieldName}, a finite number`,
      formatFound(field.text),
    );
  }
  return value;
}

/** Formats what stands in the place of the expected text, for an error. */
export function formatFound(text: string): string {
  return text === '' ? 'nothing' : `"${text}"`;
}
