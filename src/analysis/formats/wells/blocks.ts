/**
 * Blocks in the shape of a plate, as plate readers and plate maps have them: a row of column numbers 1, 2, 3 …, and
 * under it rows that start with their letter. The text left of the numbers, or in the line above them, is the heading
 * of the block; a text right of a row is its label. Blocks come from delimited text or a worksheet; other lines are
 * metadata of the instrument.
 */
import { createGridError } from '../reading/grid.ts';
import type { Grid, GridRow } from '../reading/grid.ts';
import type { Field } from '../reading/fields.ts';
import { LIMITS } from '../reading/limits.ts';
import { readBlockRows, readRowLetter } from './block-rows.ts';
import type { BlockShape } from './block-rows.ts';
import { isValueLike } from './value-text.ts';

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
