/** A plot of one quantity: replicates as dots, the mean as a bar with the 95 % interval. */
import { isLimit } from '#core/relations.ts';
import { formatPx } from '#documents/figures/scale.ts';
import { getColor, type Color } from '#documents/colors.ts';
import type { ShownQuantity } from '../store.ts';
import { createFrame, createValueAxis, type Box } from '#documents/figures/axes.ts';
import { drawLimitMark } from '#documents/figures/markers.ts';
import { drawCircle, fill, drawPath, drawRect, createStroke, type Mark } from '#documents/scene.ts';

export interface ReplicateDot {
  readonly value: number;
  readonly relation: string;
}

export interface ValuePlot {
  readonly box: Box;
  readonly name: string;
  readonly quantity: ShownQuantity | undefined;
  readonly dots: readonly ReplicateDot[];
  readonly color: Color;
  /** A dashed line for comparison, such as the reference at 1. */
  readonly level?: number | undefined;
}

const BAR_SHARE = 0.4;

export function drawValuePlot({ box, name, quantity, dots, color, level }: ValuePlot): Mark[] {
  const value = quantity?.value ?? null;
  const high = [value, quantity?.ci95_high, level, ...dots.map((dot) => dot.value)].reduce<number>(
    (most, each) => Math.max(most, each ?? 0),
    0,
  );
  const axis = createValueAxis({ low: 0, high: high > 0 ? high * 1.05 : 1 }, 5);
  const none = { axis: { low: 0, high: 1, ticks: [], decimals: 0 }, name: '', isBare: true };
  const { x, y, parts } = createFrame(box, none, { axis, name });
  const middle = x(0.4);
  const half = (box.width * BAR_SHARE) / 2;
  const clampToAxis = (each: number): number => y(Math.max(axis.low, Math.min(axis.high, each)));
  const drawn: Mark[] = [];
  if (value !== null) {
    const isBound = isLimit(quantity?.relation);
    const bar = { x: middle - half, y: y(value), width: 2 * half, height: y(0) - y(value) };
    drawn.push(drawRect(bar, isBound ? createStroke(color, 1.2, { dash: [4, 3] }) : fill(color, 0.35)));
    const { ci95_low: low, ci95_high: top } = quantity ?? {};
    if (typeof low === 'number' && typeof top === 'number')
      drawn.push(
        drawPath(
          `M${formatPx(middle - 9)} ${formatPx(clampToAxis(top))}h18M${formatPx(middle)} ${formatPx(clampToAxis(top))}V${formatPx(clampToAxis(low))}m-9 0h18`,
          createStroke(getColor('fit'), 1.3),
        ),
      );
  }
  // Dots are beside the bar, so that they hide neither its end nor its whiskers.
  const beside = middle + half + 14;
  const columns = placeInColumns(dots.map((dot) => clampToAxis(dot.value)));
  const step = Math.min(DOT_WIDTH, (box.left + box.width - beside - 5) / Math.max(1, Math.max(...columns)));
  for (const [index, dot] of dots.entries())
    drawn.push(drawDot(beside + (columns[index] ?? 0) * step, clampToAxis(dot.value), dot.relation, color));
  if (level !== undefined)
    drawn.push(
      drawPath(
        `M${formatPx(box.left)} ${formatPx(y(level))}h${formatPx(box.width)}`,
        createStroke(getColor('ink'), 1, { dash: [5, 3] }),
      ),
    );
  return [...parts, ...drawn];
}

/** Of a dot with the space to the next. */
const DOT_WIDTH = 10;

/** Moves a dot to the right of those that it would cover, so that each replicate can be counted. */
function placeInColumns(heights: readonly number[]): number[] {
  const columns: number[][] = [];
  return heights.map((height) => {
    const free = columns.findIndex((taken) => taken.every((each) => Math.abs(each - height) >= DOT_WIDTH));
    const column = free === -1 ? columns.length : free;
    columns[column] = [...(columns[column] ?? []), height];
    return column;
  });
}

/** A limit is an open triangle that points toward the value. */
function drawDot(x: number, y: number, relation: string, color: Color): Mark {
  if (relation === '<') return drawLimitMark('v', x, y, color);
  if (relation === '>') return drawLimitMark('^', x, y, color);
  return drawCircle(x, y, 3.4, fill(color));
}
