/**
 * Turns a document into the bytes of a PDF 1.7 file: tagged, with embedded subsets of its fonts, the same every time.
 * This folder: documents and scenes as PDF. Not here: what a document says.
 */
import type { PdfDocument } from '../document.ts';
import { drawBlock } from './blocks.ts';
import { Sheet } from './sheet.ts';

/** What follows a block and may have to stand on its page. */
const COMPANY_MAX = 4;

export async function drawPdf(document: PdfDocument): Promise<Uint8Array> {
  const sheet = new Sheet(document);
  for (const [index, block] of document.blocks.entries())
    drawBlock(sheet, block, document.blocks.slice(index + 1, index + 1 + COMPANY_MAX));
  return sheet.finish(document.footer);
}
