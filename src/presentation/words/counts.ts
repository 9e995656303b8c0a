/** Numbers of things in a sentence. */

/** Formats a count with its noun, such as "1 value" and "20 values". */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
