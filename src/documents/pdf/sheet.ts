/** A page cursor: it moves down the page, starts a new page when the page is full, and tags what it writes. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import PdfKit from 'pdfkit';
import type { PdfHead } from '../document.ts';
import type { Scene } from '../scene.ts';
import { FOOTER_HEIGHT, LINE, computeLineHeight, MARGIN, papers, styles, type TextStyle } from './style.ts';
import { describeScene, drawScene } from './scene.ts';
import { createTypesetter, type Typesetter } from './typesetter.ts';
import { createWords, removeInvisible, type Words } from './words.ts';

/** One node of the tagged structure (ISO 32000-1 §14.7), such as a paragraph or a table cell. */
export type Tag = PDFKit.PDFStructureElement;

/** The library accepts the scope of a heading cell, but its types do not. */
type TagOptions = PDFKit.Mixins.StructureElementOptions & { readonly scope?: 'Column' };

/** Points per pixel: the widest figure, 800 pixels, gets the text width of an A4 page. */
const PICTURE_SCALE = 0.624;

export class Sheet {
  readonly words: Words;
  readonly left = MARGIN.left;
  readonly width: number;
  readonly root: Tag;
  /** Position of the next block, in points from the top. */
  y: number = MARGIN.top;
  private readonly pdf: PDFKit.PDFDocument;
  readonly typesetter: Typesetter;
  private readonly bottom: number;

  constructor(document: PdfHead) {
    const { width, height } = papers[document.paper];
    const createdAt = new Date(document.createdAt);
    this.width = width - MARGIN.left - MARGIN.right;
    this.bottom = height - MARGIN.bottom;
    this.pdf = new PdfKit({
      size: [width, height],
      // The sheet breaks pages itself; with a margin the library would break them too.
      margins: { top: 0, bottom: 0, left: 0, right: 0 },
      autoFirstPage: false,
      bufferPages: true,
      pdfVersion: '1.7',
      tagged: true,
      displayTitle: true,
      lang: document.language,
      info: {
        Title: removeInvisible(document.title),
        Author: removeInvisible(document.author),
        Subject: removeInvisible(document.subject),
        Creator: 'Assayer',
        Producer: 'Assayer',
        CreationDate: createdAt,
        ModDate: createdAt,
      },
    });
    this.typesetter = createTypesetter(this.pdf);
    this.words = createWords(this.typesetter.measure, this.typesetter.hasLetter);
    this.root = this.pdf.struct('Document');
    this.pdf.addStructure(this.root);
    this.turnPage();
  }

  turnPage(): void {
    this.packMarks();
    this.pdf.addPage();
    this.y = MARGIN.top;
  }

  /**
   * Packs the marks of the finished page: it waits for its footer until the number of pages is known, and the library
   * keeps each mark in an array of its own, many times the room of its bytes.
   */
  private packMarks(): void {
    const { count } = this.pdf.bufferedPageRange();
    if (count === 0) return;
    const content = getContent(this.pdf.page);
    content.buffer = [deflateRawSync(Buffer.concat(content.buffer), { level: 1 })];
  }

  /** Starts a new page unless this one is still empty. */
  startPage(): void {
    if (this.y !== MARGIN.top) this.turnPage();
  }

  /** Remaining height of the page in points. */
  get room(): number {
    return this.bottom - this.y;
  }

  /** Starts a new page unless this height remains; returns whether it did. */
  ensureRoom(height: number): boolean {
    if (this.room >= height || this.y === MARGIN.top) return false;
    this.turnPage();
    return true;
  }

  /** Adds a structure node below another; it is complete when `fill` returns. */
  tag(parent: Tag, type: string, fill: (tag: Tag) => void, options: TagOptions = {}): void {
    const tag = this.pdf.struct(type, options);
    parent.add(tag);
    fill(tag);
    tag.end();
  }

  /** Writes lines of text at a position, as content of a node, without moving the cursor. */
  write(
    tag: Tag,
    lines: readonly string[],
    style: TextStyle,
    box: { x: number; y: number; width: number; align?: 'left' | 'right' },
  ): void {
    tag.add(() => this.print(lines, style, box));
  }

