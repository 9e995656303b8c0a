/** Fonts as the PDF library parses them; its types do not show what is used here. */
import PdfKit from 'pdfkit';
import { encodeOutline, type OutlineStep } from './outline.ts';
import type { Face } from './style.ts';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A font as the PDF library has parsed it. */
export type ParsedFont = object;

const weights: Readonly<Record<Face, number>> = { regular: 400, bold: 700 };

/** The parsed tables of a font take most of the time of a short document, so they are read once. */
export function parseFont(bytes: Buffer): ParsedFont {
  const font = getChosenFont(new PdfKit({ autoFirstPage: false }).font(bytes));
  if (font === null) throw new Error('the PDF library does not give its parsed font');
  return font;
}

/**
 * The same tables without the glyphs of other documents: a glyph keeps the characters that it first stood for, and the
 * bytes of a document must not depend on the documents before it.
 */
function removeGlyphs(font: ParsedFont, getDirection: GetDirection): ParsedFont {
  return extendFont(font, { _glyphs: {}, layout: createLayout(font, getDirection) });
}

/** The direction of the run that is being laid out; undefined leaves it to its script. */
export type GetDirection = () => 'ltr' | 'rtl' | undefined;

/** The PDF library does not pass on a direction, and the font library guesses a wrong one for digits. */
function createLayout(font: ParsedFont, getDirection: GetDirection) {
  return function layout(this: ParsedFont, text: string, features?: readonly string[]): unknown {
    return call(font, 'layout', [text, features, undefined, undefined, getDirection()], this);
  };
}

/** The font that a document writes with; the library does not expose it in its types. */
export function getChosenFont(pdf: PDFKit.PDFDocument): ParsedFont | null {
  const font = getProperty(getProperty(pdf, '_font'), 'font');
  return typeof font === 'object' ? font : null;
}

export function isCovered(font: ParsedFont, codePoint: number): boolean {
  return call(font, 'hasGlyphForCodePoint', [codePoint]) === true;
}

/**
 * A variable font of compressed tables at the weight of a face, for one document. The library subsets neither the
 * compressed tables nor a chosen weight, so outlines are encoded here.
 */
export function createFace(
  { name: slice, font }: { readonly name: string; readonly font: ParsedFont },
  face: Face,
  getDirection: GetDirection,
): ParsedFont {
  const axes = getProperty(getProperty(font, 'fvar'), 'axis');
  if (!Array.isArray(axes)) throw new Error('the font has no weights');
  const variationCoords = axes.map((axis: unknown) =>
    String(getProperty(axis, 'axisTag')).trim() === 'wght'
      ? weights[face]
      : getProperty(axis, 'defaultValue'),
  );
  const chosen = extendFont(font, {
    _glyphs: {},
    layout: createLayout(font, getDirection),
    // The library takes fonts of one name for the same font.
    postscriptName: `${String(getProperty(font, 'postscriptName')).split('-')[0]}-${face}-${slice}`,
    variationCoords,
    // Subsets have offsets of four bytes.
    loca: { version: 1, offsets: [] },
    createSubset: () => {
      const subset = call(font, 'createSubset', [], chosen);
      if (typeof subset !== 'object' || subset === null) throw new Error('the PDF library makes no subset');
      return Object.assign(subset, { _addGlyph: addGlyph });
    },
  });
  // The parsed font remembers that it has no chosen weight; asking its class anew makes this one remember its own.
  const weigher: unknown = Reflect.get(findOwner(font, '_variationProcessor'), '_variationProcessor', chosen);
  // Outlines are read once, without a weight, at the first glyph.
  call(font, 'getGlyph', [0]);
  const outlines = getProperty(font, '_transformedGlyphs');
  if (!Array.isArray(outlines)) throw new Error('the font is not compressed as WOFF 2');
  Object.assign(chosen, { _transformedGlyphs: createOutlines(outlines, weigher) });
  return chosen;
}

/** Outlines at the weight, each when it is first read: points and four more, which stand for the metrics. */
function createOutlines(outlines: readonly unknown[], weigher: unknown): readonly unknown[] {
  const weighed = new Map<number, unknown>();
  return new Proxy(outlines, {
    get(target, key) {
      const id = Number(key);
      const outline = target[id];
      const points = getProperty(outline, 'points');
      if (!Array.isArray(points)) return outline;
      if (!weighed.has(id)) weighed.set(id, { ...Object(outline), points: applyWeight(points, id, weigher) });
      return weighed.get(id);
    },
  });
}

