/** Marker shapes, which distinguish neighbors where colors do not. */
import { px } from './scale.ts';
import { colourOf, type Colour } from '../colours.ts';
import { circle, fill, path, stroke, type Mark } from '../scene.ts';

export type Shape = 'circle' | 'square' | 'triangle' | 'diamond';

const SHAPES: readonly Shape[] = ['circle', 'square', 'triangle', 'diamond'];
export const SHAPE_COUNT = SHAPES.length;

/** Neighboring indexes never share a shape. */
export function shapeAt(index: number): Shape {
  return SHAPES[index % SHAPES.length] ?? 'circle';
}

const OUTLINES: Readonly<Record<Exclude<Shape, 'circle'>, string>> = {
  square: 'm-3.3 -3.3h6.6v6.6h-6.6z',
  triangle: 'm0 -4.4l4.3 7.4h-8.6z',
  diamond: 'm0 -4.7l4.7 4.7l-4.7 4.7l-4.7 -4.7z',
};

/** A filled marker with an edge in paper color that sets it off from the lines beneath. */
export function marker(shape: Shape, x: number, y: number, colour: Colour): Mark {
  const paint = { ...fill(colour), ...stroke(colourOf('paper'), 1) };
  if (shape === 'circle') return circle(x, y, 3.7, paint);
  return path(`M${px(x)} ${px(y)}${OUTLINES[shape]}`, paint);
}

/** Draws a limit: the value lies beyond the flat side. */
export function limitMark(direction: '<' | '>' | 'v' | '^', x: number, y: number, colour: Colour): Mark {
  const outline = {
    '<': 'm0 -4.5v9l-7 -4.5z',
    '>': 'm0 -4.5v9l7 -4.5z',
    v: 'm-4.5 -3h9l-4.5 7z',
    '^': 'm-4.5 3h9l-4.5 -7z',
  }[direction];
  return path(`M${px(x)} ${px(y)}${outline}`, { ...fill(colourOf('paper')), ...stroke(colour, 1.3) });
}
