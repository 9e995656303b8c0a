/**
 * Blocks in the shape of a plate, as plate readers and plate maps have them: a row of column numbers 1, 2, 3 …, and
 * under it rows that start with their letter. The text left of the numbers, or in the line above them, names the
 * block. Blocks come from delimited text or a worksheet; other lines are metadata of the instrument.
 */
import { formatCount } from '#core/counts.ts';
import { createGridError } from '../reading/grid.ts';
import type { Grid, GridRow } from '../reading/grid.ts';
import type { Field } from '../reading/fields.ts';
import { LIMITS } from '../reading/limits.ts';

export interface BlockCell {
  well: string;
  row: GridRow;
  cell: Field;
}

export interface Block {
  /** Name of the block; empty where nothing names it. */
  name: string;
  header: GridRow;
  cells: BlockCell[];
}

export interface Blocks {
  grid: Grid;
  blocks: Block[];
  /** Lines outside all blocks, as `key: value` where they have two cells. */
  metadata: Record<string, string>;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const WIDTHS = new Set([1, 2, 3, 4, 6, 8, 12, 24]);
const METADATA_MAX = 200;
/** The text in place of a value beyond the range of the detector. */
export const OVERFLOW = /^(over|ovrflw|overflow|sat|saturated|\*+|>max|#sat)$/i;
const VALUE_LIKE = /^[+-]?(\d[\d.,]*|[.,]\d+)(e[+-]?\d+)?$/i;

export function readBlocks(grid: Grid): Blocks {
  const blocks: Block[] = [];
  const metadata: Record<string, string> = {};
  let wells = 0;
  let index = 0;
  while (index < grid.rows.length) {
    const header = grid.rows[index];
    const at = findNumbers(header);
    if (
      at === null ||
      index + 1 >= grid.rows.length ||
      readRowLetter(grid.rows[index + 1], at.from) !== 'A'
    ) {
      addMetadata(metadata, header);
      index += 1;
      continue;
    }
    const block: Block = { name: readBlockName(grid, index, at.from), header, cells: [] };
    index = readRows(grid, index + 1, { block, ...at });
    blocks.push(block);
    wells += block.cells.length;
    if (wells > LIMITS.readings)
      throw createGridError(grid, { row: header }, `at most ${LIMITS.readings} wells in all blocks`, 'more');
  }
  return { grid, blocks, metadata };
}

/** Whether a cell looks like a value, though it may turn out not to be one. */
export function hasValues({ cells }: Block): boolean {
  return cells.some(({ cell }) => OVERFLOW.test(cell.text) || VALUE_LIKE.test(cell.text));
}

/** Finds where a row counts 1, 2, 3 … up to the width of a plate at its end. */
function findNumbers({ cells }: GridRow): { from: number; width: number } | null {
  const from = cells.findIndex(({ text }) => /^0?1$/.test(text));
  if (from < 1) return null;
  let width = 0;
  while (
    from + width < cells.length &&
    Number(cells[from + width].text) === width + 1 &&
    cells[from + width].text !== ''
  )
    width += 1;
  const rest = cells.slice(from + width).every(({ text }) => text === '');
  return rest && WIDTHS.has(width) ? { from, width } : null;
}

function readRowLetter({ cells }: GridRow, from: number): string {
  return (cells.at(from - 1)?.text ?? '').toUpperCase();
}

function readBlockName(grid: Grid, index: number, from: number): string {
  const own = grid.rows[index].cells.slice(0, from).map(({ text }) => text);
  const name = own.filter((text) => text !== '' && text !== '<>').join(' ');
  if (name !== '') return name;
  const above = grid.rows.at(index - 1);
  if (index === 0 || above === undefined) return '';
  const words = above.cells.map(({ text }) => text).filter((text) => text !== '');
  return words.length <= 3 && above.number >= grid.rows[index].number - 2 ? words.join(' ') : '';
}

/** Reads the rows A, B, C … while they are consecutive; returns the index after the block. */
function readRows(grid: Grid, start: number, at: { block: Block; from: number; width: number }): number {
  let index = start;
  for (; index < grid.rows.length; index += 1) {
    const row = grid.rows[index];
    const letter = LETTERS.at(index - start);
    if (letter === undefined || readRowLetter(row, at.from) !== letter) break;
    const cells = row.cells.slice(at.from);
    if (cells.length < at.width) {
      const cut = index === grid.rows.length - 1 ? ' (the file looks cut off)' : '';
      throw createGridError(
        grid,
        { row },
        `${formatCount(at.width, 'well')} in row ${letter}`,
        `${cells.length}${cut}`,
      );
    }
    for (const [k, cell] of cells.slice(0, at.width).entries())
      at.block.cells.push({ well: `${letter}${k + 1}`, row, cell });
  }
  const rows = index - start;
  const row = grid.rows[index - 1];
  const expected = { 12: 8, 24: 16 }[at.width];
  if (expected !== undefined && rows !== expected)
    throw createGridError(
      grid,
      { row },
      `rows A to ${LETTERS.at(expected - 1) ?? ''} of a plate with ${at.width} columns`,
      formatCount(rows, 'row'),
    );
  return index;
}

function addMetadata(metadata: Record<string, string>, { cells }: GridRow): void {
  const words = cells.map(({ text }) => text).filter((text) => text !== '');
  if (words.length !== 2 || Object.keys(metadata).length >= METADATA_MAX) return;
  const [key, value] = words;
  metadata[key.replace(/:$/, '')] = value;
}
