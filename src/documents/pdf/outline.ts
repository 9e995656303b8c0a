/** Encodes the outline of a letter as a simple glyph of TrueType, which the tables of a compressed font do not hold. */

/** A step of an outline, in units of the font; the last two arguments are where it ends. */
export interface OutlineStep {
  readonly command: string;
  readonly args: readonly number[];
}

interface Point {
  readonly x: number;
  readonly y: number;
  readonly isOnCurve: boolean;
}

/** The head of a glyph: the number of contours and its box, two bytes each. */
const HEAD_BYTES = 10;
const LENGTH_BYTES = 2;
/** A flag of one byte and two coordinates of two bytes each. */
const POINT_BYTES = 5;

/**
 * Returns the bytes of OpenType 1.9, table `glyf`, a simple glyph without instructions; none for an empty outline.
 * Throws on a cubic curve, which TrueType does not have.
 */
export function encodeOutline(steps: readonly OutlineStep[]): Buffer {
  const contours = splitContours(steps);
  const points = contours.flat();
  if (points.length === 0) return Buffer.alloc(0);
  const size = HEAD_BYTES + LENGTH_BYTES * (contours.length + 1) + POINT_BYTES * points.length;
  // Offsets of glyphs are multiples of four.
  const bytes = Buffer.alloc(Math.ceil(size / 4) * 4);
  let position = 0;
  const write = (value: number): void => {
    position = bytes.writeInt16BE(value, position);
  };
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const boxes = [Math.min, Math.max].flatMap((pick) => [pick(...xs), pick(...ys)]);
  for (const value of [contours.length, ...boxes]) write(value);
  let last = -1;
  for (const contour of contours) write((last += contour.length));
  write(0);
  for (const point of points) position = bytes.writeUInt8(point.isOnCurve ? 1 : 0, position);
  for (const values of [xs, ys])
    for (const [index, value] of values.entries()) write(value - (values[index - 1] ?? 0));
  return bytes;
}

function splitContours(steps: readonly OutlineStep[]): Point[][] {
  const contours: Point[][] = [];
  for (const { command, args } of steps) {
    const [a = 0, b = 0, c = 0, d = 0] = args.map(Math.round);
    if (command === 'moveTo') contours.push([{ x: a, y: b, isOnCurve: true }]);
    else if (command === 'lineTo') contours.at(-1)?.push({ x: a, y: b, isOnCurve: true });
    else if (command === 'quadraticCurveTo')
      contours.at(-1)?.push({ x: a, y: b, isOnCurve: false }, { x: c, y: d, isOnCurve: true });
    else if (command !== 'closePath') throw new Error(`a glyph of TrueType cannot hold the step ${command}`);
  }
  return contours.map(openContour);
}

/** The format closes each contour itself, so a last point on the first one is left out. */
function openContour(contour: Point[]): Point[] {
  const [first] = contour;
  const last = contour.at(-1);
  const isClosed = contour.length > 1 && first?.x === last?.x && first?.y === last?.y && last?.isOnCurve;
  return isClosed ? contour.slice(0, -1) : contour;
}
