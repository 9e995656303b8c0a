/**
 * Draws one of our own SVG pictures into a PDF as vectors. It knows the elements and attributes that our plots are made
 * of (SVG 2: g, rect, line, circle, path, text; presentation attributes; rotate and translate) and refuses any other,
 * so that nothing is ever left out of a document without a word.
 */
import { XMLParser } from 'fast-xml-parser';

/** Where the picture goes, in points; it keeps its proportions inside. */
export interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Node {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly Node[];
}

const BOLD_FROM = 600;
/** What describes the picture and draws nothing. The title and description become the figure's alternative text. */
const SILENT = new Set(['title', 'desc', 'style', 'defs', 'metadata']);

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
});

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Width over height. */
  readonly ratio: number;
  /** What a reader who cannot see the picture is told. */
  readonly alternative: string;
  readonly children: readonly Node[];
}

export function readPicture(svg: string): Picture {
  const root = nodesOf(parser.parse(svg)).find(({ name }) => name === 'svg');
  if (root === undefined) throw new Error('a picture is not SVG');
  const { width, height } = sizeOf(root);
  const words = ['title', 'desc'].map(
    (name) => root.children.find((child) => child.name === name)?.text ?? '',
  );
  const alternative = words.filter((part) => part !== '').join('. ');
  return { width, height, ratio: width / height, alternative, children: root.children };
}

/** Draws the picture into the upper left of `frame` of the current page. */
export function drawPicture(
  document: PDFKit.PDFDocument,
  picture: Picture,
  frame: Frame,
  shown: (text: string) => string,
): void {
  const scale = Math.min(frame.width / picture.width, frame.height / picture.height);
  document.save();
  document.translate(frame.x, frame.y).scale(scale);
  for (const child of picture.children) draw({ document, size: picture, shown }, child);
  document.restore();
}

interface Canvas {
  readonly document: PDFKit.PDFDocument;
  readonly size: { readonly width: number; readonly height: number };
  /** The text with the letters that the font has. */
  readonly shown: (text: string) => string;
}

function draw(canvas: Canvas, node: Node): void {
  if (SILENT.has(node.name)) return;
  const { document } = canvas;
  document.save();
  transform(document, node.attributes.transform);
  if (node.name === 'g') for (const child of node.children) draw(canvas, child);
  else if (node.name === 'text') drawText(canvas, node);
  else {
    outline(canvas, node);
    paint(document, node.attributes);
  }
  document.restore();
}

/** Adds the shape of `node` to the current path. */
function outline({ document, size }: Canvas, { name, attributes }: Node): void {
  const at = (key: string) => numberOf(attributes, key);
  if (name === 'path') document.path(attributes.d ?? '');
  else if (name === 'line') document.moveTo(at('x1'), at('y1')).lineTo(at('x2'), at('y2'));
  else if (name === 'circle') document.circle(at('cx'), at('cy'), at('r'));
  else if (name === 'rect') {
    const width = attributes.width === '100%' ? size.width : at('width');
    const height = attributes.height === '100%' ? size.height : at('height');
    const radius = at('rx');
    if (radius > 0) document.roundedRect(at('x'), at('y'), width, height, radius);
    else document.rect(at('x'), at('y'), width, height);
  } else throw new Error(`a picture holds <${name}>, which documents cannot draw`);
}