function applyWeight(points: readonly unknown[], id: number, weigher: unknown): unknown[] {
  const copies = points.map((point) => call(point, 'copy', []));
  const metrics = points.slice(-1).flatMap((point) => [point, point, point, point]);
  copies.push(
    ...metrics.map((point) => Object.assign(Object(call(point, 'copy', [])), { endContour: true })),
  );
  call(weigher, 'transformPoints', [id, copies]);
  return copies.slice(0, -4);
}

interface Subset {
  readonly font: ParsedFont;
  readonly glyf: Uint8Array[];
  readonly loca: { readonly offsets: number[] };
  readonly hmtx: { readonly metrics: { advance: unknown; bearing: unknown }[] };
  offset: number;
}

function addGlyph(this: Subset, id: number): number {
  const glyph = call(this.font, 'getGlyph', [id]);
  const bytes = encodeOutline(readSteps(glyph));
  this.glyf.push(bytes);
  this.loca.offsets.push(this.offset);
  this.hmtx.metrics.push({
    advance: getProperty(glyph, 'advanceWidth'),
    bearing: getProperty(call(glyph, '_getMetrics', []), 'leftBearing'),
  });
  this.offset += bytes.length;
  return this.glyf.length - 1;
}

function readSteps(glyph: unknown): OutlineStep[] {
  const commands = getProperty(getProperty(glyph, 'path'), 'commands');
  if (!Array.isArray(commands)) throw new Error('the PDF library does not give the outline of a glyph');
  return commands.map((step: unknown) => {
    const args = getProperty(step, 'args');
    return {
      command: String(getProperty(step, 'command')),
      args: Array.isArray(args) ? args.map(Number) : [],
    };
  });
}

function extendFont(font: ParsedFont, properties: Readonly<Record<string, unknown>>): ParsedFont {
  const descriptors = Object.entries(properties).map(([name, value]) => [
    name,
    { value, writable: true, configurable: true, enumerable: true },
  ]);
  return Object.create(font, Object.fromEntries(descriptors));
}

/** The class in which a property is calculated; the instances below it may already remember a value. */
function findOwner(font: ParsedFont, name: string): object {
  let owner: object = font;
  for (;;) {
    if (Object.getOwnPropertyDescriptor(owner, name)?.get !== undefined) return owner;
    const next: unknown = Object.getPrototypeOf(owner);
    if (typeof next !== 'object' || next === null)
      throw new Error(`the PDF library does not calculate ${name}`);
    owner = next;
  }
}

function getProperty(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function call(value: unknown, name: string, args: readonly unknown[], self: unknown = value): unknown {
  const method = getProperty(value, name);
  if (typeof method !== 'function') throw new Error(`the PDF library has no ${name}`);
  return Reflect.apply(method, self, args);
}

/** The fonts that every document embeds, so that it looks the same on every machine. */

const files: readonly (readonly [Face, string])[] = [
  ['regular', 'DejaVuSansCondensed.ttf'],
  ['bold', 'DejaVuSansCondensed-Bold.ttf'],
];

let parsed: readonly (readonly [Face, ParsedFont])[] | undefined;

function parseFaces(): readonly (readonly [Face, ParsedFont])[] {
  return files.map(([face, file]) => {
    const url = import.meta.resolve(`dejavu-fonts-ttf/ttf/${file}`);
    return [face, parseFont(readFileSync(fileURLToPath(url)))];
  });
}

/** Registers the faces with a document, and chooses none of them. */
export function registerFaces(pdf: PDFKit.PDFDocument, getDirection: GetDirection): void {
  parsed ??= parseFaces();
  for (const [face, font] of parsed) registerParsed(pdf, face, removeGlyphs(font, getDirection));
}

/** Registers a parsed font, which the library takes, but its types do not say so. */
export function registerParsed(pdf: PDFKit.PDFDocument, name: string, font: ParsedFont): void {
  const registry: { registerFont(name: string, font?: string | object): unknown } = pdf;
  registry.registerFont(name, font);
}
