/** The parts of `/docs`, as every page of it names them. */
import { markup, type Markup, type Part } from '#ui/markup.ts';

const PARTS = [
  ['reference', '/docs', 'API reference'],
  ['guides', '/docs/guide', 'Guides'],
  ['flags', '/docs/flags', 'Flags'],
  ['errors', '/docs/errors', 'Errors'],
] as const;

export function renderDocsNavigation(current: (typeof PARTS)[number][0]): Markup {
  const links: Part = PARTS.map(
    ([key, href, label]) =>
      markup`<li><a href="${href}"${key === current && markup` aria-current="true"`}>${label}</a></li>`,
  );
  return markup`<nav class="parts" aria-label="Documentation"><ul>${links}</ul></nav>`;
}
