/** Flags of a result as links to their entries in the glossary. */
import { formatFlags } from '../words/results.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { toSentenceCase } from '#ui/words.ts';

export const FLAGS_PATH = '/docs/flags';

/** A flag in words, as a link to what it means. */
export function renderFlagLink(code: string): Markup {
  return renderLink(code, null);
}

/** Several flags in words, with commas between them. */
export function renderFlagLinks(codes: readonly string[]): Part {
  return codes.map((code, index) => [index > 0 && ', ', renderFlagLink(code)]);
}

/** The same within a form: a link opens a tab of its own, so that what was typed stays. */
export function renderFlagLinksInForm(codes: readonly string[]): Part {
  return codes.map((code, index) => [index > 0 && ', ', renderLink(code, NEW_TAB)]);
}

const NEW_TAB = markup` target="_blank" rel="noopener"`;

function renderLink(code: string, attributes: Part): Markup {
  return markup`<a href="${FLAGS_PATH}#${code}"${attributes}>${toSentenceCase(formatFlags([code]))}</a>`;
}
