/** Flags of a result as links to their entries in the glossary. */
import { formatFlags } from '#presentation/words/results.ts';
import { markup, type Markup, type Part } from './markup.ts';
import { toSentenceCase } from './words.ts';

export const FLAGS_PATH = '/docs/flags';

/** A flag in words, as a link to what it means. */
export function renderFlagLink(code: string): Markup {
  return markup`<a href="${FLAGS_PATH}#${code}">${toSentenceCase(formatFlags([code]))}</a>`;
}

/** Several flags in words, with commas between them. */
export function renderFlagLinks(codes: readonly string[]): Part {
  return codes.map((code, index) => [index > 0 && ', ', renderFlagLink(code)]);
}
