/** What the settings of an analysis did, in sentences. */

/** Sentences for the settings as they are recorded; undefined where a setting is not. */
export type Sentences = (settings: Readonly<Record<string, unknown>>) => (string | undefined)[];

/** The sentence of a setting that is a number. */
export function withNumber(value: unknown, sentence: (number: number) => string): string | undefined {
  return typeof value === 'number' ? sentence(value) : undefined;
}
