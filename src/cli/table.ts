/**
 * Text tables: columns as wide as needed, numbers aligned to the right. Where the terminal is too narrow, less important
 * columns move below their row, then long texts are shortened; where even that does not fit, each row becomes lines of
 * label and value.
 */
import {
  getPalette,
  getTableWidth,
  getTerminal,
  measureWidth,
  shortenText,
  toPlainText,
  wrapText,
} from './terminal.ts';

export interface Column<Row> {
  readonly title: string;
  /** Behind the title, where all cells share one. */
  readonly unit?: string;
  /** By default a column of numbers alone is aligned to the right. */
  readonly align?: 'left' | 'right';
  /** Columns move below the row from the highest rank down until the table fits; one without a rank always stays. */
  readonly rank?: number;
  /** A column that is left out where it does not fit. */
  readonly isOptional?: boolean;
  getCell(row: Row): string;
  /** Colors the cell after padding. */
  getStyle?(row: Row): (text: string) => string;
}

export interface Table {
  /** The titles, empty where each row stands as lines of its own, and then the rows. */
  readonly lines: readonly string[];
  /** The rows alone, for the later pages of a list. */
  readonly rows: readonly string[];
  /** Titles of the columns that stand below each row. */
  readonly wrapped: readonly string[];
}

interface TableOptions {
  /** That of the terminal unless stated; infinite without one. */
  readonly width?: number;
  /** Bold on a terminal unless stated. */
  readonly styleTitle?: (title: string) => string;
}

const GAP = '  ';
const INDENT = '    ';
/** A text is shortened to this, and no further, so that a table fits. */
const SHORT_WIDTH = 16;
/** What is no use in part: an id, an address. */
const WHOLE = /^(?:[\da-f]{8}-[\da-f-]{27}|\w+:\/\/.*)$/;
const NUMBER = /^(?:[<>≤≥~±] ?)?[-−+]?\$?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?(?: ?%)?$/;

interface Measured<Row> {
  readonly column: Column<Row>;
  readonly head: string;
  readonly align: 'left' | 'right';
  readonly cells: readonly string[];
  readonly width: number;
}

export function layTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { width = getTableWidth(), styleTitle = getPalette(getTerminal().stdout).bold }: TableOptions = {},
): Table {
  // A column without any value is omitted.
  const filled = columns
    .map((column) => measureColumn(column, rows))
    .filter(({ column, cells }) => column.rank === undefined || cells.some((cell) => cell !== ''));
  const standing = fitColumns(filled, width);
  const fitting = shortenColumns(standing, width);
  if (fitting === undefined) {
    const lines = rows.flatMap((row, index) => writeRecord(filled, { row, index }, { width, styleTitle }));
    return { lines: lines.slice(1), rows: lines, wrapped: [] };
  }
  const below = filled.filter((each) => !standing.includes(each) && each.column.isOptional !== true);
  const joinCells = (texts: readonly string[]): string => texts.join(GAP).trimEnd();
  const written = rows.flatMap((row, index) => [
    joinCells(
      fitting.map(({ column, cells, width: columnWidth, align }) => {
        const text = padText(cells[index] ?? '', columnWidth, align);
        return column.getStyle?.(row)(text) ?? text;
      }),
    ),
    ...wrapPieces(
      below.flatMap((each) => {
        const [label, cell] = readPair(each, index);
        return cell === '' ? [] : [`${label}: ${cell}`];
      }),
      width,
    ),
  ]);
  const head = joinCells(fitting.map((each) => padText(each.head, each.width, each.align)));
  return {
    lines: [styleTitle(head), ...written],
    rows: written,
    wrapped: below.map(({ column }) => column.title),
  };
}

function measureColumn<Row>(column: Column<Row>, rows: readonly Row[]): Measured<Row> {
  const cells = rows.map((row) => toPlainText(column.getCell(row)));
  const head = column.unit === undefined ? column.title : `${column.title} ${column.unit}`;
  const isNumeric =
    cells.some((cell) => cell !== '') && cells.every((cell) => cell === '' || NUMBER.test(cell));
  const align = column.align ?? (isNumeric ? 'right' : 'left');
  return { column, head, align, cells, width: computeWidth(head, cells) };
}

