/**
 * `/docs/flags`: the glossary of flags, made from the tables of the guide to results.
 * This folder: pages made from the Markdown of `docs/guide`. Not here: the reference of the operations.
 */
import { markup, Markup, type Part } from '#ui/markup.ts';
import { renderDocsNavigation } from '../docs-navigation.ts';
import { renderMarkdown } from './markdown.ts';
import { findAddress, GUIDES_PATH, readGuide } from './shelf.ts';

interface Entry {
  readonly codes: readonly string[];
  readonly happened: string;
  readonly toDo: string;
}

/** The flags of the guide by the title above their table, such as `Binding assays`. */
function readFlagTables(guide: string): ReadonlyMap<string, readonly Entry[]> {
  const section = guide.split(/^## Flags$/m)[1]?.split(/^## /m)[0] ?? '';
  const tables = new Map<string, Entry[]>();
  let title = '';
  for (const line of section.split('\n')) {
    if (/^[A-Z].*:$/.test(line)) title = line.slice(0, -1);
    const [, flags = '', happened = '', toDo = ''] = line.split('|').map((cell) => cell.trim());
    const codes = [...flags.matchAll(/`([A-Z0-9_]+)`/g)].map(([, code = '']) => code);
    if (codes.length > 0) tables.set(title, [...(tables.get(title) ?? []), { codes, happened, toDo }]);
  }
  return tables;
}

export async function renderFlags(): Promise<Markup> {
  const sections: Part[] = [];
  for (const [title, entries] of readFlagTables(readGuide('results', false) ?? '')) {
    const id = title.toLowerCase().replaceAll(' ', '-');
    const rows: Part[] = [];
    for (const entry of entries) rows.push(await renderEntry(entry));
    sections.push(
      markup`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2><dl class="parameters">${rows}</dl></section>`,
    );
  }
  return markup`${renderDocsNavigation('flags')}
<div class="page-head"><h1>Flags</h1></div>
<div class="stack"><p>A flag names a reason to doubt a value. <code>qc.flags</code> of a result has its codes, <code>qc.details</code> each with the number that was checked and its limit; <a href="${GUIDES_PATH}/results">the guide to results</a> explains the numbers.</p>${sections}</div>`;
}

async function renderEntry({ codes, happened, toDo }: Entry): Promise<Markup> {
  const names = codes.map((code) => markup`<code id="${code}">${code}</code> `);
  return markup`<div><dt>${names}</dt><dd>${await renderText(happened)}<p class="hint">What to do: ${await renderText(toDo)}</p></dd></div>`;
}

/** A cell of the table. Its links within the guide lead to the guide. */
async function renderText(text: string): Promise<Markup> {
  const { body } = await renderMarkdown(text, (href) =>
    href.startsWith('#') ? `${GUIDES_PATH}/results${href}` : findAddress(href, false),
  );
  return new Markup(body.text.trim().replace(/^<p>([^]*)<\/p>$/, '$1'));
}
