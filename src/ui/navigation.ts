/** The frame of the lab's pages: the switch between portal and lab, the search, the screens, the keys. */
import { markup, type Markup, type Part } from './markup.ts';

/** The headings under which the navigation lists the screens, in this order. */
export const screenGroups = ['Work', 'Catalog', 'Money', 'Lab'] as const;
export type ScreenGroup = (typeof screenGroups)[number];

/** A screen that the visitor may open. */
export interface ScreenLink {
  readonly path: string;
  readonly label: string;
  readonly group: ScreenGroup;
  /** `g` and then this letter opens it. */
  readonly letter: string;
}

export interface LabFrame {
  readonly screens: readonly ScreenLink[];
  /** The path of the screen that the page belongs to. */
  readonly here: string;
}

/** Renders the switch that staff have on every page of portal and lab. */
export function renderSides(here: 'portal' | 'lab'): Markup {
  const links = [
    ['portal', '/', 'Portal'],
    ['lab', '/lab', 'Lab'],
  ] as const;
  return markup`<nav class="sides" aria-label="Portal or lab">${links.map(([key, path, label]) => markup`<a href="${path}"${key === here && markup` aria-current="true"`}>${label}</a>`)}</nav>`;
}

/** The menu is a popover on narrow screens, so it opens without a script. */
export function renderLabHeader(
  [mark, environment]: readonly [mark: Markup, environment: Part],
  frame: LabFrame,
  account: Markup,
): Markup {
  return markup`<header class="top"><div class="bar lab-bar"><a class="brand" href="/lab">${mark}Assayer</a>${environment}${renderSides('lab')}
<form class="lab-search" role="search" method="get" action="/lab/experiments"><label class="visually-hidden" for="lab-search">Search orders</label><input id="lab-search" type="search" name="search" maxlength="200" placeholder="Search code, name, client, target" autocomplete="off"></form>
<button type="button" class="quiet menu-button" popovertarget="lab-menu">Menu</button>${account}</div></header>${renderKeys(frame)}`;
}

export function renderLabBody({ screens, here }: LabFrame, main: Markup): Markup {
  const groups = screenGroups.map((group) => {
    const links = screens.filter((screen) => screen.group === group);
    if (links.length === 0) return null;
    return markup`<div><p class="over" id="group-${group.toLowerCase()}">${group}</p><ul aria-labelledby="group-${group.toLowerCase()}">${links.map(({ path, label, letter }) => markup`<li><a href="${path}" data-key="${letter}"${path === here && markup` aria-current="page"`}>${label}</a></li>`)}</ul></div>`;
  });
  return markup`<div class="lab"><nav class="lab-menu" id="lab-menu" aria-label="Lab" popover>${groups}
<button type="button" class="quiet" popovertarget="lab-keys">Keyboard</button></nav>
${main}</div>`;
}

/** Letters must be possible to switch off (WCAG 2.2, 2.1.4); the script shows the switch. */
function renderKeys({ screens }: LabFrame): Markup {
  const rows = screens.map(
    ({ label, letter }) => markup`<div><dt><kbd>g</kbd> <kbd>${letter}</kbd></dt><dd>${label}</dd></div>`,
  );
  return markup`<section class="keys" id="lab-keys" aria-labelledby="keys-title" popover><div class="card-head"><h2 id="keys-title">Keyboard</h2><button type="button" class="quiet" popovertarget="lab-keys" popovertargetaction="hide">Close</button></div>
<dl><div><dt><kbd>/</kbd></dt><dd>Search orders</dd></div><div><dt><kbd>?</kbd></dt><dd>This list</dd></div>${rows}</dl>
<label class="check" hidden><input type="checkbox" id="lab-keys-on" checked> <span>Letters are keys in this browser</span></label></section>`;
}
