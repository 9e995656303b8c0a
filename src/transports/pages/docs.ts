/** `/docs`: the API reference, made from the operations. */
import { formatCount } from '#core/words.ts';
import { getFailureStatus } from '#core/failures.ts';
import type { Operation } from '#core/operation.ts';
import { runInSlices, type Steps } from '#core/slices.ts';
import { doorFailures } from '../dispatch.ts';
import { describeForRest } from '../openapi/media.ts';
import { bindings } from '../operations.ts';
import { getAudience, listAudiences, type Audience } from '../permissions.ts';
import { ERROR_DOCS_PATH } from '../rest/errors.ts';
import { API_PREFIX } from '../rest/server.ts';
import { addErrorDocs } from './docs-errors.ts';
import { createEntryRenderer } from './docs-entry.ts';
import { listFieldNames, renderSentence, renderDocsNavigation } from './docs-pieces.ts';
import { addGuides } from './guides/routes.ts';
import { addTemplates, renderTemplateList } from '#features/experiments/pages/templates.ts';
import { allowOwnScript, queryParameter, sendPage } from '#ui/http.ts';
import { renderPage } from '#ui/layout.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { findSignedIn } from '#ui/session.ts';
import { toSentenceCase } from '#ui/words.ts';
import type { Routes } from '#ui/routes.ts';

/** A search that finds so few operations shows them opened. */
const OPENED_MAX = 3;
const WORDS_MAX = 8;

export function addDocs(routes: Routes, parts: PagesParts): void {
  const prepareEntries = createEntryRenderer(parts.work.site.baseUrl);
  routes.get('/docs', async (request, reply) => {
    const session = await findSignedIn(parts, request);
    const { site } = parts.work;
    const audiences = listAudiences(session?.principal ?? null);
    const page = {
      title: 'API reference',
      body: await runInSlices(
        renderDocs(site.baseUrl, prepareEntries, audiences, queryParameter(request, 'search')),
      ),
      section: 'docs',
      scripts: ['docs-search'],
    } as const;
    allowOwnScript(reply);
    return sendPage(reply, renderPage({ site, visitor: session?.visitor ?? null }, page));
  });
  addErrorDocs(routes, parts);
  addGuides(routes, parts);
  addTemplates(routes);
}

function* renderDocs(
  baseUrl: string,
  prepareEntries: ReturnType<typeof createEntryRenderer>,
  audiences: ReadonlySet<Audience>,
  search: string,
): Steps<Markup> {
  const readable = bindings
    .map(({ operation }) => operation)
    .filter((operation) => audiences.has(getAudience(operation)));
  const matchingOperations = findOperations(readable, search);
  const isSearch = matchingOperations.length < readable.length;
  const renderEntry = yield* prepareEntries(matchingOperations);
  const groups = Map.groupBy(matchingOperations, ({ tag }) => tag);
  const contents: Part = [...groups].map(
    ([tag, operations]) =>
      markup`<li><a href="#tag-${tag}">${toSentenceCase(tag)}</a> <span class="muted">${operations.length}</span></li>`,
  );
  const sections: Part = [...groups].map(
    ([tag, operations]) =>
      markup`<section aria-labelledby="tag-${tag}" data-tag="${tag}"><h2 id="tag-${tag}">${toSentenceCase(tag)}</h2>${operations.map((operation) => renderEntry(operation, isSearch && matchingOperations.length <= OPENED_MAX))}</section>`,
  );
  return markup`${renderDocsNavigation('reference')}
<div class="page-head"><h1>API reference</h1><a class="button quiet" href="${API_PREFIX}/openapi.json">OpenAPI document</a></div>
${renderSearch(search, isSearch ? matchingOperations.length : null)}
<div class="docs"><nav class="contents" aria-label="Contents"><ul>${contents}</ul></nav>
<div class="stack"><p class="visually-hidden" role="status" data-copied></p>${!isSearch && markup`<div class="stack" data-unsearched>${renderIntroduction(baseUrl)}${renderTemplateList()}</div>`}${sections}${!isSearch && markup`<div data-unsearched>${renderCommonFailures()}</div>`}</div></div>`;
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
  return markup`<form class="filters" method="get" action="/docs" role="search" aria-label="Operations"${found === null && markup` data-whole`}><div class="field"><label for="search">Find a path, field or failure</label><input id="search" type="search" name="search" value="${search}" maxlength="200"></div><button>Search</button> <p class="hint" role="status" data-found>${countSentence}</p>${found !== null && markup` <p class="hint"><a href="/docs">Show all</a></p>`}</form>`;
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
