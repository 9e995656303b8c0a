/** Text tables: columns as wide as needed, numbers aligned to the right, and less important columns omitted. */
import { toPlainText } from './terminal.ts';

export interface Column<Row> {
  readonly title: string;
  /** Behind the title, where all cells share one. */
  readonly unit?: string;
  readonly align?: 'left' | 'right';
  /** Columns are omitted from the highest rank down until the table fits; a column without a rank always stays. */
  readonly rank?: number;
  getCell(row: Row): string;
  /** Colors the cell after padding. */
  getStyle?(row: Row): (text: string) => string;
}

export interface Table {
  readonly lines: readonly string[];
  /** Titles of the omitted columns. */
  readonly hidden: readonly string[];
}

const GAP = '  ';

/** Lays out the rows; `width` is that of the terminal, or infinite without one. */
export function layTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: { readonly width?: number; readonly styleTitle?: (title: string) => string } = {},
): Table {
  const measured = columns.map((column) => {
    const cells = rows.map((row) => toPlainText(column.getCell(row)));
    const head = column.unit === undefined ? column.title : `${column.title} ${column.unit}`;
    return { column, head, cells, width: Math.max(getLength(head), ...cells.map(getLength)) };
  });
  // A column without any value is omitted.
  const filled = measured.filter(
    ({ column, cells }) => column.rank === undefined || cells.some((cell) => cell !== ''),
  );
  const kept = fitColumns(filled, options.width ?? Infinity);
  const style = options.styleTitle ?? ((title: string) => title);
  const joinCells = (texts: readonly string[]): string => texts.join(GAP).trimEnd();
  return {
    lines: [
      style(joinCells(kept.map(({ column, head, width }) => padText(head, width, column.align)))),
      ...rows.map((row, index) =>
        joinCells(
          kept.map(({ column, cells, width }) => {
            const text = padText(cells[index] ?? '', width, column.align);
            return column.getStyle?.(row)(text) ?? text;
          }),
        ),
      ),
    ],
    hidden: filled.filter((each) => !kept.includes(each)).map(({ column }) => column.title),
  };
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
function getLength(text: string): number {
  return Array.from(text).length;
}
