/**
 * Draws a table row by row: rows are not split, the head is repeated on every page, and columns fit their content.
 */
import type { PdfBlock, PdfColumn } from '../document.ts';
import type { Sheet, Tag } from './sheet.ts';
import { LINE, computeLineHeight, styles, SUNKEN, type TextStyle } from './style.ts';

type TableBlock = Extract<PdfBlock, { kind: 'table' }>;

const PADDING = { x: 6, y: 4 } as const;
/** Largest fraction of the width for a column that does not grow. */
const SHARE_MAX = 0.34;
/** Smallest fraction of the width that growing columns keep together when the others want more than there is. */
const GROWING_SHARE_MIN = 0.2;
/** Columns up to this width, in points, are never narrowed. */
const NARROW = 80;

interface Placed {
  readonly column: PdfColumn;
  readonly x: number;
  /** Width of the text, without padding. */
  readonly width: number;
}

/** Returns the height of the head with the first row, which are never separated. */
export function computeTableStart(sheet: Sheet, { columns, rows }: TableBlock): number {
  const placed = placeColumns(sheet, columns, rows);
  const titles = columns.map(({ title }) => title);
  const first = rows[0] === undefined ? 0 : computeRowHeight(sheet, placed, rows[0], styles.body).height;
  return computeRowHeight(sheet, placed, titles, styles.label).height + first;
}

export function drawTable(sheet: Sheet, block: TableBlock): void {
  const { columns, rows } = block;
  const placed = placeColumns(sheet, columns, rows);
  sheet.ensureRoom(computeTableStart(sheet, block));
  sheet.tag(sheet.root, 'Table', (table) => {
    drawHead(sheet, placed, table);
    for (const [index, cells] of rows.entries()) {
      const { lines, height } = computeRowHeight(sheet, placed, cells, styles.body);
      // The last row never stands alone on a page.
      const last = index > 0 && index === rows.length - 2 ? rows[index + 1] : undefined;
      const company = last === undefined ? 0 : computeRowHeight(sheet, placed, last, styles.body).height;
      if (sheet.ensureRoom(height + company)) drawHead(sheet, placed, undefined);
      drawRow(sheet, placed, table, { lines, height, style: styles.body });
      sheet.drawRule(sheet.y, LINE, 0.4);
    }
  });
}

function placeColumns(sheet: Sheet, columns: readonly PdfColumn[], rows: TableBlock['rows']): Placed[] {
  const natural = columns.map((column, index) => {
    const cells = rows.map((row) => row[index] ?? '');
    const widest = cells.reduce(
      (width, cell) => Math.max(width, sheet.words.measureWidth(styles.body, cell)),
      sheet.words.measureWidth(styles.label, column.title),
    );
    return column.grows === true ? 0 : Math.min(widest, sheet.width * SHARE_MAX) + 2 * PADDING.x + 1;
  });
  const growing = columns.filter(({ grows }) => grows === true).length;
  const total = natural.reduce((sum, width) => sum + width, 0);
  const forOthers = sheet.width * (growing === 0 ? 1 : 1 - GROWING_SHARE_MIN);
  const narrow = natural.reduce((sum, width) => sum + (width < NARROW ? width : 0), 0);
  const squeeze = Math.min(1, (forOthers - narrow) / (total - narrow));
  const widths = natural.map((width) => (width < NARROW ? width : width * squeeze));
  const spare = sheet.width - widths.reduce((sum, width) => sum + width, 0);
  const words = columns.map((column, index) =>
    column.grows === true
      ? measureLongestWord(
          sheet,
          column,
          rows.map((row) => row[index] ?? ''),
        )
      : 0,
  );
  const forWords = words.reduce((sum, width) => sum + width, 0);
  // A word that does not fit is broken inside; where there is no room for all, the columns are alike.
  const isRoomy = forWords <= spare;
  const share = (isRoomy ? spare - forWords : spare) / Math.max(1, growing);
  let { left } = sheet;
  return columns.map((column, index) => {
    const outer = column.grows === true ? share + (isRoomy ? (words[index] ?? 0) : 0) : (widths[index] ?? 0);
    const at = { column, x: left + PADDING.x, width: outer - 2 * PADDING.x };
    left += outer;
    return at;
  });
}

function measureLongestWord(sheet: Sheet, { title }: PdfColumn, cells: readonly string[]): number {
  const words = new Set(cells.flatMap((cell) => cell.split(' ')));
  const widest = [...words].reduce(
    (width, word) => Math.max(width, sheet.words.measureWidth(styles.body, word)),
    sheet.words.measureWidth(styles.label, title),
  );
  return widest + 2 * PADDING.x + 1;
}

interface Row {
  readonly lines: readonly string[][];
  readonly height: number;
  readonly style: TextStyle;
}

function computeRowHeight(
  sheet: Sheet,
  placed: readonly Placed[],
  cells: readonly string[],
  style: TextStyle,
): Omit<Row, 'style'> {
  const lines = placed.map(({ width }, index) => sheet.words.breakLines(style, cells[index] ?? '', width));
  const most = Math.max(...lines.map((cell) => cell.length));
  return { lines, height: most * computeLineHeight(style) + 2 * PADDING.y };
}

/** Draws the head. On the first page it is part of the table; where it is repeated, it is decoration. */
function drawHead(sheet: Sheet, placed: readonly Placed[], table: Tag | undefined): void {
  const titles = placed.map(({ column }) => column.title);
  const { lines, height } = computeRowHeight(sheet, placed, titles, styles.label);
  const { left, width, y } = sheet;
  sheet.decorate((pdf) => pdf.rect(left, y, width, height).fill(SUNKEN));
  if (table !== undefined) {
    drawRow(sheet, placed, table, { lines, height, style: styles.label }, 'TH');
    return;
  }
  sheet.decorate(() => {
    for (const [index, at] of placed.entries())
      sheet.print(lines[index] ?? [], styles.label, { ...computeBox(at, y), align: at.column.align });
  }, 'Pagination');
  sheet.y += height;
}

function computeBox({ x, width }: Placed, y: number) {
  return { x, width, y: y + PADDING.y };
}

function drawRow(
  sheet: Sheet,
  placed: readonly Placed[],
  table: Tag,
  { lines, height, style }: Row,
  type: 'TH' | 'TD' = 'TD',
): void {
  sheet.tag(table, 'TR', (row) => {
    for (const [index, at] of placed.entries()) {
      const fill = (cell: Tag): void =>
        sheet.write(cell, lines[index] ?? [], style, { ...computeBox(at, sheet.y), align: at.column.align });
      sheet.tag(row, type, fill, type === 'TH' ? { scope: 'Column' } : {});
    }
  });
  sheet.y += height;
}
