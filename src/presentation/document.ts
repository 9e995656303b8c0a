/**
 * A document as a list of blocks, and the port that turns it into a PDF. The same document always gives the same
 * bytes: whatever is dated in it is dated by whoever wrote it.
 */
import type { PaperSize } from '#core/paper.ts';
import type { Scene } from './scene.ts';

/** Where attention goes: neutral, settled, or something to act on. */
export type PdfTone = 'plain' | 'good' | 'attention';

export interface PdfFact {
  readonly label: string;
  readonly value: string;
}

export interface PdfColumn {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** Takes the width that the others leave; the others are as wide as their widest cell. */
  readonly grows?: boolean;
}

/** Paragraphs and tables run over as many pages as they need; each other block, and each row, must fit on one page. */
export type PdfBlock =
  /** The head of a document, which starts a page: who writes, what it is, and a stamp over its state. */
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
  /** Lines of text on the left, labelled facts on the right. */
  | {
      readonly kind: 'parties';
      readonly label: string;
      readonly lines: readonly string[];
      readonly facts: readonly PdfFact[];
    }
  | { readonly kind: 'facts'; readonly facts: readonly PdfFact[] }
  /** Rows stay whole; the head is repeated on every page. */
  | {
      readonly kind: 'table';
      readonly columns: readonly PdfColumn[];
      readonly rows: readonly (readonly string[])[];
    }
  /** As vectors over the whole width; its title and description are its alternative text. */
  | { readonly kind: 'picture'; readonly scene: Scene }
  /** Right-aligned sums under a table; the last one is set in bold under a rule. */
  | { readonly kind: 'sums'; readonly rows: readonly PdfFact[] };

export interface PdfDocument {
  readonly title: string;
  readonly author: string;
  readonly subject: string;
  /** BCP 47. */
  readonly language: string;
  readonly paper: PaperSize;
  /** Stands in the file and makes its identifier, with the title. */
  readonly createdAt: string;
  /** On every page, left of its number. */
  readonly footer: string;
  readonly blocks: readonly PdfBlock[];
}

/** Throws the failure `overloaded` when too many documents are waiting. */
export type RenderPdf = (document: PdfDocument) => Promise<Uint8Array>;
