import { markup, type Markup } from '../markup.ts';
import type { Session } from '../session.ts';

const TABS = [
  ['people', '/organization', 'People'],
  ['tokens', '/organization/tokens', 'Tokens'],
] as const;

/** The head of the organization's pages, with the way between them. */
export function settingsHead({ visitor }: Session, here: (typeof TABS)[number][0]): Markup {
  const links = TABS.map(
    ([key, href, label]) =>
      markup`<a href="${href}"${key === here && markup` aria-current="page"`}>${label}</a>`,
  );
  return markup`<div class="page-head"><h1><bdi>${visitor.organization}</bdi></h1></div>
<nav class="tabs" aria-label="Organization">${links}</nav>`;
}
