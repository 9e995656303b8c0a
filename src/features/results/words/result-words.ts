/** The words that an assay uses for its results. */
import type { ResultCurves } from '../store.ts';

export interface ResultWords {
  /** Writes the result in one line. */
  readonly writeLine: (result: ResultCurves) => string;
  /** Name of the curves that are drawn. */
  readonly curves: string;
}