  /** Draws marks that screen readers skip: rules, bands, repeated heads, footers. */
  decorate(draw: (pdf: PDFKit.PDFDocument) => void, type: 'Layout' | 'Pagination' = 'Layout'): void {
    this.pdf.markContent('Artifact', { type });
    this.pdf.save();
    draw(this.pdf);
    this.pdf.restore();
    this.pdf.endMarkedContent();
  }

  /**
   * Returns the height of a figure: the common scale or smaller, so that letters have the same size, and never more
   * than a page.
   */
  computeHeight(scene: Scene): number {
    const scale = Math.min(PICTURE_SCALE, this.width / scene.width);
    return Math.min(scene.height * scale, this.bottom - MARGIN.top);
  }

  drawPicture(scene: Scene): void {
    const { left, width } = this;
    const height = this.computeHeight(scene);
    this.ensureRoom(height);
    const { y } = this;
    this.tag(
      this.root,
      'Figure',
      (tag) => tag.add(() => drawScene(this.pdf, scene, { x: left, y, width, height }, this)),
      { alt: removeInvisible(describeScene(scene)) },
    );
    this.y += height;
  }

  drawRule(y: number, color: string = LINE, thickness = 0.6): void {
    const { left, width } = this;
    this.decorate((pdf) =>
      pdf
        .moveTo(left, y)
        .lineTo(left + width, y)
        .lineWidth(thickness)
        .stroke(color),
    );
  }

  print(
    lines: readonly string[],
    style: TextStyle,
    { x, y, width, align = 'left' }: { x: number; y: number; width: number; align?: 'left' | 'right' },
  ): void {
    const step = computeLineHeight(style);
    for (const [index, line] of lines.entries()) {
      if (line === '') continue;
      const indent = align === 'right' ? width - this.words.measureWidth(style, line) : 0;
      const drop = y + index * step + (step - style.size) / 2;
      this.pdf.fillColor(style.color);
      this.typesetter.write(line, { face: style.face, size: style.size, x: x + indent, y: drop });
    }
  }

  /** Returns what fits on one line of the footer. */
  private shorten(text: string, width: number): string {
    const more = ' …';
    const [whole = '', ...rest] = this.words.breakLines(styles.muted, text, width);
    if (rest.length === 0) return whole;
    const room = width - this.words.measureWidth(styles.muted, more);
    return `${this.words.breakLines(styles.muted, text, room)[0] ?? ''}${more}`;
  }

  /** Returns what was written since the last call; a page is written at the end, with its footer. */
  takeBytes(): Uint8Array {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a stream of bytes gives bytes, or null
    return (this.pdf.read() as Uint8Array | null) ?? new Uint8Array();
  }

  /** Yields every page with its footer, one by one, and what ends the document. */
  async *finish(footer: string): AsyncGenerator<Uint8Array> {
    this.root.end();
    this.packMarks();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of the library leave the pages out
    const held = this.pdf as unknown as HeldPages;
    const pages = held._pageBuffer;
    for (const [index, page] of pages.entries()) {
      held._pageBuffer = [page];
      this.pdf.page = page;
      const content = getContent(page);
      content.buffer = content.buffer.map((packed) => inflateRawSync(packed));
      this.drawFooter(footer, index + 1, pages.length);
      held.flushPages();
      yield this.takeBytes();
    }
    this.pdf.end();
    for await (const chunk of this.pdf) yield Buffer.from(chunk);
  }

  private drawFooter(footer: string, number: number, count: number): void {
    const y = this.bottom + FOOTER_HEIGHT - computeLineHeight(styles.muted);
    const page = `Page ${number} of ${count}`;
    const pageWidth = this.words.measureWidth(styles.muted, page) + 12;
    const text = this.shorten(footer, this.width - pageWidth);
    this.drawRule(y - 5);
    this.decorate(() => {
      this.print([text], styles.muted, { x: this.left, y, width: this.width });
      this.print([page], styles.muted, { x: this.left, y, width: this.width, align: 'right' });
    }, 'Pagination');
  }
}

/** The pages that wait for their footers, and what writes and forgets them. */
interface HeldPages {
  _pageBuffer: PDFKit.PDFPage[];
  flushPages(): void;
}

/** The marks of a page, which the types of the library leave out. */
function getContent(page: PDFKit.PDFPage): { buffer: Uint8Array[] } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as said above
  return page.content as unknown as { buffer: Uint8Array[] };
}
