/** The table under sensorgrams: what the fit of each replicate gave, with its interval, residuals and drift. */
import { formatRelation } from '#core/relations.ts';
import type { Sensorgram } from '#features/results/curves.ts';
import type { ResultCurves } from '#features/results/store.ts';
import { getColor } from '#documents/colors.ts';
import type { Row } from '#features/results/figures/measures.ts';
import { formatPx } from '#documents/figures/scale.ts';
import { computeTextWidth, fitText } from '#documents/figures/width.ts';
import { createStroke, drawPath, drawText, TEXT_SIZE, type Mark } from '#documents/scene.ts';
import { formatModelBriefly, formatReplicateOutcome } from '#features/results/words/models.ts';
import { formatPower } from '#core/number-words.ts';
import { formatRate, formatRateInterval } from '#documents/rates.ts';
import { formatReplicateKd } from './replicate-kd.ts';
import { formatDriftRate, listReplicateFacts, type ReplicateFacts } from './replicate-facts.ts';

/** A value, and beneath it what qualifies it. */
interface Cell {
  readonly value: string;
  readonly note: string;
}

interface TableRow {
  readonly replicate: string;
  /** One cell for each column after the first; a single one where the replicate has no fit. */
  readonly cells: readonly Cell[];
}

export interface ParameterTable {
  readonly heads: readonly string[];
  readonly rows: readonly TableRow[];
}

/** A longer unit would take the room of the numbers; the axes and the caption have it too. */
const UNIT_WIDTH = 40;
const EMPTY: Cell = { value: '–', note: '' };

/** Returns null where no replicate was fitted, as in a screen. */
export function buildParameterTable(
  result: ResultCurves,
  curves: readonly Sensorgram[],
): ParameterTable | null {
  const facts = listReplicateFacts(result);
  if (facts.every(({ model }) => model === null)) return null;
  const unit = fitText(result.signal_unit, TEXT_SIZE, UNIT_WIDTH);
  return {
    heads: [
      'Replicate',
      'KD (95% CI)',
      'kon in 1/(M·s)',
      'koff in 1/s',
      `Rmax in ${unit}`,
      `χ² in ${unit}²`,
      'Model',
    ],
    rows: result.replicates.map((row, index) => {
      const of = facts[index];
      const number = of?.replicate ?? index + 1;
      if (of === undefined || of.model === null)
        return { replicate: String(number), cells: [{ value: formatOutcome(of?.outcome), note: '' }] };
      const own = curves.filter(({ replicate }) => replicate === number);
      return {
        replicate: String(number),
        cells: [
          writeKd(row),
          writeRate(row.kon, row.kon_relation, row.kon_1to1),
          writeRate(row.koff, row.koff_relation, row.koff_1to1),
          writeRmax(row, own),
          typeof row.chi2 === 'number' ? { value: formatTwoDigits(row.chi2), note: '' } : EMPTY,
          { value: formatModelBriefly(of.model), note: describeDriftBriefly(of, unit) },
        ],
      };
    }),
  };
}

function formatOutcome(outcome: string | null | undefined): string {
  if (outcome === null || outcome === undefined) return 'not fitted';
  return `${formatReplicateOutcome(outcome)}, not fitted`;
}

function writeKd(row: Row): Cell {
  const kd = formatReplicateKd(row);
  return kd === undefined ? EMPTY : { value: kd.signed, note: wrapInterval(kd.interval) };
}

function writeRate(value: unknown, relation: unknown, interval: unknown): Cell {
  if (typeof value !== 'number' || !(value > 0)) return EMPTY;
  const { low, high } = readBounds(interval);
  return {
    value: formatRate(value, typeof relation === 'string' ? relation : '='),
    note: low === null || high === null ? '' : wrapInterval(formatRateInterval(value, low, high)),
  };
}

const wrapInterval = (interval: string | undefined) => (interval === undefined ? '' : `(${interval})`);

/** Each curve may have its own Rmax; then the range is shown, and the data have every one. */
function writeRmax(
  { rmax, rmax_relation: relation, rmax_rule: rule }: Row,
  curves: readonly Sensorgram[],
): Cell {
  const own = curves.flatMap((curve) => (typeof curve.rmax === 'number' ? [curve.rmax] : []));
  const sign = formatRelation(typeof relation === 'string' ? relation : '=');
  if ((rule === 'local' || rule === 'pooled') && own.length > 1) {
    const [low, high] = [Math.min(...own), Math.max(...own)].map(formatTwoDigits);
    const range = low === high ? low : `${low}–${high}`;
    return { value: `${sign}${range ?? ''}`, note: `of ${own.length} curves` };
  }
  const value = typeof rmax === 'number' ? rmax : own[0];
  if (value === undefined) return EMPTY;
  return { value: `${sign}${formatTwoDigits(value)}`, note: rule === 'global' ? 'for all curves' : '' };
}

