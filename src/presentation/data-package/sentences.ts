/** Sentences about the effect of the analysis settings. */

/** Returns the sentences for the recorded settings; undefined for a setting that is not recorded. */
export type Sentences = (settings: Readonly<Record<string, unknown>>) => (string | undefined)[];

/** Returns the sentence of a numeric setting. */
export function withNumber(value: unknown, sentence: (number: number) => string): string | undefined {
  return typeof value === 'number' ? sentence(value) : undefined;
}
