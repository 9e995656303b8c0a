/** `/docs/errors`: what each failure means and what to do about it, made from the catalog of failures. */
import { failureCodes, getFailureStatus, isFailureCode, type FailureCode } from '#core/failures.ts';
import { remedies } from '#core/remedies.ts';
import { listDeclaredFailures } from '../declared-failures.ts';
import { bindings } from '../operations.ts';
import { getAudience, listAudiences, type Audience } from '../permissions.ts';
import { ERROR_DOCS_PATH } from '../rest/errors.ts';
import { renderWithCode, renderSentence, renderDocsNavigation, REFERENCE_PATH } from './docs-pieces.ts';
import { getPathParameter, sendPage } from '#ui/http.ts';
import { renderPage } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { findSignedIn } from '#ui/session.ts';
import type { Routes } from '#ui/routes.ts';

export function addErrorDocs(routes: Routes, parts: PagesParts): void {
  const { site } = parts.work;
  routes.get(ERROR_DOCS_PATH, async (request, reply) => {
    const session = await findSignedIn(parts, request);
    const page = { title: 'Errors', body: renderIndex(), section: 'docs' } as const;
    return sendPage(reply, renderPage({ site, visitor: session?.visitor ?? null }, page));
  });
  routes.get(`${ERROR_DOCS_PATH}/:code`, async (request, reply) => {
    const code = getPathParameter(request, 'code');
    const session = await findSignedIn(parts, request);
    if (!isFailureCode(code)) {
      const page = { title: 'Unknown code', body: renderUnknown(code), section: 'docs' } as const;
      return sendPage(reply, renderPage({ site, visitor: session?.visitor ?? null }, page), 404);
    }
    const page = {
      title: code,
      body: renderFailure(code, listAudiences(session?.principal ?? null)),
      section: 'docs',
    } as const;
    return sendPage(reply, renderPage({ site, visitor: session?.visitor ?? null }, page));
  });
}

function renderUnknown(code: string): Markup {
  return markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="${ERROR_DOCS_PATH}">Errors</a></nav>
<div class="page-head"><h1>Unknown code</h1></div>
<div class="stack prose"><p>No error of this service has the code <code>${code}</code>. A code is the <code>code</code> of an answer, such as <code>quote_expired</code>; <a href="${ERROR_DOCS_PATH}">Errors</a> lists all.</p></div>`;
}

function renderIndex(): Markup {
  const byStatus = Map.groupBy(failureCodes, getFailureStatus);
  const sections = [...byStatus]
    .toSorted(([a], [b]) => a - b)
    .map(
      ([status, codes]) =>
        markup`<section class="card" aria-labelledby="status-${status}"><h2 id="status-${status}">${status}</h2><dl class="parameters">${codes.map(renderRow)}</dl></section>`,
    );
  return markup`${renderDocsNavigation('errors')}
<div class="page-head"><h1>Errors</h1></div>
<div class="stack"><p>An error answers <code>error</code> (a sentence), <code>code</code> (stable, listed here) and <code>request_id</code>. With <code>Accept: application/problem+json</code> its <code>type</code> is the address of the page about the code.</p>${sections}</div>`;
}

function renderRow(code: FailureCode): Markup {
  return markup`<div><dt><a href="${ERROR_DOCS_PATH}/${code}"><code>${code}</code></a></dt><dd>${renderSentence(code)}</dd></div>`;
}

function renderFailure(code: FailureCode, audiences: ReadonlySet<Audience>): Markup {
  const visible = bindings.filter(({ operation }) => audiences.has(getAudience(operation)));
  const raising = visible.filter((binding) => listDeclaredFailures(binding).includes(code));
  const operations =
    raising.length === visible.length
      ? markup`<p>Any call.</p>`
      : markup`<ul class="calls">${raising.map(({ operation: { id, tag, method, path } }) => markup`<li><a href="${REFERENCE_PATH}/${tag}#${id}"><code>${method} ${path}</code></a></li>`)}</ul>`;
  return markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="${ERROR_DOCS_PATH}">Errors</a></nav>
<div class="page-head"><h1><code>${code}</code></h1></div>
<div class="stack prose"><p class="hint">Status ${getFailureStatus(code)}</p>
<section class="card stack" aria-labelledby="cause"><h2 id="cause">Cause</h2><p>${renderSentence(code)}</p></section>
<section class="card stack" aria-labelledby="remedy"><h2 id="remedy">Remedy</h2><p>${renderWithCode(remedies[code])}</p></section>
${raising.length > 0 && markup`<section class="card stack" aria-labelledby="calls"><h2 id="calls">Calls that answer it</h2>${operations}</section>`}</div>`;
}
