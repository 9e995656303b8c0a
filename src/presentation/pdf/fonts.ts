/** The fonts that every document embeds, so that it looks the same on every machine. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import PdfKit from 'pdfkit';
import type { Face } from './style.ts';

const files: readonly (readonly [Face, string])[] = [
  ['regular', 'DejaVuSansCondensed.ttf'],
  ['bold', 'DejaVuSansCondensed-Bold.ttf'],
];

let loaded: (readonly [Face, Buffer])[] | undefined;

function loadFaces(): readonly (readonly [Face, Buffer])[] {
  loaded ??= files.map(([face, file]) => {
    const url = import.meta.resolve(`dejavu-fonts-ttf/ttf/${file}`);
    return [face, readFileSync(fileURLToPath(url))];
  });
  return loaded;
}

/** A font as the PDF library has parsed it. */
type ParsedFont = object;

let parsed: readonly (readonly [Face, ParsedFont])[] | undefined;

/** Registers the faces with a document, and chooses none of them. */
export function registerFaces(pdf: PDFKit.PDFDocument): void {
  parsed ??= loadFaces().map(([face, bytes]) => [face, parseFont(bytes)]);
  // The library takes a parsed font, but its types do not say so.
  const registry: { registerFont(name: string, font?: string | object): unknown } = pdf;
  for (const [face, font] of parsed) registry.registerFont(face, removeGlyphs(font));
}

/** The parsed tables of a font take most of the time of a short document, so they are read once. */
function parseFont(bytes: Buffer): ParsedFont {
  const font = getChosenFont(new PdfKit({ autoFirstPage: false }).font(bytes));
  if (font === null) throw new Error('the PDF library does not give its parsed font');
  return font;
}

/**
 * The same tables without the glyphs of other documents: a glyph keeps the characters that it first stood for, and the
 * bytes of a document must not depend on the documents before it.
 */
function removeGlyphs(font: ParsedFont): ParsedFont {
  const glyphs = { _glyphs: {} };
  Object.setPrototypeOf(glyphs, font);
  return glyphs;
}

/** The parsed font that a document writes with; the library does not expose it in its types. */
export function getChosenFont(pdf: PDFKit.PDFDocument): ParsedFont | null {
  const chosen: unknown = Reflect.get(pdf, '_font');
  const font: unknown = typeof chosen === 'object' && chosen !== null ? Reflect.get(chosen, 'font') : null;
  return typeof font === 'object' ? font : null;
}
