/** The interface of an assay on the pages. */
import type { Markup } from '../markup.ts';
import type { Reading } from '../words.ts';
import type { Item } from './cells.ts';

/** The view of an assay without a target: columns of the ranking, headline of a result, its replicates. */
export interface AssayView {
  /** Column heads of the ranking. */
  readonly heads: Markup;
  readonly cells: (item: Item) => Markup;
  readonly headline: (item: Item) => { readonly label: string; readonly reading: Reading } | null;
  readonly replicates: (item: Item) => Markup | null;
  readonly plotTitle: string;
  readonly plotHint: string;
}

export interface PageAssay {
  /** The label where people choose an assay. */
  readonly label: string;
  /** File names of upload templates that the assay's analysis reads. */
  readonly templates: readonly string[];
  /** Null for the binding assays, which have pages of their own. */
  readonly view: AssayView | null;
}
