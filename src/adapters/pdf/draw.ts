/** Turns a document into the bytes of a PDF 1.7 file: tagged, with embedded subsets of its fonts, the same every time. */
import type { PdfDocument } from '#core/pdf.ts';
import { drawBlock } from './draw/blocks.ts';
import { Sheet } from './draw/sheet.ts';

export async function drawPdf(document: PdfDocument): Promise<Uint8Array> {
  const sheet = new Sheet(document);
  for (const [index, block] of document.blocks.entries()) drawBlock(sheet, block, document.blocks[index + 1]);
  return sheet.finish(document.footer);
}
