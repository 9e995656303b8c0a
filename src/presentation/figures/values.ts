/** A plot of one quantity: replicates as dots, the mean as a bar with the 95 % interval. */
import { isLimit } from '#core/relations.ts';
import { px } from './scale.ts';
import { colourOf, type Colour } from '../colours.ts';
import type { ShownQuantity } from '#domain/results/store.ts';
import { frameOf, valueAxis, type Box } from './axes.ts';
import { limitMark } from './markers.ts';
import { circle, fill, path, rect, stroke, type Mark } from '../scene.ts';

export interface ReplicateDot {
  readonly value: number;
  readonly relation: string;
}

export interface ValuePlot {
  readonly box: Box;
  readonly name: string;
  readonly quantity: ShownQuantity | undefined;
  readonly dots: readonly ReplicateDot[];
  readonly colour: Colour;
  /** A dashed line for comparison, such as the reference at 1. */
  readonly level?: number | undefined;
}

const BAR_SHARE = 0.4;

export function valuePlot({ box, name, quantity, dots, colour, level }: ValuePlot): Mark[] {
  const value = quantity?.value ?? null;
  const high = [value, quantity?.ci95_high, level, ...dots.map((dot) => dot.value)].reduce<number>(
    (most, each) => Math.max(most, each ?? 0),
    0,
  );
  const axis = valueAxis({ low: 0, high: high > 0 ? high * 1.05 : 1 }, 5);
  const none = { axis: { low: 0, high: 1, ticks: [], decimals: 0 }, name: '', isBare: true };
  const { x, y, parts } = frameOf(box, none, { axis, name });
  const middle = x(0.4);
  const half = (box.width * BAR_SHARE) / 2;
  const inside = (each: number): number => y(Math.max(axis.low, Math.min(axis.high, each)));
  const drawn: Mark[] = [];
  if (value !== null) {
    const isBound = isLimit(quantity?.relation);
    const bar = { x: middle - half, y: y(value), width: 2 * half, height: y(0) - y(value) };
    drawn.push(rect(bar, isBound ? stroke(colour, 1.2, { dash: [4, 3] }) : fill(colour, 0.35)));
    const { ci95_low: low, ci95_high: top } = quantity ?? {};
    if (typeof low === 'number' && typeof top === 'number')
      drawn.push(
        path(
          `M${px(middle - 9)} ${px(inside(top))}h18M${px(middle)} ${px(inside(top))}V${px(inside(low))}m-9 0h18`,
          stroke(colourOf('fit'), 1.3),
        ),
      );
  }
  // Dots are beside the bar, so that they hide neither its end nor its whiskers.
  const beside = middle + half + 14;
  for (const [index, dot] of dots.entries())
    drawn.push(dotOf(beside + (index % 2) * 11, inside(dot.value), dot.relation, colour));
  if (level !== undefined)
    drawn.push(
      path(`M${px(box.left)} ${px(y(level))}h${px(box.width)}`, stroke(colourOf('ink'), 1, { dash: [5, 3] })),
    );
  return [...parts, ...drawn];
}

/** A limit is an open triangle that points toward the value. */
function dotOf(x: number, y: number, relation: string, colour: Colour): Mark {
  if (relation === '<') return limitMark('v', x, y, colour);
  if (relation === '>') return limitMark('^', x, y, colour);
  return circle(x, y, 3.4, fill(colour));
}
