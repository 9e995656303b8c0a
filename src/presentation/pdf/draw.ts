/**
 * Renders a document as a PDF 1.7 file: tagged, with embedded font subsets, always the same bytes.
 * This folder: documents and scenes as PDF. Not here: what a document says.
 */
import type { PdfDocument } from '../document.ts';
import { drawBlock } from './blocks.ts';
import { Sheet } from './sheet.ts';

/** Number of following blocks that may have to stay on the page of a block. */
const COMPANY_MAX = 4;

/** Fails between two blocks once `isAbandoned` says that nobody waits for the document. */
export async function drawPdf(
  document: PdfDocument,
  isAbandoned: () => boolean = () => false,
): Promise<Uint8Array> {
  const sheet = new Sheet(document);
  for (const [index, block] of document.blocks.entries()) {
    if (isAbandoned()) throw new Error('nobody waits for the document');
    drawBlock(sheet, block, document.blocks.slice(index + 1, index + 1 + COMPANY_MAX));
  }
  return sheet.finish(document.footer);
}
