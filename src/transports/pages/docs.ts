/** `/docs`: the API reference, made from the operations. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { capitalizeSentence, formatCount } from '#core/words.ts';
import { getFailureStatus } from '#core/failures.ts';
import type { Operation } from '#core/operation.ts';
import { runInSlices, type Steps } from '#core/slices.ts';
import { doorFailures } from '../dispatch.ts';
import { describeForRest } from '../openapi/media.ts';
import { bindings } from '../operations.ts';
import { getAudience, listAudiences } from '../permissions.ts';
import { ERROR_DOCS_PATH } from '../rest/errors.ts';
import { API_PREFIX } from '../rest/server.ts';
import { TAGS } from '../openapi/document.ts';
import { addErrorDocs } from './docs-errors.ts';
import { createEntryRenderer, type WriteCommand } from './docs-entry.ts';
import { listFieldNames, renderSentence, renderDocsNavigation, REFERENCE_PATH } from './docs-pieces.ts';
import { addGuides } from './guides/routes.ts';
import { addTemplates, renderTemplateList } from '#features/experiments/pages/templates.ts';
import { allowOwnScript, getPathParameter, queryParameter, sendPage } from '#ui/http.ts';
import { renderPage, type PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { findSignedIn } from '#ui/session.ts';
import { toSentenceCase } from '#ui/words.ts';
import type { Routes } from '#ui/routes.ts';

/** A search that finds so few operations shows them opened. */
const OPENED_MAX = 3;
const WORDS_MAX = 8;

export function addDocs(routes: Routes, parts: PagesParts, writeCommand: WriteCommand): void {
  const { site } = parts.work;
  const prepareEntries = createEntryRenderer(site.baseUrl, writeCommand);
  const send = async (
    { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
    render: (
      readable: readonly Operation[],
    ) => Steps<Pick<PageContent, 'title' | 'body' | 'status' | 'scripts'>>,
  ): Promise<FastifyReply> => {
    const session = await findSignedIn(parts, request);
    const audiences = listAudiences(session?.principal ?? null);
    const readable = bindings
      .map(({ operation }) => operation)
      .filter((operation) => audiences.has(getAudience(operation)));
    const page = await runInSlices(render(readable));
    if (page.scripts !== undefined) allowOwnScript(reply);
    const frame = { site, visitor: session?.visitor ?? null };
    return sendPage(reply, renderPage(frame, { ...page, section: 'docs' }), page.status);
  };
  routes.get('/docs', (request, reply) =>
    send({ request, reply }, function* (readable) {
      const search = queryParameter(request, 'search');
      const body = yield* renderIndex({ baseUrl: site.baseUrl, readable, prepareEntries, search });
      return { title: 'API reference', body, scripts: ['docs-search'] };
    }),
  );
  routes.get(`${REFERENCE_PATH}/:tag`, (request, reply) =>
    send({ request, reply }, function* (readable) {
      const tag = getPathParameter(request, 'tag');
      const operations = readable.filter((operation) => operation.tag === tag);
      if (operations.length === 0) return { title: 'Unknown group', body: renderUnknown(tag), status: 404 };
      const renderEntry = yield* prepareEntries(operations);
      const body = markup`${renderDocsNavigation('reference')}
<div class="page-head"><div><p class="over"><a href="/docs">API reference</a></p><h1>${nameGroup(tag)}</h1></div></div>
<div class="docs">${renderContents(readable, tag)}
<div class="stack"><p class="lead">${describeGroup(tag)}</p><p class="visually-hidden" role="status" data-copied></p><div>${operations.map((operation) => renderEntry(operation, operations.length <= OPENED_MAX))}</div></div></div>`;
      return { title: `${nameGroup(tag)}: API reference`, body, scripts: ['copy'] };
    }),
  );
  addErrorDocs(routes, parts);
  addGuides(routes, parts);
  addTemplates(routes);
}

interface Index {
  readonly baseUrl: string;
  /** The operations that the reader may see. */
  readonly readable: readonly Operation[];
  readonly prepareEntries: ReturnType<typeof createEntryRenderer>;
  readonly search: string;
}

/** Lists every operation below its group, or what a search finds; the page of a group explains them. */
function* renderIndex({ baseUrl, readable, prepareEntries, search }: Index): Steps<Markup> {
  const found = findOperations(readable, search);
  const isSearch = found.length < readable.length;
  const isOpened = isSearch && found.length <= OPENED_MAX;
  const renderEntry = isOpened ? yield* prepareEntries(found) : null;
  const listed =
    renderEntry === null
      ? groupByAudience(found).map(({ heading, tags }) => [
          heading !== null && tags.length > 0 && markup`<h2>${heading}</h2>`,
          tags.map((tag) => renderGroup(tag, found)),
        ])
      : found.map((operation) => renderEntry(operation, true));
  return markup`${renderDocsNavigation('reference')}
<div class="page-head"><h1>API reference</h1><a class="button quiet" href="${API_PREFIX}/openapi.json">OpenAPI document</a></div>
${renderSearch(search, isSearch ? found.length : null)}
<div class="docs" data-found-here>${renderContents(found)}
<div class="stack"><p class="visually-hidden" role="status" data-copied></p>${!isSearch && renderIntroduction(baseUrl)}${listed}${!isSearch && [renderTemplateList(), renderCommonFailures()]}</div></div>`;
}

const isOfLab = (tag: string): boolean => tag === 'lab' || tag.startsWith('lab-');

/** Clients read their groups first; those of the lab stand apart. */
function groupByAudience(operations: readonly Operation[]) {
  const used = new Set(operations.map(({ tag }) => tag));
  const tags = Object.keys(TAGS).filter((tag) => used.has(tag));
  return [
    { heading: null, tags: tags.filter((tag) => !isOfLab(tag)) },
    { heading: 'For the staff of the lab', tags: tags.filter(isOfLab) },
  ];
}

function nameGroup(tag: string): string {
  return toSentenceCase(tag.replace(/^lab-/, '').replaceAll('-', ' '));
}

function describeGroup(tag: string): string {
  const text = TAGS[tag] ?? '';
  return `${capitalizeSentence(text.replace(/^For the staff of the lab: /, ''))}.`;
}

function renderContents(operations: readonly Operation[], here?: string): Markup {
  const lists = groupByAudience(operations).map(({ heading, tags }) => {
    if (tags.length === 0) return null;
    const links = tags.map((tag) => {
      const { length: count } = operations.filter((operation) => operation.tag === tag);
      return markup`<li><a href="${REFERENCE_PATH}/${tag}"${tag === here && markup` aria-current="page"`}>${nameGroup(tag)}</a> <span class="muted">${count}</span></li>`;
    });
    return markup`${heading !== null && markup`<p class="over">${heading}</p>`}<ul>${links}</ul>`;
  });
  return markup`<nav class="contents" aria-label="Contents">${lists}</nav>`;
}

function renderGroup(tag: string, operations: readonly Operation[]): Markup {
  const rows = operations
    .filter((operation) => operation.tag === tag)
    .map(
      ({ id, method, path, summary }) =>
        markup`<li id="${id}"><a href="${REFERENCE_PATH}/${tag}#${id}"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></a> <span class="muted">${summary}</span></li>`,
    );
  return markup`<section class="group" aria-labelledby="tag-${tag}"><h3 id="tag-${tag}"><a href="${REFERENCE_PATH}/${tag}">${nameGroup(tag)}</a></h3><p class="hint">${describeGroup(tag)}</p><ul class="calls">${rows}</ul></section>`;
}

function renderUnknown(tag: string): Markup {
  return markup`${renderDocsNavigation('reference')}
<div class="page-head"><h1>Unknown group</h1></div>
<p>The reference has no group <code>${tag}</code> that you may read. <a href="/docs">All groups</a></p>`;
}

/** The operations that contain every word: in their path, texts, fields or failures. */
function findOperations(operations: readonly Operation[], search: string): readonly Operation[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, WORDS_MAX);
  return words.length === 0
    ? operations
    : operations.filter((operation) => {
        const text = getSearchText(operation);
        return words.every((word) => text.includes(word));
      });
}