function describeDriftBriefly({ hasDrift, driftPerS }: ReplicateFacts, unit: string): string {
  if (driftPerS !== null) return `drift ${formatDriftRate(driftPerS, unit)}`;
  return hasDrift === null ? '' : hasDrift ? 'drift fitted' : 'no drift fitted';
}

const PLAIN = { from: 1e-2, below: 1e5 } as const;

/** `0.52`, `130`, `3.1×10⁻⁵`. */
function formatTwoDigits(value: number): string {
  const size = Math.abs(value);
  const sign = value < 0 ? '−' : '';
  if (size === 0) return '0';
  if (size < PLAIN.from || size >= PLAIN.below) return `${sign}${formatPower(size)}`;
  const rounded = Number(size.toPrecision(2));
  return `${sign}${rounded < 10 ? rounded.toPrecision(2) : rounded}`;
}

function readBounds(interval: unknown): { low: number | null; high: number | null } {
  const fields = new Map<string, unknown>(Object.entries(interval ?? {}));
  const [low, high] = [fields.get('ci_low'), fields.get('ci_high')];
  return { low: typeof low === 'number' ? low : null, high: typeof high === 'number' ? high : null };
}

const TOP = 18;
const HEAD_PITCH = 18;
const LINE_PITCH = 13;
const ROW_GAP = 6;
const COLUMN_GAP = 14;

const countLines = ({ cells }: TableRow): number => (cells.some(({ note }) => note !== '') ? 2 : 1);

export function computeTableHeight(table: ParameterTable | null): number {
  if (table === null) return 0;
  const rows = table.rows.reduce((sum, row) => sum + countLines(row) * LINE_PITCH + ROW_GAP, 0);
  return TOP + HEAD_PITCH + rows + 4;
}

/** Draws the table with its left edge at `left`, in columns as wide as their widest words. */
export function drawParameterTable(
  { heads, rows }: ParameterTable,
  { left, top, width }: { readonly left: number; readonly top: number; readonly width: number },
): Mark[] {
  const starts = placeColumns(heads, rows, { left, width });
  const right = left + width;
  let y = top + TOP;
  const muted = { color: getColor('muted') } as const;
  const marks: Mark[] = [
    ...heads.map((head, column) =>
      drawText(starts[column] ?? left, y, fitText(head, TEXT_SIZE, computeRoom(starts, column, right), 600), {
        weight: 600,
      }),
    ),
    drawPath(`M${formatPx(left)} ${formatPx(y + 5)}h${formatPx(width)}`, createStroke(getColor('grid'), 1)),
  ];
  y += HEAD_PITCH;
  for (const row of rows) {
    marks.push(drawText(starts[0] ?? left, y, row.replicate));
    const isWhole = row.cells.length === 1;
    row.cells.forEach(({ value, note }, index) => {
      const x = starts[index + 1] ?? left;
      const room = isWhole ? right - x : computeRoom(starts, index + 1, right);
      marks.push(drawText(x, y, fitText(value, TEXT_SIZE, room)));
      if (note !== '') marks.push(drawText(x, y + LINE_PITCH, fitText(note, TEXT_SIZE, room), muted));
    });
    y += countLines(row) * LINE_PITCH + ROW_GAP;
  }
  return marks;
}

function computeRoom(starts: readonly number[], column: number, right: number): number {
  const next = starts[column + 1];
  return (next === undefined ? right : next - 4) - (starts[column] ?? 0);
}

/** Spreads the room that is left evenly; where it is too little, every column gives way in proportion. */
function placeColumns(
  heads: readonly string[],
  rows: readonly TableRow[],
  { left, width }: { readonly left: number; readonly width: number },
): number[] {
  const widths = heads.map((head, column) => {
    const words = rows.flatMap(({ replicate, cells }) =>
      column === 0
        ? [replicate]
        : cells.length === 1
          ? []
          : [cells[column - 1]?.value ?? '', cells[column - 1]?.note ?? ''],
    );
    return Math.max(
      computeTextWidth(head, TEXT_SIZE, 600),
      ...words.map((each) => computeTextWidth(each, TEXT_SIZE)),
    );
  });
  const neededWidth = widths.reduce((sum, each) => sum + each, 0) + (heads.length - 1) * COLUMN_GAP;
  const extra = Math.max(0, Math.min(24, (width - neededWidth - 1) / Math.max(1, heads.length - 1)));
  const scale = Math.min(1, width / neededWidth);
  let x = left;
  return widths.map((each) => {
    const start = x;
    x += (each + COLUMN_GAP) * scale + extra;
    return start;
  });
}