function computeWidth(head: string, cells: readonly string[]): number {
  return cells.reduce((widest, cell) => Math.max(widest, measureWidth(cell)), measureWidth(head));
}

function computeTotal(columns: readonly { readonly width: number }[]): number {
  return columns.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length);
}

function fitColumns<Row>(columns: readonly Measured<Row>[], limit: number): readonly Measured<Row>[] {
  if (computeTotal(columns) <= limit) return columns;
  const highest = Math.max(...columns.map(({ column }) => column.rank ?? -1));
  if (highest < 0) return columns;
  return fitColumns(
    columns.filter(({ column }) => column.rank !== highest),
    limit,
  );
}

/** Shortens the widest texts until the columns fit; undefined where they cannot. */
function shortenColumns<Row>(
  columns: readonly Measured<Row>[],
  limit: number,
): readonly Measured<Row>[] | undefined {
  const surplus = computeTotal(columns) - limit;
  if (surplus <= 0) return columns;
  const texts = columns.filter(
    (each) => each.align === 'left' && !each.cells.some((cell) => WHOLE.test(cell.trim())),
  );
  const widest = texts.reduce<Measured<Row> | undefined>(
    (before, each) => (before === undefined || each.width > before.width ? each : before),
    undefined,
  );
  if (widest === undefined || widest.width <= SHORT_WIDTH) return undefined;
  const width = Math.max(SHORT_WIDTH, measureWidth(widest.head.trim()), widest.width - surplus);
  if (width >= widest.width) return undefined;
  const cells = widest.cells.map((cell) => shortenText(cell.trimEnd(), width));
  const shortened = { ...widest, head: widest.head.trim(), cells, width };
  return shortenColumns(
    columns.map((each) => (each === widest ? shortened : each)),
    limit,
  );
}

/** The title in lower case, and the value with its unit. */
function readPair<Row>(
  { column, cells }: Measured<Row>,
  index: number,
): readonly [label: string, cell: string] {
  const cell = cells[index]?.trim() ?? '';
  const { title, unit } = column;
  return [title.trim().toLowerCase(), cell === '' || unit === undefined ? cell : `${cell} ${unit}`];
}

/** One row as lines of label and value, below an empty line. */
function writeRecord<Row>(
  columns: readonly Measured<Row>[],
  { row, index }: { readonly row: Row; readonly index: number },
  { width, styleTitle }: Required<TableOptions>,
): string[] {
  const lines = columns.flatMap((each) => {
    const [label, cell] = readPair(each, index);
    if (cell === '') return [];
    const style = each.column.getStyle?.(row) ?? ((text: string) => text);
    const start = `${label}: `;
    const room = width - measureWidth(start);
    if (measureWidth(cell) <= room) return [styleTitle(`${label}:`) + ' ' + style(cell)];
    const pieces = wrapText(cell, Math.max(1, width - GAP.length));
    return [styleTitle(`${label}:`), ...pieces.map((piece) => GAP + style(piece))];
  });
  return ['', ...lines];
}

/** Puts as many pieces into each line as fit; one that is longer than a line is broken. */
function wrapPieces(pieces: readonly string[], width: number): string[] {
  const room = Math.max(1, width - INDENT.length);
  const lines: string[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    if (last !== undefined && measureWidth(last) + GAP.length + measureWidth(piece) <= room)
      lines.splice(-1, 1, `${last}${GAP}${piece}`);
    else lines.push(...wrapText(piece, room));
  }
  return lines.map((line) => INDENT + line);
}

function padText(text: string, width: number, align: 'left' | 'right'): string {
  const fill = ' '.repeat(Math.max(0, width - measureWidth(text)));
  return align === 'right' ? `${fill}${text}` : `${text}${fill}`;
}
