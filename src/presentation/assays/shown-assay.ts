/** How the results of an assay are presented: in figures, in the report and in the data package. */
import type { ResultCurves } from '#domain/results/store.ts';
import type { CurveColumn } from '../data-package/curve-columns.ts';
import type { Lesson } from '../data-package/lessons.ts';
import type { Scalar } from '../data-package/scalars.ts';
import type { Sentences } from '../data-package/sentences.ts';
import type { Measure } from '../figures/measures.ts';
import type { Scene } from '../scene.ts';

export interface ShownAssay {
  /** Name of the assay in the report. */
  readonly reportName: string;
  /** The measure by which results are ranked and compared. */
  readonly measure: Measure;
  /** Draws the figure of one result. */
  readonly draw: (result: ResultCurves) => Scene;
  /** Whether replicates have wells, which are drawn as plates. */
  readonly hasPlates: boolean;
  /** Whether the result is yes or no, from a response and its threshold. */
  readonly isCall: boolean;
  /** Quantities that the report shows first. */
  readonly mainQuantities: readonly string[];
  /** The notebook ranks by the first of these quantities that the results have. */
  readonly notebookQuantities: readonly string[];
  /** Values of a result beside its quantities, in `results.csv`. */
  readonly scalars: readonly Scalar[];
  /** Columns of the curve table. */
  readonly curveColumns: readonly CurveColumn[];
  readonly lesson: Lesson;
  /** What was measured, at the beginning of the methods. */
  readonly about: string;
  /** What the settings did to the traces, in order of processing. */
  readonly processing: Sentences;
}
