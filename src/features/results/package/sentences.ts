/** Sentences about the effect of the analysis settings. */

/** The settings of an analysis, and the model that it states for the experiment; null where each fit has its own. */
export interface AnalysisRecord {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly model: string | null;
  /** Baseline slopes that curves share; null where none do, undefined where the record does not say. */
  readonly sharedSlopes?: unknown;
}

/** Returns the sentences for what is recorded; undefined for what is not. */
export type Sentences = (record: AnalysisRecord) => (string | undefined)[];

/** Returns the sentence of a numeric setting. */
export function withNumber(
  value: unknown,
  sentence: (number: number) => string | undefined,
): string | undefined {
  return typeof value === 'number' ? sentence(value) : undefined;
}
