/** Numbers of things in a sentence. */

/** A count with its noun, such as `1 sequence`, `52 sequences`, `1,200 sequences`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${formatNoun(count, noun)}`;
}

/** The noun alone, where the sentence has its number elsewhere. */
export function formatNoun(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}
