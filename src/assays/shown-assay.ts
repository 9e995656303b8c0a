/** How the results of an assay are presented: on the wire, on pages, in figures, in the report and in the data package. */
import type { ResultCurves } from '#features/results/store.ts';
import type { Scalar } from '#features/results/package/scalars.ts';
import type { CurveColumn } from '#features/results/package/curve-columns.ts';
import type { Lesson, Sentences, FactCollector } from '#features/results/package/sentences.ts';
import type { PackagedResult } from '#features/results/package/packaged.ts';
import type { Measure } from '#features/results/figures/measures.ts';
import type { Scene } from '#documents/scene.ts';
import type { Prose } from '#documents/prose.ts';
import type { AssayView } from './cells.ts';
import type { ResultAssay } from './result-record.ts';
import type { ResultWords } from '#features/results/words/result-words.ts';

export interface ShownAssay<Result = unknown> {
  /** Settings of the analysis, and its results on the wire. */
  readonly result: ResultAssay<Result>;
  /** On the pages. */
  readonly view: AssayView;
  /** Name of the assay in the report. */
  readonly reportName: string;
  readonly words: ResultWords;
  /** The measure by which results are ranked and compared. */
  readonly measure: Measure;
  /** Draws the figure of one result. */
  readonly draw: (result: ResultCurves) => Scene;
  /** For sequences that share their plates: a report shows each plate once, instead of a picture of every sequence. */
  readonly collectPlates?: () => FigureCollector;
  /** Draws what is no measured result small and many to a page; without it a report only lists these sequences. */
  readonly collectOthers?: () => FigureCollector;
  /** Lays the curves of all sequences over one another, where a picture of the whole experiment does. */
  readonly collectOverlays?: () => FigureCollector;
  /** Says in a table what a result has beside its value; empty without a remark. */
  readonly formatRemark?: (result: PackagedResult) => string;
  /** Whether the result is yes or no, from a response and its threshold. */
  readonly isCall: boolean;
  /** Quantities that the report shows first. */
  readonly mainQuantities: readonly string[];
  /** The notebook ranks by the first of these quantities that the results have. */
  readonly notebookQuantities: readonly string[];
  /** By quantity: the member of a replicate that has its 95 % interval, where the contract has one. */
  readonly replicateIntervals?: Readonly<Record<string, string>>;
  /** Values of a result beside its quantities, in `results.csv`. */
  readonly scalars: readonly Scalar[];
  /** Columns of the curve table. */
  readonly curveColumns: readonly CurveColumn[];
  readonly lesson: Lesson;
  /** What was measured, at the beginning of the methods: only what holds whatever the settings say. */
  readonly about: string;
  /** What the settings did to the traces, in order of processing. */
  readonly processing: Sentences;
  /** What the methods count in the records of the results. */
  readonly facts: readonly (() => FactCollector)[];
  /** How replicates become one value. */
  readonly aggregation: Prose;
}

/** Makes figures that several results share. */
export interface FigureCollector {
  /** Takes results one by one, so that they need not be in memory together. */
  take(result: ResultCurves): void;
  /** One for each page of a report, or for each of as many sequences as are named. */
  buildPages(experimentCode: string, perPage?: number): Scene[];
}
