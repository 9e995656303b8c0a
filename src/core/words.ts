/** Things and their numbers in a sentence. */

/** Returns `a`, `a or b` or `a, b, or c`. */
export function joinWords(words: readonly string[], conjunction: 'and' | 'or'): string {
  const last = words.at(-1) ?? '';
  if (words.length < 2) return last;
  const before = words.slice(0, -1).join(', ');
  return words.length === 2 ? `${before} ${conjunction} ${last}` : `${before}, ${conjunction} ${last}`;
}

/** Returns the first words of a list and the number of the others: `a, b and 3 more`. */
export function joinFirst(words: readonly string[], most: number): string {
  const first = words.slice(0, most).join(', ');
  return words.length > most ? `${first} and ${words.length - most} more` : first;
}

/** A count with its noun, such as `1 sequence`, `52 sequences`, `1,200 sequences`. */
export function formatCount(count: number, noun: string): string {
  // The first number in the form of a language loads that language, which takes longer than a small command.
  const isSmall = Number.isInteger(count) && Math.abs(count) < 1_000;
  return `${isSmall ? count : count.toLocaleString('en-US')} ${formatNoun(count, noun)}`;
}

/** The noun alone, where the sentence has its number elsewhere. */
export function formatNoun(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
].concat(['November', 'December']);

/** Such as `2 March 2026`, in UTC. */
export function formatLongDay(at: Date): string {
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()] ?? ''} ${at.getUTCFullYear()}`;
}

/** Begins a sentence with a capital letter; the rest stays. */
export function capitalizeSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
