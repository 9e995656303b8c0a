/**
 * `/docs/guide` and `/docs/flags`: the guides for everybody, those of the lab for staff, and the glossary of flags,
 * made from the tables of the guide to results. This folder: pages made from the Markdown of `docs/guide`. Not here:
 * the reference of the operations.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { writeOwnAddress } from '#core/example-address.ts';
import { listAudiences } from '../../permissions.ts';
import { writeBrandedHeaders } from '../../branding.ts';
import { renderDocsNavigation } from '../docs-pieces.ts';
import { FLAGS_PATH } from '#features/results/pages/flag-links.ts';
import { allowOwnScript, getPathParameter, sendPage } from '#ui/http.ts';
import { renderPage, type PageContent } from '#ui/layout.ts';
import { markup, Markup, type Part } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { findSignedIn } from '#ui/session.ts';
import { renderMarkdown, type RenderedGuide } from './markdown.ts';
import { findAddress, GUIDES, GUIDES_PATH, readGuide, readSummary, readTitle } from './shelf.ts';
import type { Routes } from '#ui/routes.ts';

interface View {
  readonly title: string;
  readonly body: Markup;
  readonly status?: number;
  readonly scripts?: PageContent['scripts'];
}

export function addGuides(routes: Routes, parts: PagesParts): void {
  const show = async (
    request: FastifyRequest,
    reply: FastifyReply,
    render: (isStaff: boolean) => View | Promise<View>,
  ): Promise<FastifyReply> => {
    const session = await findSignedIn(parts, request);
    const view = await render(listAudiences(session?.principal ?? null).has('staff'));
    if (view.scripts !== undefined) allowOwnScript(reply);
    const frame = { site: parts.work.site, visitor: session?.visitor ?? null };
    return sendPage(reply, renderPage(frame, { ...view, section: 'docs' }), view.status);
  };
  const rendered = new Map<string, RenderedGuide>();
  /** The guides do not change while the service runs, so each is rendered once for each kind of reader. */
  const render = async (name: string, text: string, isStaff: boolean): Promise<RenderedGuide> => {
    const key = `${name} ${String(isStaff)}`;
    const own = writeOwnAddress(writeBrandedHeaders(text, parts.branding), parts.work.site.baseUrl);
    const guide = rendered.get(key) ?? (await renderMarkdown(own, (href) => findAddress(href, isStaff)));
    rendered.set(key, guide);
    return guide;
  };
  routes.get(GUIDES_PATH, (request, reply) => show(request, reply, renderIndex));
  routes.get(FLAGS_PATH, (request, reply) =>
    show(request, reply, async () => ({ title: 'Flags', body: await renderFlags() })),
  );
  routes.get(`${GUIDES_PATH}/:name`, (request, reply) =>
    show(request, reply, async (isStaff) => {
      const name = getPathParameter(request, 'name');
      const text = readGuide(name, isStaff);
      if (text === undefined) return renderUnknown(isStaff);
      return renderGuide(name, readTitle(text), await render(name, text, isStaff), isStaff);
    }),
  );
}

function listGuides(isStaff: boolean): readonly { name: string; title: string; summary: string }[] {
  return GUIDES.flatMap(({ name }) => {
    const text = readGuide(name, isStaff);
    return text === undefined ? [] : [{ name, title: readTitle(text), summary: readSummary(text) }];
  });
}

function renderIndex(isStaff: boolean): View {
  const rows: Part = listGuides(isStaff).map(
    ({ name, title, summary }) =>
      markup`<div><dt><a href="${GUIDES_PATH}/${name}">${title}</a></dt><dd class="muted">${summary}</dd></div>`,
  );
  const body = markup`${renderDocsNavigation('guides')}
<div class="page-head"><h1>Guides</h1></div>
<section class="card"><dl class="parameters">${rows}</dl></section>`;
  return { title: 'Guides', body };
}

function renderUnknown(isStaff: boolean): View {
  const { body } = renderIndex(isStaff);
  const notice = markup`<p class="notice">There is no guide of this name. These are all:</p>`;
  return { title: 'Unknown guide', body: markup`${notice}${body}`, status: 404 };
}

function renderGuide(name: string, title: string, guide: RenderedGuide, isStaff: boolean): View {
  const sections: Part = guide.headings
    .filter(({ depth }) => depth === 2)
    .map(({ id, text }) => markup`<li><a href="#${id}">${text}</a></li>`);
  const others: Part = listGuides(isStaff).map(
    (other) =>
      markup`<li><a href="${GUIDES_PATH}/${other.name}"${other.name === name && markup` aria-current="page"`}>${other.title}</a></li>`,
  );
  const body = markup`${renderDocsNavigation('guides')}
<div class="docs"><div class="contents"><nav aria-label="On this page"><ul>${sections}</ul></nav>
<details><summary>All guides</summary><nav aria-label="All guides"><ul>${others}</ul></nav></details></div>
<article class="guide"><p class="visually-hidden" role="status" data-copied></p>${guide.body}</article></div>`;
  return { title, body, scripts: ['copy'] };
}

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

async function renderFlags(): Promise<Markup> {
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
