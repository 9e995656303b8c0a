/**
 * Renders a document as a PDF 1.7 file: tagged, with embedded font subsets, always the same bytes.
 * This folder: documents and scenes as PDF. Not here: what a document says.
 */
import type { PdfBlock, PdfDocument, PdfHead } from '../document.ts';
import { drawBlock } from './blocks.ts';
import { Sheet } from './sheet.ts';

/** Number of following blocks that may have to stay on the page of a block. */
const COMPANY_MAX = 4;

/** Fails between two blocks once `isAbandoned` says that nobody waits for the document. */
export async function drawPdf(
  document: PdfDocument,
  isAbandoned: () => boolean = () => false,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of streamPdf(document, document.blocks, isAbandoned)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Yields the same bytes piece by piece. A block is asked for when the cursor comes near it and forgotten when it is
 * drawn, so that a document may have more figures than fit in memory together.
 */
export async function* streamPdf(
  head: PdfHead,
  blocks: Iterable<PdfBlock> | AsyncIterable<PdfBlock>,
  isAbandoned: () => boolean = () => false,
): AsyncGenerator<Uint8Array> {
  const sheet = new Sheet(head);
  const near: PdfBlock[] = [];
  const drawFirst = (): Uint8Array => {
    if (isAbandoned()) throw new Error('nobody waits for the document');
    const block = near.shift();
    if (block !== undefined) drawBlock(sheet, block, near);
    return sheet.takeBytes();
  };
  for await (const block of blocks) {
    near.push(block);
    if (near.length > COMPANY_MAX) yield drawFirst();
  }
  while (near.length > 0) yield drawFirst();
  yield* sheet.finish(head.footer);
}
