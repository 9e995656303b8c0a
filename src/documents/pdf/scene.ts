/** Draws a scene into a PDF as vectors, in its light look. */
import { getColor } from '../colors.ts';
import { BOLD_FROM, fill, drawRect, TEXT_SIZE, type Mark, type Paint, type Scene } from '../scene.ts';
import type { Typesetter } from './typesetter.ts';
import type { Words } from './words.ts';

/** Position and size of the scene in points; the scene keeps its proportions inside. */
export interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the alternative text of the figure. */
export function describeScene({ title, description }: Scene): string {
  return [title, description].filter((part) => part !== '').join('. ');
}

/** What writes the texts of a scene. */
interface Writer {
  readonly words: Pick<Words, 'toPrintable'>;
  readonly typesetter: Typesetter;
}

/** Draws the scene into the upper left of `frame` of the current page. */
export function drawScene(document: PDFKit.PDFDocument, scene: Scene, frame: Frame, writer: Writer): void {
  const { width, height, marks } = scene;
  const scale = Math.min(frame.width / width, frame.height / height);
  document.save();
  document.translate(frame.x, frame.y).scale(scale);
  drawMark(document, drawRect({ x: 0, y: 0, width, height }, fill(getColor('paper'))), writer);
  for (const mark of marks) drawMark(document, mark, writer);
  document.restore();
}

function drawMark(document: PDFKit.PDFDocument, mark: Mark, writer: Writer): void {
  document.save();
  switch (mark.kind) {
    case 'group':
      for (const each of mark.marks) drawMark(document, each, writer);
      break;
    case 'path':
      document.path(mark.d);
      applyPaint(document, mark.paint);
      break;
    case 'circle':
      document.circle(mark.x, mark.y, mark.radius);
      applyPaint(document, mark.paint);
      break;
    case 'rect':
      drawOutlineRect(document, mark);
      applyPaint(document, mark.paint);
      break;
    case 'text':
      drawText(document, mark, writer);
      break;
  }
  document.restore();
}

function drawOutlineRect(
  document: PDFKit.PDFDocument,
  { x, y, width, height, radius }: Extract<Mark, { kind: 'rect' }>,
): void {
  if (radius > 0) document.roundedRect(x, y, width, height, radius);
  else document.rect(x, y, width, height);
}

/** Paints the most recent outline. */
function applyPaint(document: PDFKit.PDFDocument, paint: Paint): void {
  const { fill: area, stroke: line, dash = [] } = paint;
  if (line !== undefined) {
    document.lineWidth(paint.strokeWidth ?? 1);
    document.lineJoin(paint.join ?? 'miter');
    document.lineCap(paint.cap ?? 'butt');
    if (dash.length > 0) setDash(document, dash);
    document.strokeColor(line.light, paint.strokeOpacity ?? 1);
  }
  if (area !== undefined) document.fillColor(area.light, paint.fillOpacity ?? 1);
  if (area !== undefined && line !== undefined) document.fillAndStroke();
  else if (area !== undefined) document.fill();
  else if (line !== undefined) document.stroke();
  // An unpainted outline must not remain as the beginning of the next one.
  else document.rect(0, 0, 0, 0).clip();
}

/** The library accepts a list of lengths, but its types do not. */
function setDash(document: PDFKit.PDFDocument, dash: readonly number[]): void {
  const set: unknown = Reflect.get(document, 'dash');
  if (typeof set !== 'function') throw new Error('the PDF library does not draw dashes');
  Reflect.apply(set, document, [[...dash]]);
}

function drawText(
  document: PDFKit.PDFDocument,
  { x, y, text: given, style }: Extract<Mark, { kind: 'text' }>,
  writer: Writer,
): void {
  if (style.turned === true) document.rotate(-90, { origin: [x, y] });
  const face = (style.weight ?? 400) >= BOLD_FROM ? 'bold' : 'regular';
  const size = style.size ?? TEXT_SIZE;
  const text = writer.words.toPrintable(face, given);
  document.fillColor((style.color ?? getColor('ink')).light, 1);
  const width = writer.typesetter.measure(face, text) * size;
  const shift = style.anchor === 'middle' ? width / 2 : style.anchor === 'end' ? width : 0;
  writer.typesetter.write(text, { face, size, x: x - shift, y, baseline: 'alphabetic' });
}
