/** A result in words, as its assay has them. */
import type { ResultCurves } from '#domain/results/store.ts';

export interface ResultWords {
  /** The result in one line. */
  readonly writeLine: (result: ResultCurves) => string;
  /** What is drawn of a result. */
  readonly curves: string;
}