function paint(document: PDFKit.PDFDocument, attributes: Readonly<Record<string, string>>): void {
  const fill = colour(attributes.fill ?? '#000000');
  const stroke = colour(attributes.stroke ?? 'none');
  const opacity = attributes.opacity === undefined ? 1 : numberOf(attributes, 'opacity');
  if (stroke !== null) {
    document.lineWidth(attributes['stroke-width'] === undefined ? 1 : numberOf(attributes, 'stroke-width'));
    document.lineJoin(attributes['stroke-linejoin'] === 'round' ? 'round' : 'miter');
    document.lineCap(attributes['stroke-linecap'] === 'round' ? 'round' : 'butt');
    const dashes = (attributes['stroke-dasharray'] ?? '').split(/[\s,]+/).map(Number);
    const [on = 0, off = on] = dashes;
    if (on > 0) document.dash(on, { space: off });
    document.strokeColor(stroke, opacity * share(attributes['stroke-opacity']));
  }
  if (fill !== null) document.fillColor(fill, opacity * share(attributes['fill-opacity']));
  if (fill !== null && stroke !== null) document.fillAndStroke();
  else if (fill !== null) document.fill();
  else if (stroke !== null) document.stroke();
  // A shape without paint must not stay behind as the beginning of the next.
  else document.rect(0, 0, 0, 0).clip();
}

function drawText({ document, shown }: Canvas, { attributes, text: given }: Node): void {
  const text = shown(given);
  const size = attributes['font-size'] === undefined ? 12 : numberOf(attributes, 'font-size');
  const isBold =
    Number(attributes['font-weight'] ?? 400) >= BOLD_FROM || attributes['font-weight'] === 'bold';
  document.font(isBold ? 'bold' : 'regular').fontSize(size);
  document.fillColor(colour(attributes.fill ?? '#000000') ?? '#000000', 1);
  const anchor = attributes['text-anchor'] ?? 'start';
  const width = document.widthOfString(text);
  const shift = anchor === 'middle' ? width / 2 : anchor === 'end' ? width : 0;
  document.text(text, numberOf(attributes, 'x') - shift, numberOf(attributes, 'y'), {
    lineBreak: false,
    baseline: 'alphabetic',
  });
}

function transform(document: PDFKit.PDFDocument, value: string | undefined): void {
  if (value === undefined) return;
  for (const [, name, list = ''] of value.matchAll(/(\w+)\(([^)]*)\)/g)) {
    const [a = 0, b = 0, c = 0] = list.split(/[\s,]+/).map(Number);
    if (name === 'translate') document.translate(a, b);
    else if (name === 'rotate') document.rotate(a, { origin: [b, c] });
    else throw new Error(`a picture is transformed by ${name}, which documents cannot do`);
  }
}

function colour(value: string): string | null {
  if (value === 'none') return null;
  if (/^#[0-9a-f]{6}$/i.test(value)) return value;
  throw new Error(`a picture has the colour ${value}, which documents cannot read`);
}

function share(value: string | undefined): number {
  return value === undefined ? 1 : Number(value);
}

function numberOf(attributes: Readonly<Record<string, string>>, key: string): number {
  const value = Number(attributes[key] ?? 0);
  if (!Number.isFinite(value)) throw new Error(`a picture has ${key}="${attributes[key]}"`);
  return value;
}

function sizeOf({ attributes }: Node): { width: number; height: number } {
  const [, , width = 0, height = 0] = (attributes.viewBox ?? '').split(' ').map(Number);
  if (!(width > 0 && height > 0)) throw new Error('a picture has no view box');
  return { width, height };
}

/** The parser's ordered form: `[{tag: [children], ':@': attributes}, {'#text': '…'}]`. */
function nodesOf(items: unknown): Node[] {
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: unknown): Node[] => {
    if (typeof item !== 'object' || item === null) return [];
    const record: Readonly<Record<string, unknown>> = { ...item };
    const name = Object.keys(record).find((key) => key !== ':@' && key !== '#text');
    if (name === undefined || name.startsWith('?')) return [];
    return [
      {
        name,
        attributes: attributesOf(record[':@']),
        text: textOf(record[name]),
        children: nodesOf(record[name]),
      },
    ];
  });
}

function attributesOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, String(item)]));
}

function textOf(items: unknown): string {
  if (!Array.isArray(items)) return '';
  return items
    .map((item: unknown) => {
      const isText = typeof item === 'object' && item !== null && '#text' in item;
      return isText ? String(item['#text']) : '';
    })
    .join('');
}