const searchTexts = new Map<string, string>();

function getSearchText(operation: Operation): string {
  const text = searchTexts.get(operation.id) ?? listTexts(operation).join('\n').toLowerCase();
  searchTexts.set(operation.id, text);
  return text;
}

function listTexts(operation: Operation): readonly string[] {
  const { id, method, path, summary, permission, failures, params, query, body, output } = operation;
  const fields = [params, query, body, output].flatMap((schema) => listFieldNames(schema));
  return [id, `${method} ${path}`, summary, describeForRest(operation), permission, ...failures, ...fields];
}

function renderSearch(search: string, found: number | null): Markup {
  const count = formatCount(found ?? 0, 'operation');
  const countSentence = found === null ? null : `${count} with “${search}”`;
  return markup`<form class="filters" method="get" action="/docs" role="search" aria-label="Operations"><div class="field"><label for="search">Find a path, field or failure</label><input id="search" type="search" name="search" value="${search}" maxlength="200"></div><button>Search</button> <p class="hint" role="status" data-found>${countSentence}</p>${found !== null && markup` <p class="hint"><a href="/docs">Show all</a></p>`}</form>`;
}

function renderIntroduction(baseUrl: string): Markup {
  return markup`<section class="card stack prose" aria-labelledby="start"><h2 id="start">How to call it</h2>
<p>Every call goes to <code>${baseUrl}${API_PREFIX}</code> with a token. Bodies and answers are JSON; times are RFC 3339 in UTC, money is in whole cents, concentrations are named with their unit.</p>
<pre class="copy" tabindex="0">curl -H "Authorization: Bearer $ASSAYER_TOKEN" \\
${baseUrl}${API_PREFIX}/whoami</pre>
<p>A POST that carries an <code>Idempotency-Key</code> header can be repeated safely: it acts once and answers the same. Lists take <code>filter</code>, <code>sort</code>, <code>search</code>, <code>limit</code>, and <code>offset</code> or <code>cursor</code>. An error answers <code>error</code> (a sentence), <code>code</code> (stable; <a href="${ERROR_DOCS_PATH}">each has a page</a>) and <code>request_id</code>.</p></section>`;
}

function renderCommonFailures(): Markup {
  const rows = doorFailures.map(
    (code) =>
      markup`<div><dt>${getFailureStatus(code)} <code>${code}</code></dt><dd>${renderSentence(code)}</dd></div>`,
  );
  return markup`<section class="card" aria-labelledby="common"><h2 id="common">Failures of every call</h2><dl class="parameters">${rows}</dl></section>`;
}
