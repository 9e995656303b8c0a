/** Marker shapes, which distinguish neighbors where colors do not. */
import { formatPx } from './scale.ts';
import { getColor, type Color } from '../colors.ts';
import { drawCircle, fill, drawPath, createStroke, type Mark, drawText } from '../scene.ts';
import { computeTextWidth } from './width.ts';
import { SMALLEST } from './panel.ts';

export type Shape = 'circle' | 'square' | 'triangle' | 'diamond';

const SHAPES: readonly Shape[] = ['circle', 'square', 'triangle', 'diamond'];
export const SHAPE_COUNT = SHAPES.length;

/** Neighboring indexes never share a shape. */
export function getShape(index: number): Shape {
  return SHAPES[index % SHAPES.length] ?? 'circle';
}

const OUTLINES: Readonly<Record<Exclude<Shape, 'circle'>, string>> = {
  square: 'm-3.3 -3.3h6.6v6.6h-6.6z',
  triangle: 'm0 -4.4l4.3 7.4h-8.6z',
  diamond: 'm0 -4.7l4.7 4.7l-4.7 4.7l-4.7 -4.7z',
};

/** Draws a filled marker with an edge in paper color that sets it off from the lines beneath. */
export function drawMarker(shape: Shape, x: number, y: number, color: Color): Mark {
  const paint = { ...fill(color), ...createStroke(getColor('paper'), 1) };
  if (shape === 'circle') return drawCircle(x, y, 3.7, paint);
  return drawPath(`M${formatPx(x)} ${formatPx(y)}${OUTLINES[shape]}`, paint);
}

/** Draws a limit: the value lies beyond the flat side. */
export function drawLimitMark(direction: '<' | '>' | 'v' | '^', x: number, y: number, color: Color): Mark {
  const outline = {
    '<': 'm0 -4.5v9l-7 -4.5z',
    '>': 'm0 -4.5v9l7 -4.5z',
    v: 'm-4.5 -3h9l-4.5 7z',
    '^': 'm-4.5 3h9l-4.5 -7z',
  }[direction];
  return drawPath(`M${formatPx(x)} ${formatPx(y)}${outline}`, {
    ...fill(getColor('paper')),
    ...createStroke(color, 1.3),
  });
}

/** The legend beside sensorgrams: it names their concentrations, highest first like the curves. */

export interface Entry {
  readonly name: string;
  readonly color: Color;
  /** Undefined for a thin line without markers. */
  readonly shape: Shape | undefined;
}

const LINE_WIDTH = 24;
const GAP = 6;
const PITCH_MAX = 17;
export const PITCH_MIN = 13.5;

export function computeLegendWidth(entries: readonly Entry[]): number {
  return LINE_WIDTH + GAP + Math.max(0, ...entries.map(({ name }) => computeTextWidth(name, SMALLEST)));
}

/** Draws the legend with as much spacing as `height` allows. */
export function drawLegend(
  entries: readonly Entry[],
  { left, top, height }: { readonly left: number; readonly top: number; readonly height: number },
): Mark[] {
  const pitch = Math.max(PITCH_MIN, Math.min(PITCH_MAX, height / entries.length));
  return entries.flatMap(({ name, color, shape }, index) => {
    const y = top + 6 + index * pitch;
    const line = `M${formatPx(left)} ${formatPx(y)}h${LINE_WIDTH}`;
    return [
      ...(shape === undefined
        ? [drawPath(line, createStroke(getColor('fit'), 1))]
        : [drawPath(line, createStroke(color, 3.2)), drawMarker(shape, left + LINE_WIDTH / 2, y, color)]),
      drawText(left + LINE_WIDTH + GAP, y + 4, name),
    ];
  });
}
