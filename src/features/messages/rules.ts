/** Whom a message names, and what mails and the feed repeat of it. */
import { removeControls } from '#core/one-line.ts';

/** `@` and an address, or what stands before the `@` of one. */
const MENTION = /(?<![\w.+@-])@([\w.+-]+(?:@[\w-]+(?:\.[\w-]+)+)?)/g;
const EXCERPT_LENGTH_MAX = 200;

/** Finds the people whom the text names; a name that several people have names nobody. */
export function findMentioned<Person extends { readonly email: string }>(
  text: string,
  people: readonly Person[],
): readonly Person[] {
  const words = [...text.matchAll(MENTION)].map(([, word = '']) => word.toLowerCase().replace(/[.-]+$/, ''));
  const mentioned = words.flatMap((word) => {
    const matches = people.filter(({ email }) => {
      const address = email.toLowerCase();
      return address === word || address.split('@', 1)[0] === word;
    });
    return matches.length === 1 ? matches : [];
  });
  return [...new Set(mentioned)];
}

/** The beginning of a message as one line. */
export function formatExcerpt(text: string): string {
  const line = removeControls(text.replace(/\s+/g, ' ')).trim();
  const characters = Array.from(line);
  return characters.length > EXCERPT_LENGTH_MAX
    ? `${characters.slice(0, EXCERPT_LENGTH_MAX).join('')}…`
    : line;
}
