/**
 * A document as a list of blocks, and the port that turns it into a PDF. The same document always gives the same
 * bytes; all dates in it come from its author.
 */
import type { PaperSize } from '#core/context.ts';
import type { Scene } from './scene.ts';

/** The emphasis of a text: neutral, settled, or something to act on. */
export type PdfTone = 'plain' | 'good' | 'attention';

export interface PdfFact {
  readonly label: string;
  readonly value: string;
}

export interface PdfColumn {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** The column takes the remaining width; the others are as wide as their widest cell. */
  readonly grows?: boolean;
}

/** Paragraphs and tables may span pages; every other block, and each row, must fit on one page. */
export type PdfBlock =
  /** The head of a document, which starts a page: sender, title, and a stamp with its state. */
  | {
      readonly kind: 'masthead';
      readonly issuer: string;
      readonly issuerLines: readonly string[];
      readonly title: string;
      readonly subtitle: string;
      readonly stamp?: { readonly text: string; readonly tone: PdfTone };
    }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string; readonly muted?: boolean }
  /** A framed remark. */
  | { readonly kind: 'notice'; readonly text: string; readonly tone: PdfTone }
  /** Lines of text on the left, labeled facts on the right. */
  | {
      readonly kind: 'parties';
      readonly label: string;
      readonly lines: readonly string[];
      readonly facts: readonly PdfFact[];
    }
  | { readonly kind: 'facts'; readonly facts: readonly PdfFact[] }
  /** Rows are never split; the head is repeated on every page. */
  | {
      readonly kind: 'table';
      readonly columns: readonly PdfColumn[];
      readonly rows: readonly (readonly string[])[];
    }
  /** A scene drawn as vectors over the whole width; its title and description are the alternative text. */
  | { readonly kind: 'picture'; readonly scene: Scene }
  /** Right-aligned sums under a table; the last one is bold under a rule. */
  | { readonly kind: 'sums'; readonly rows: readonly PdfFact[] };

/** What a document says beside its blocks. */
export interface PdfHead {
  readonly title: string;
  readonly author: string;
  readonly subject: string;
  /** BCP 47 language tag. */
  readonly language: string;
  readonly paper: PaperSize;
  /** Date of the file; with the title it also determines the file identifier. */
  readonly createdAt: string;
  /** Text on every page, left of the page number. */
  readonly footer: string;
}

export interface PdfDocument extends PdfHead {
  readonly blocks: readonly PdfBlock[];
}

/** Who waits for a document. */
export interface DocumentWaiter {
  /** Id of the organization whose document it is: the documents of different organizations are drawn in turns. */
  readonly organizationId: string;
  /** Aborted when nobody waits any more; then the document is not drawn, or no further than the present block. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Renders a document. Throws the failure `overloaded` when too many documents are waiting, or too many of this
 * organization, or when nobody waits any more.
 */
export type RenderPdf = (document: PdfDocument, waiter: DocumentWaiter) => Promise<Uint8Array>;
