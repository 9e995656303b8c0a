/**
 * Text tables: columns as wide as needed, numbers aligned to the right. Where the terminal is too narrow, less important
 * columns move below their row.
 */
import { toPlainText } from './terminal.ts';

export interface Column<Row> {
  readonly title: string;
  /** Behind the title, where all cells share one. */
  readonly unit?: string;
  readonly align?: 'left' | 'right';
  /** Columns move below the row from the highest rank down until the table fits; one without a rank always stays. */
  readonly rank?: number;
  getCell(row: Row): string;
  /** Colors the cell after padding. */
  getStyle?(row: Row): (text: string) => string;
}

export interface Table {
  readonly lines: readonly string[];
  /** Titles of the columns that stand below each row. */
  readonly wrapped: readonly string[];
}

const GAP = '  ';
const INDENT = '    ';

/** Lays out the rows; `width` is that of the terminal, or infinite without one. */
export function layTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: { readonly width?: number; readonly styleTitle?: (title: string) => string } = {},
): Table {
  const measured = columns.map((column) => {
    const cells = rows.map((row) => toPlainText(column.getCell(row)));
    const head = column.unit === undefined ? column.title : `${column.title} ${column.unit}`;
    // The case of a unit has a meaning: M is mol/L, m is the meter.
    const label = `${column.title.toLowerCase()}${head.slice(column.title.length)}`;
    return { column, head, label, cells, width: Math.max(getLength(head), ...cells.map(getLength)) };
  });
  // A column without any value is omitted.
  const filled = measured.filter(
    ({ column, cells }) => column.rank === undefined || cells.some((cell) => cell !== ''),
  );
  const fittingColumns = fitColumns(filled, options.width ?? Infinity);
  const style = options.styleTitle ?? ((title: string) => title);
  const wrapped = filled.filter((each) => !fittingColumns.includes(each));
  const width = options.width ?? Infinity;
  const joinCells = (texts: readonly string[]): string => texts.join(GAP).trimEnd();
  return {
    lines: [
      style(joinCells(fittingColumns.map(({ column, head, width }) => padText(head, width, column.align)))),
      ...rows.flatMap((row, index) => [
        joinCells(
          fittingColumns.map(({ column, cells, width: columnWidth }) => {
            const text = padText(cells[index] ?? '', columnWidth, column.align);
            return column.getStyle?.(row)(text) ?? text;
          }),
        ),
        ...wrapPieces(
          wrapped.flatMap(({ label, cells }) => {
            const cell = cells[index] ?? '';
            return cell === '' ? [] : [`${label}: ${cell}`];
          }),
          width,
        ),
      ]),
    ],
    wrapped: wrapped.map(({ column }) => column.title),
  };
}

/** Puts as many pieces into each line as fit; one that is longer than a line is broken. */
function wrapPieces(pieces: readonly string[], width: number): string[] {
  const room = Math.max(1, width - INDENT.length);
  const lines: string[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    if (last !== undefined && getLength(last) + GAP.length + getLength(piece) <= room)
      lines.splice(-1, 1, `${last}${GAP}${piece}`);
    else {
      const characters = Array.from(piece);
      for (let start = 0; start < characters.length; start += room)
        lines.push(characters.slice(start, start + room).join(''));
    }
  }
  return lines.map((line) => INDENT + line);
}

interface Measure {
  readonly column: { readonly rank?: number };
  readonly width: number;
}

function fitColumns<Each extends Measure>(columns: readonly Each[], limit: number): readonly Each[] {
  const total = columns.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length);
  if (total <= limit) return columns;
  const highest = Math.max(...columns.map(({ column }) => column.rank ?? -1));
  if (highest < 0) return columns;
  return fitColumns(
    columns.filter(({ column }) => column.rank !== highest),
    limit,
  );
}

function padText(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const fill = ' '.repeat(Math.max(0, width - getLength(text)));
  return align === 'right' ? `${fill}${text}` : `${text}${fill}`;
}

/** In code points: the tables contain Latin, Greek and digits, one cell each. */
export function getLength(text: string): number {
  return Array.from(text).length;
}
