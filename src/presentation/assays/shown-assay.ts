/** How results of an assay are shown: in figures, in the report and in the data package. */
import type { ResultCurves } from '#domain/results/store.ts';
import type { CurveColumn } from '../data-package/curve-columns.ts';
import type { Lesson } from '../data-package/lessons.ts';
import type { Scalar } from '../data-package/scalars.ts';
import type { Sentences } from '../data-package/sentences.ts';
import type { Measure } from '../figures/measures.ts';
import type { Scene } from '../scene.ts';
import type { ResultWords } from '../words/result-words.ts';

export interface ShownAssay {
  /** In the report. */
  readonly reportName: string;
  readonly words: ResultWords;
  /** What the results are ranked and compared by. */
  readonly measure: Measure;
  /** The picture of one result. */
  readonly draw: (result: ResultCurves) => Scene;
  /** The answer is yes or no, by a response and its threshold. */
  readonly isCall: boolean;
  /** Its sequences share their plates: a report shows each plate once, in place of a picture for each sequence. */
  readonly sharesPlates: boolean;
  /** Quantities that a reader looks at first, in the report. */
  readonly mainQuantities: readonly string[];
  /** The quantity that the notebook ranks by is the first of these that there is. */
  readonly notebookQuantities: readonly string[];
  /** What a result says besides its quantities, in `results.csv`. */
  readonly scalars: readonly Scalar[];
  /** Columns of the table of curves. */
  readonly curveColumns: readonly CurveColumn[];
  readonly lesson: Lesson;
  /** What was measured, at the head of the methods. */
  readonly about: string;
  /** What the settings did to the traces, in the order it was done. */
  readonly processing: Sentences;
}
