/** How the pages show an assay. */
import type { Markup } from '../markup.ts';
import type { Reading } from '../words.ts';
import type { Item } from './cells.ts';

/** What an assay without a target shows: the columns of the ranking, the headline of a result, its replicates. */
export interface AssayView {
  /** Heads of the columns in the ranking. */
  readonly heads: Markup;
  readonly cells: (item: Item) => Markup;
  readonly headline: (item: Item) => { readonly label: string; readonly reading: Reading } | null;
  readonly replicates: (item: Item) => Markup | null;
  readonly plotTitle: string;
  readonly plotHint: string;
}

export interface PageAssay {
  /** Where somebody chooses an assay. */
  readonly label: string;
  /** Templates for uploads that the analysis of the assay reads, by the names of their files. */
  readonly templates: readonly string[];
  /** Null for the binding assays, which have pages of their own kind. */
  readonly view: AssayView | null;
}
