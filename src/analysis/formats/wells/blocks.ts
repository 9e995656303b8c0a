/**
 * Blocks in the shape of a plate, as plate readers and plate maps have them: a row of column numbers 1, 2, 3 …, and
 * under it rows that start with their letter. The text left of the numbers, or in the line above them, is the heading
 * of the block; a text right of a row is its label. Blocks come from delimited text or a worksheet; other lines are
 * metadata of the instrument.
 */
import { createGridError, type Grid, type GridRow, type Field, formatFound } from '../reading/grid.ts';
import { LIMITS } from '../reading/input-file.ts';
import { formatCount } from '#core/words.ts';

export interface BlockCell {
  well: string;
  row: GridRow;
  cell: Field;
}

export interface Block {
  /** Heading and label; empty where nothing names the block. */
  name: string;
  heading: string;
  /** The text right of its rows, which says what they are; null where they have none. */
  label: string | null;
  header: GridRow;
  cells: BlockCell[];
}

export interface Blocks {
  grid: Grid;
  blocks: Block[];
  /** Lines outside all blocks, as `key: value` where they have two cells. */
  metadata: Record<string, string>;
}

const WIDTHS = new Set([1, 2, 3, 4, 6, 8, 12, 24]);
const METADATA_MAX = 200;
export function readBlocks(grid: Grid): Blocks {
  const blocks: Block[] = [];
  const metadata: Record<string, string> = {};
  let wells = 0;
  let index = 0;
  while (index < grid.rows.length) {
    const header = grid.rows[index];
    const shape = findShape(grid, index);
    if (shape === null) {
      addMetadata(metadata, header);
      index += 1;
      continue;
    }
    const heading = readHeading(grid, index, shape.from);
    const { reads, next } = readBlockRows(grid, index + 1, shape, (at) => findShape(grid, at) !== null);
    index = next;
    for (const { label, cells } of reads) {
      blocks.push({ name: joinName(heading, label), heading, label, header, cells });
      wells += cells.length;
    }
    if (wells > LIMITS.readings)
      throw createGridError(grid, { row: header }, `at most ${LIMITS.readings} wells in all blocks`, 'more');
  }
  return { grid, blocks, metadata };
}

/** Whether a cell looks like a value, though it may turn out not to be one. */
export function hasValues({ cells }: Block): boolean {
  return cells.some(({ cell }) => isValueLike(cell.text));
}

/** Finds where a row counts 1, 2, 3 … up to the width of a plate at its end, over the row A; null elsewhere. */
function findShape(grid: Grid, index: number): BlockShape | null {
  const header = grid.rows[index];
  const { cells } = header;
  const from = cells.findIndex(({ text }) => /^0?1$/.test(text));
  if (from < 1 || readRowLetter(grid.rows.at(index + 1), from) !== 'A') return null;
  let width = 0;
  while (
    from + width < cells.length &&
    Number(cells[from + width].text) === width + 1 &&
    cells[from + width].text !== ''
  )
    width += 1;
  if (cells.slice(from + width).some(({ text }) => text !== '')) return null;
  if (!WIDTHS.has(width))
    throw createGridError(grid, { row: header }, `${[...WIDTHS].join(', ')} columns of a plate`, `${width}`);
  return { from, width };
}

/** Headings that say where the values stand, not what they are. */
const SECTION = /^(?:results?|layout)$/i;

function joinName(heading: string, label: string | null): string {
  if (label === null) return heading;
  return heading === '' || SECTION.test(heading) ? label : `${heading} ${label}`;
}

function readHeading(grid: Grid, index: number, from: number): string {
  const own = grid.rows[index].cells.slice(0, from).map(({ text }) => text);
  const name = own.filter((text) => text !== '' && text !== '<>').join(' ');
  if (name !== '') return name;
  // Spreadsheets write an empty line between a title and its block as a row of separators.
  const above = grid.rows.slice(0, index).findLast(({ cells }) => cells.some(({ text }) => text !== ''));
  if (above === undefined) return '';
  const words = above.cells.map(({ text }) => text).filter((text) => text !== '');
  return words.length <= 3 && above.number >= grid.rows[index].number - 2 ? words.join(' ') : '';
}

function addMetadata(metadata: Record<string, string>, { cells }: GridRow): void {
  const words = cells.map(({ text }) => text).filter((text) => text !== '');
  if (words.length !== 2 || Object.keys(metadata).length >= METADATA_MAX) return;
  const [key, value] = words;
  metadata[key.replace(/:$/, '')] = value;
}

/**
 * The rows of a block in the shape of a plate. A row has a line for each read: the first starts with the letter of the
 * row, the others leave it out, and a label right of the values says what the line holds.
 */

/** Where the values of a block stand: the column of the first, and their number in a row. */
interface BlockShape {
  from: number;
  width: number;
}

/** One read of all wells of a block. */
interface BlockRead {
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
function readRowLetter(row: GridRow | undefined, from: number): string {
  return (row?.cells.at(from - 1)?.text ?? '').toUpperCase();
}

/**
 * Reads the lines of the rows A, B, C … from `start`, and returns a read for each line of a row, and the index after the
 * block. `isHeader` says whether a line begins another block. Throws FormatError for a block that is there in part, and
 * where lines of one read have several labels.
 */
function readBlockRows(
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

/** The text in place of a value beyond the range of the detector. */
export const OVERFLOW = /^(over|ovrflw|overflow|sat|saturated|\*+|>max|#sat)$/i;
const VALUE_LIKE = /^[+-]?(\d[\d.,]*|[.,]\d+)(e[+-]?\d+)?$/i;

/** Whether a text looks like a value, though it may turn out not to be one. */
function isValueLike(text: string): boolean {
  return OVERFLOW.test(text) || VALUE_LIKE.test(text);
}
