/** Reads a PDF as a viewer does: pages, pieces of text with their boxes, fonts and structure. */
import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** In points, from the lower left corner of the page, also of text that runs upwards; `top` is where the letters end, without ascenders above them. */
export interface TextBox {
  readonly text: string;
  readonly size: number;
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

export interface PdfPage {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly TextBox[];
  /** Roles of the tagged structure, in reading order. */
  readonly roles: readonly string[];
}

export interface ReadPdf {
  readonly pages: readonly PdfPage[];
  readonly info: Readonly<Record<string, unknown>>;
  readonly isTagged: boolean;
  /** The text of all pages in reading order, pieces separated by one space. */
  readonly text: string;
}

interface Node {
  readonly role?: string;
  readonly children?: readonly unknown[];
}

export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  const loading = getDocument({ data: Uint8Array.from(bytes), verbosity: VerbosityLevel.ERRORS });
  const document = await loading.promise;
  try {
    const pages: PdfPage[] = [];
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      const { width, height } = page.getViewport({ scale: 1 });
      const { items } = await page.getTextContent();
      const boxes = items.flatMap((item) =>
        'str' in item && item.str.trim() !== '' ? [createBox(item)] : [],
      );
      pages.push({ width, height, boxes, roles: listRoles(await page.getStructTree()) });
      page.cleanup();
    }
    const { info } = await document.getMetadata();
    // A map, whatever its type says.
    const mark: unknown = await document.getMarkInfo();
    const text = pages.flatMap((page) => page.boxes.map((box) => box.text)).join(' ');
    return { pages, info: { ...info }, isTagged: mark instanceof Map && mark.get('Marked') === true, text };
  } finally {
    await loading.destroy();
  }
}

function createBox(item: { str: string; transform: unknown[]; width: number }): TextBox {
  const [, turn = 0, , upright = 0, left = 0, baseline = 0] = item.transform.map(Number);
  const size = Math.hypot(turn, upright);
  // A capital letter of the font is 0.73 of its size high, a descender 0.24 deep.
  if (turn > 0.5 * size)
    return {
      text: item.str,
      size,
      left: left - 0.72 * size,
      right: left + 0.2 * size,
      bottom: baseline,
      top: baseline + item.width,
    };
  return {
    text: item.str,
    size,
    left,
    right: left + item.width,
    bottom: baseline - 0.2 * size,
    top: baseline + 0.72 * size,
  };
}

function listRoles(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { role, children = [] }: Node = node;
  return [...(role === undefined ? [] : [role]), ...children.flatMap(listRoles)];
}

/** Points; nothing in a document is set smaller. */
const SMALLEST = 7;

/** Pieces of text that lie over one another or leave the page, told in words. Empty is well. */
export function findMisplaced({ pages }: ReadPdf): string[] {
  const problems: string[] = [];
  for (const [index, { width, height, boxes }] of pages.entries()) {
    const place = `page ${index + 1}`;
    for (const box of boxes) {
      if (box.size < SMALLEST * 0.978) problems.push(`${place}: "${box.text}" cannot be read`);
      if (box.left < 20 || box.right > width - 20 || box.bottom < 15 || box.top > height - 15)
        problems.push(`${place}: "${box.text}" leaves the page`);
    }
    const ordered = [...boxes].sort((a, b) => b.top - a.top);
    for (const [at, one] of ordered.entries()) {
      for (const other of ordered.slice(at + 1)) {
        if (other.top <= one.bottom) break;
        const isBeside = other.left >= one.right - 0.5 || one.left >= other.right - 0.5;
        if (!isBeside) problems.push(`${place}: "${one.text}" and "${other.text}" overlap`);
      }
    }
  }
  return problems;
}
