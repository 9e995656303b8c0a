/**
 * Counts the work on a package in results: each is read several times, for its tables and for its curves and figures,
 * so one counts as done when that share of all the readings is over.
 */

/** Readings of every record, and of every result's curves; a report may have fewer or more of the latter. */
const RECORD_READINGS = 6;
const CURVE_READINGS = 4;
/** Reading curves, and writing or drawing them, takes about so many times as long as reading a record. */
const CURVE_WEIGHT = 5;

export class BuildProgress {
  readonly #results: number;
  readonly #onProgress: ((resultsDone: number) => void) | undefined;
  #work = 0;
  #done = 0;

  constructor(results: number, onProgress?: (resultsDone: number) => void) {
    this.#results = results;
    this.#onProgress = onProgress;
  }

  countRecord(): void {
    this.#count(1);
  }

  countCurves(): void {
    this.#count(CURVE_WEIGHT);
  }

  /** The last result is done when the archive is, not before. */
  #count(work: number): void {
    this.#work += work;
    const readings = RECORD_READINGS + CURVE_READINGS * CURVE_WEIGHT;
    const done = Math.min(this.#results - 1, Math.floor(this.#work / readings));
    if (done <= this.#done) return;
    this.#done = done;
    this.#onProgress?.(done);
  }
}
