/** The legend beside sensorgrams: it names their concentrations, highest first like the curves. */
import { formatPx } from './scale.ts';
import { getColor, type Color } from '../colors.ts';
import { computeTextWidth } from './width.ts';
import { drawMarker, type Shape } from './markers.ts';
import { SMALLEST } from './panel.ts';
import { drawPath, createStroke, drawText, type Mark } from '../scene.ts';

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
