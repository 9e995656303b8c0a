/** The legend beside sensorgrams: it names their concentrations, highest first like the curves. */
import { px } from './scale.ts';
import { colourOf, type Colour } from '../colours.ts';
import { textWidth } from './width.ts';
import { marker, type Shape } from './markers.ts';
import { SMALLEST } from './picture.ts';
import { path, stroke, text, type Mark } from '../scene.ts';

export interface Entry {
  readonly name: string;
  readonly colour: Colour;
  /** Undefined for a thin line without markers. */
  readonly shape: Shape | undefined;
}

const LINE_WIDTH = 24;
const GAP = 6;
const PITCH_MAX = 17;
export const PITCH_MIN = 13.5;

export function legendWidth(entries: readonly Entry[]): number {
  return LINE_WIDTH + GAP + Math.max(0, ...entries.map(({ name }) => textWidth(name, SMALLEST)));
}

/** Draws the legend with as much spacing as `height` allows. */
export function legend(
  entries: readonly Entry[],
  { left, top, height }: { readonly left: number; readonly top: number; readonly height: number },
): Mark[] {
  const pitch = Math.max(PITCH_MIN, Math.min(PITCH_MAX, height / entries.length));
  return entries.flatMap(({ name, colour, shape }, index) => {
    const y = top + 6 + index * pitch;
    const line = `M${px(left)} ${px(y)}h${LINE_WIDTH}`;
    return [
      ...(shape === undefined
        ? [path(line, stroke(colourOf('fit'), 1))]
        : [path(line, stroke(colour, 3.2)), marker(shape, left + LINE_WIDTH / 2, y, colour)]),
      text(left + LINE_WIDTH + GAP, y + 4, name),
    ];
  });
}
