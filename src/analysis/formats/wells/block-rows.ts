/**
 * The rows of a block in the shape of a plate. A row has a line for each read: the first starts with the letter of the
 * row, the others leave it out, and a label right of the values says what the line holds.
 */
import { formatCount } from '#core/counts.ts';
import { createGridError } from '../reading/grid.ts';
import type { Grid, GridRow } from '../reading/grid.ts';
import { formatFound } from '../reading/fields.ts';
import type { BlockCell } from './blocks.ts';
import { isValueLike } from './value-text.ts';

/** Where the values of a block stand: the column of the first, and their number in a row. */
export interface BlockShape {
  from: number;
  width: number;
}

/** One read of all wells of a block. */
export interface BlockRead {
  label: string | null;
  cells: BlockCell[];
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/**
 * Rows of the plates that have so many columns: 384, 96, 48, 24, 12 and 6 wells. Narrower blocks may be the first
 * columns of a plate with 96 wells.
 */
const ROWS: Readonly<Record<number, readonly number[]>> = {
  24: [16],
  12: [8],
  8: [6, 8],
  6: [4, 8],
  4: [3, 8],
  3: [2, 8],
};

/** Returns the letter that a line starts with, before its values; empty where it has none. */
export function readRowLetter(row: GridRow | undefined, from: number): string {
  return (row?.cells.at(from - 1)?.text ?? '').toUpperCase();
}

/**
 * Reads the lines of the rows A, B, C … from `start`, and returns a read for each line of a row, and the index after the
 * block. `isHeader` says whether a line begins another block. Throws FormatError for a block that is there in part, and
 * where lines of one read have several labels.
 */
export function readBlockRows(
  grid: Grid,
  start: number,
  shape: BlockShape,
  isHeader: (index: number) => boolean,
): { reads: BlockRead[]; next: number } {
  const reads: BlockRead[] = [];
  let index = start;
  let rows = 0;
  while (index < grid.rows.length && readRowLetter(grid.rows[index], shape.from) === LETTERS.at(rows)) {
    let lines = 0;
    do {
      addLine(grid, grid.rows[index], { reads, shape, letter: LETTERS[rows], line: lines });
      index += 1;
      lines += 1;
    } while (isNextRead(grid.rows.at(index), shape) && !isHeader(index));
    if (lines !== reads.length)
      throw createGridError(
        grid,
        { row: grid.rows[index - 1] },
        `${formatCount(reads.length, 'line')} in row ${LETTERS[rows]}, as in row A`,
        `${lines}`,
      );
    rows += 1;
  }
  assertRows(grid, index, rows, shape);
  if (reads.length > 1) assertLabels(grid, start, reads);
  return { reads, next: index };
}

/** Whether a line continues the row above: it has no letter, and numbers, or texts with a label. */
function isNextRead(row: GridRow | undefined, shape: BlockShape): boolean {
  if (row === undefined || row.cells.slice(0, shape.from).some(({ text }) => text !== '')) return false;
  const values = row.cells.slice(shape.from, shape.from + shape.width).filter(({ text }) => text !== '');
  if (values.length === 0) return false;
  return readLabel(row, shape, '') !== null || values.some(({ text }) => isValueLike(text));
}

function addLine(
  grid: Grid,
  row: GridRow,
  { reads, shape, letter, line }: { reads: BlockRead[]; shape: BlockShape; letter: string; line: number },
): void {
  const values = row.cells.slice(shape.from, shape.from + shape.width);
  if (values.length < shape.width) {
    const cut = row === grid.rows.at(-1) ? ' (the file looks cut off)' : '';
    throw createGridError(
      grid,
      { row },
      `${formatCount(shape.width, 'well')} in row ${letter}`,
      `${values.length}${cut}`,
    );
  }
  const label = readLabel(row, shape, letter);
  if (letter === 'A') reads.push({ label, cells: [] });
  const read = reads.at(line);
  if (read?.label !== label)
    throw createGridError(
      grid,
      { row },
      read === undefined
        ? `${formatCount(reads.length, 'line')} in row ${letter}, as in row A`
        : `the label ${formatFound(read.label ?? '')} right of row ${letter}, as in row A`,
      read === undefined ? `${line + 1}` : formatFound(label ?? ''),
    );
  for (const [k, cell] of values.entries()) read.cells.push({ well: `${letter}${k + 1}`, row, cell });
}

/** Returns the text right of the values; null for none, and for the letter of the row, which some readers repeat. */
function readLabel({ cells }: GridRow, { from, width }: BlockShape, letter: string): string | null {
  const texts = cells.slice(from + width).flatMap(({ text }) => (text === '' ? [] : text));
  const label = texts.join(' ');
  return label === '' || label.toUpperCase() === letter ? null : label;
}

function assertRows(grid: Grid, index: number, rows: number, { from, width }: BlockShape): void {
  const expected = ROWS[width];
  const following = readRowLetter(grid.rows.at(index), from);
  const isBroken =
    following.length === 1 && LETTERS.includes(following) && isValueRow(grid.rows.at(index), from, width);
  if (!isBroken && (expected === undefined || expected.includes(rows))) return;
  const named = (expected ?? [rows + 1]).map((count) => `A to ${LETTERS[count - 1]}`).join(' or ');
  throw createGridError(
    grid,
    { row: grid.rows[index - 1] },
    `rows ${named} of a plate with ${formatCount(width, 'column')}`,
    isBroken ? `row ${following} after ${formatCount(rows, 'row')}` : formatCount(rows, 'row'),
  );
}

function isValueRow(row: GridRow | undefined, from: number, width: number): boolean {
  const values = row?.cells.slice(from, from + width) ?? [];
  return values.length === width && values.every(({ text }) => text !== '');
}

function assertLabels(grid: Grid, start: number, reads: readonly BlockRead[]): void {
  const unnamed = reads.findIndex(({ label }) => label === null);
  if (unnamed !== -1)
    throw createGridError(
      grid,
      { row: grid.rows[start + unnamed] },
      'the name of the read right of each line, where a row has several',
      'nothing',
    );
}
