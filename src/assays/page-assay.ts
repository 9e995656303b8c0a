/** The interface of an assay on the pages. */
import type { Markup } from '#ui/markup.ts';
import type { Reading } from '#ui/words.ts';
import type { Item } from './cells.ts';

/** The value of a result; several readings stand side by side where the analysis cannot choose. */
export interface Headline {
  readonly label: string | Markup;
  readonly readings: readonly HeadlineReading[];
}

export interface HeadlineReading extends Reading {
  /** What tells this reading from the others, or what it was judged by. */
  readonly by?: string;
}

/** The columns of the ranking, the headline of a result, its replicates. */
export interface AssayView {
  /** Column heads of the ranking; a function where they say what its results share, such as the ends of a scale. */
  readonly heads: Markup | ((items: readonly Item[]) => Markup);
  /** Of each result of a ranking, whose results may share a scale. */
  readonly renderCells: (items: readonly Item[]) => (item: Item) => Markup;
  /** A column behind the outcome. */
  readonly judgment?: { readonly head: Markup; readonly cell: (item: Item) => Markup };
  /** Of the outcome `measured`, where the assay can say more. */
  readonly describeMeasured?: (item: Item) => string | undefined;
  /** Whether a result with the outcome `measured` leaves open what the assay asks, so that its chip warns. */
  readonly isUnanswered?: (item: Item) => boolean;
  readonly getHeadline: (item: Item) => Headline | null;
  readonly renderReplicates: (item: Item) => Markup | null;
  readonly plotTitle: string;
  readonly getPlotHint: (item: Item) => string;
}
