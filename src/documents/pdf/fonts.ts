/** The fonts that every document embeds, so that it looks the same on every machine. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseFont, removeGlyphs, type GetDirection, type ParsedFont } from './parsed-font.ts';
import type { Face } from './style.ts';

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
