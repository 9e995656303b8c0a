/** Draws curves in a terminal: each cell of text is a braille pattern of 2 × 4 dots (Unicode 2800 to 28FF). */
export interface Line {
  readonly x: readonly number[];
  /** One for each x; null leaves a gap. */
  readonly y: readonly (number | null)[];
}

export interface Axes {
  readonly xTitle: string;
  readonly yTitle: string;
  /** Size of the drawing in cells of text, without the labels. */
  readonly columns: number;
  readonly rows: number;
}

const FIRST_PATTERN = 0x2800;
/** Bits of a pattern, by column and row of the dot (ISO/TR 11548-1). */
const DOTS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Lines of text with labels at both ends of each axis; empty when no value is finite. */
export function drawLines(lines: readonly Line[], { xTitle, yTitle, columns, rows }: Axes): string[] {
  const xs = findRange(lines.map(({ x }) => x));
  const ys = findRange(lines.map(({ y }) => y));
  if (xs === undefined || ys === undefined) return [];
  const cells = Array.from({ length: rows }, () => Array.from({ length: columns }, () => 0));
  const setDot = (column: number, row: number): void => {
    const line = cells[Math.floor(row / 4)];
    const cell = Math.floor(column / 2);
    if (line === undefined || line[cell] === undefined) return;
    line[cell] |= DOTS[column % 2 === 0 ? 0 : 1][row % 4] ?? 0;
  };
  for (const line of lines) drawLine(line, { xs, ys, width: columns * 2, height: rows * 4 }, setDot);
  const labels = [formatLabel(ys.to), formatLabel(ys.from)];
  const margin = Math.max(...labels.map((label) => label.length));
  const body = cells.map((line, index) => {
    const label = index === 0 ? labels[0] : index === rows - 1 ? labels[1] : '';
    const text = line.map((pattern) => String.fromCodePoint(FIRST_PATTERN + pattern)).join('');
    return `${(label ?? '').padStart(margin)} │${text}`;
  });
  const [left, right] = [formatLabel(xs.from), `${formatLabel(xs.to)} ${xTitle}`];
  const gap = ' '.repeat(Math.max(1, columns - left.length - right.length));
  return [
    `${' '.repeat(margin)} ${yTitle}`,
    ...body,
    `${' '.repeat(margin)} └${'─'.repeat(columns)}`,
    `${' '.repeat(margin + 2)}${left}${gap}${right}`,
  ];
}

interface Frame {
  readonly xs: Range;
  readonly ys: Range;
  readonly width: number;
  readonly height: number;
}

/** Connects neighboring points with as many dots as their distance has. */
function drawLine({ x, y }: Line, frame: Frame, setDot: (column: number, row: number) => void): void {
  let before: readonly [number, number] | undefined;
  for (const [index, value] of y.entries()) {
    const at = x[index];
    if (value === null || at === undefined || !Number.isFinite(value) || !Number.isFinite(at)) {
      before = undefined;
      continue;
    }
    const column = scale(at, frame.xs, frame.width);
    const row = frame.height - 1 - scale(value, frame.ys, frame.height);
    const [fromColumn, fromRow] = before ?? [column, row];
    const steps = Math.max(1, Math.abs(column - fromColumn), Math.abs(row - fromRow));
    for (let step = 0; step <= steps; step++)
      setDot(
        Math.round(fromColumn + ((column - fromColumn) * step) / steps),
        Math.round(fromRow + ((row - fromRow) * step) / steps),
      );
    before = [column, row];
  }
}

function scale(value: number, { from, to }: Range, size: number): number {
  return to === from ? Math.floor(size / 2) : Math.round(((value - from) / (to - from)) * (size - 1));
}

function findRange(lists: readonly (readonly (number | null)[])[]): Range | undefined {
  let from = Infinity;
  let to = -Infinity;
  for (const list of lists)
    for (const value of list) {
      if (value === null || !Number.isFinite(value)) continue;
      from = Math.min(from, value);
      to = Math.max(to, value);
    }
  return from <= to ? { from, to } : undefined;
}

function formatLabel(value: number): string {
  return String(Number(value.toPrecision(3)));
}
