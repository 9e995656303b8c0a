/** Turns a document into the bytes of a PDF 1.7 file: tagged, with embedded subsets of its fonts, the same every time. */
import type { PdfDocument } from '#core/pdf.ts';
import { drawBlock } from './draw/blocks.ts';
import { Sheet } from './draw/sheet.ts';

export async function drawPdf(document: PdfDocument): Promise<Uint8Array> {
  const sheet = new Sheet(document);
  for (const block of document.blocks) drawBlock(sheet, block);
  return sheet.finish(document.footer);
}
