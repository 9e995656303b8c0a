/** `/docs`: the API reference, made from the operations. */
import { describeForRest } from '../openapi/media.ts';
import type { FastifyInstance } from 'fastify';
import { getFailureSentence, getFailureStatus } from '#core/failures.ts';
import type { Operation } from '#core/operation.ts';
import type { TObject, TSchema } from '#core/schema.ts';
import { doorFailures } from '../dispatch.ts';
import { bindings } from '../operations.ts';
import { getAudience, listAudiences, type Audience } from '../permissions.ts';
import { ERROR_DOCS_PATH } from '../rest/errors.ts';
import { API_PREFIX } from '../rest/server.ts';
import { addErrorDocs } from './docs-errors.ts';
import { renderDocsNavigation } from './docs-navigation.ts';
import { addGuides } from './guides/routes.ts';
import { addTemplates, renderTemplateList } from './templates.ts';
import { sendPage } from './http.ts';
import { renderPage } from './layout.ts';
import { markup, type Markup, type Part } from './markup.ts';
import type { PagesParts } from './parts.ts';
import { findSignedIn } from './session.ts';
import { toSentenceCase } from './words.ts';

export function addDocs(app: FastifyInstance, parts: PagesParts): void {
  app.get('/docs', async (request, reply) => {
    const session = await findSignedIn(parts, request);
    const { environment, baseUrl } = parts.work.site;
    const page = {
      title: 'API reference',
      body: renderDocs(baseUrl, listAudiences(session?.principal ?? null)),
      section: 'docs',
    } as const;
    return sendPage(reply, renderPage({ environment, visitor: session?.visitor ?? null }, page));
  });
  addErrorDocs(app, parts);
  addGuides(app, parts);
  addTemplates(app);
}

function renderDocs(baseUrl: string, audiences: ReadonlySet<Audience>): Markup {
  const groups = Map.groupBy(
    bindings.map(({ operation }) => operation).filter((operation) => audiences.has(getAudience(operation))),
    ({ tag }) => tag,
  );
  const contents: Part = [...groups].map(
    ([tag, operations]) =>
      markup`<li><a href="#tag-${tag}">${toSentenceCase(tag)}</a> <span class="muted">${operations.length}</span></li>`,
  );
  const sections: Part = [...groups].map(
    ([tag, operations]) =>
      markup`<section aria-labelledby="tag-${tag}"><h2 id="tag-${tag}">${toSentenceCase(tag)}</h2>${operations.map((operation) => renderEntry(operation, baseUrl))}</section>`,
  );
  return markup`${renderDocsNavigation('reference')}
<div class="page-head"><h1>API reference</h1><a class="button quiet" href="${API_PREFIX}/openapi.json">OpenAPI document</a></div>
<div class="docs"><nav class="contents" aria-label="Contents"><ul>${contents}</ul></nav>
<div class="stack">${renderIntroduction(baseUrl)}${renderTemplateList()}${sections}${renderCommonFailures()}</div></div>`;
}

function renderIntroduction(baseUrl: string): Markup {
  return markup`<section class="card stack prose" aria-labelledby="start"><h2 id="start">How to call it</h2>
<p>Every call goes to <code>${baseUrl}${API_PREFIX}</code> with a token. Bodies and answers are JSON; times are RFC 3339 in UTC, money is in whole cents, concentrations are named with their unit.</p>
<pre class="copy" tabindex="0">curl -H "Authorization: Bearer $ASSAYER_TOKEN" \\
${baseUrl}${API_PREFIX}/whoami</pre>
<p>A POST that carries an <code>Idempotency-Key</code> header can be repeated safely: it acts once and answers the same. Lists take <code>filter</code>, <code>sort</code>, <code>search</code>, <code>limit</code>, and <code>offset</code> or <code>cursor</code>. An error answers <code>error</code> (a sentence), <code>code</code> (stable; <a href="${ERROR_DOCS_PATH}">each has a page</a>) and <code>request_id</code>.</p></section>`;
}

function renderEntry(operation: Operation, baseUrl: string): Markup {
  const { method, path, summary, permission, id } = operation;
  const description = describeForRest(operation);
  const need =
    permission === 'public'
      ? 'No token needed'
      : permission === 'any'
        ? 'Any token'
        : markup`Needs <code>${permission}</code>`;
  return markup`<details class="card operation" id="${id}"><summary><span class="method ${method.toLowerCase()}">${method}</span> <code class="path">${path}</code> <span class="summary">${summary}</span></summary>
<div class="stack prose"><p class="hint">${need} · operation <code>${id}</code></p>
${description !== '' && markup`<p>${withCode(description)}</p>`}
${renderParameterTable('Path and query', [...listParameters(operation.params), ...listParameters(operation.query)])}
${renderParameterTable('Body', listParameters(operation.body))}
${operation.upload !== undefined && markup`<div><h3>Body</h3><p>${toSentenceCase(operation.upload.description)}, at most ${operation.upload.bytesMax / 1024 / 1024} MB.</p></div>`}
${renderFailureList(operation)}
<div><h3>Example</h3><pre class="copy" tabindex="0">${writeCurl(operation, baseUrl)}</pre></div>
${operation.example.output !== undefined && markup`<div><h3>Answer</h3><pre tabindex="0">${JSON.stringify(operation.example.output, null, 2)}</pre></div>`}</div></details>`;
}

/** Shows text between backticks as code. */
function withCode(text: string): Part {
  return text.split('`').map((piece, index) => (index % 2 === 1 ? markup`<code>${piece}</code>` : piece));
}

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

function listParameters(schema: TObject | TSchema | undefined): Parameter[] {
  const fields = new Map<string, unknown>(Object.entries(schema ?? {}));
  const properties = fields.get('properties');
  if (typeof properties !== 'object' || properties === null) return [];
  const required = fields.get('required');
  return Object.entries(properties).map(([name, property]) => ({
    name,
    type: describeType(property),
    isRequired: Array.isArray(required) && required.includes(name),
    description: getText(property, 'description'),
  }));
}

function describeType(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return '';
  const fields = new Map<string, unknown>(Object.entries(schema));
  const choices = fields.get('enum');
  if (Array.isArray(choices)) return choices.map(String).join(' | ');
  if (fields.has('const')) return String(fields.get('const'));
  const union = fields.get('anyOf');
  if (Array.isArray(union)) return [...new Set(union.map(describeType))].join(' or ');
  const type = getText(schema, 'type');
  if (type === 'array') return `list of ${describeType(fields.get('items'))}`;
  return getText(schema, 'format') || type;
}

function getText(schema: unknown, name: string): string {
  if (typeof schema !== 'object' || schema === null) return '';
  const value: unknown = Object.entries(schema).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : '';
}

function renderParameterTable(title: string, parameters: readonly Parameter[]): Markup | null {
  if (parameters.length === 0) return null;
  const rows = parameters.map(
    ({ name, type, isRequired, description }) =>
      markup`<div><dt><code>${name}</code>${isRequired && markup` <span class="required">required</span>`}</dt><dd><span class="muted">${type}</span>${description !== '' && markup` ${withCode(description)}`}</dd></div>`,
  );
  return markup`<div><h3>${title}</h3><dl class="parameters">${rows}</dl></div>`;
}

function renderFailureList(operation: Operation): Markup | null {
  if (operation.failures.length === 0) return null;
  const rows = operation.failures.map(
    (code) =>
      markup`<div><dt>${getFailureStatus(code)} <code>${code}</code></dt><dd>${getFailureSentence(code).replaceAll('{{}}', '{}')}</dd></div>`,
  );
  return markup`<div><h3>Failures</h3><dl class="parameters">${rows}</dl></div>`;
}

function renderCommonFailures(): Markup {
  const rows = doorFailures.map(
    (code) =>
      markup`<div><dt>${getFailureStatus(code)} <code>${code}</code></dt><dd>${getFailureSentence(code)}</dd></div>`,
  );
  return markup`<section class="card" aria-labelledby="common"><h2 id="common">Failures of every call</h2><dl class="parameters">${rows}</dl></section>`;
}

function chooseMethodOption(method: Operation['method'], hasQuery: boolean): string {
  if (method !== 'GET') return ` -X ${method}`;
  return hasQuery ? ' -G' : '';
}

function writeCurl({ method, path, permission, example, upload }: Operation, baseUrl: string): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => example.params?.[name] ?? whole);
  const query = Object.entries(example.query ?? {}).map(
    ([name, value]) => `--data-urlencode '${name}=${String(value)}'`,
  );
  const lines = [
    `curl${upload === undefined ? chooseMethodOption(method, query.length > 0) : ` -T ${example.params?.name ?? 'FILE'}`} ${baseUrl}${API_PREFIX}${filled}`,
    ...(permission === 'public' ? [] : ['-H "Authorization: Bearer $ASSAYER_TOKEN"']),
    ...query,
    ...(example.body === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(example.body)}'`]),
  ];
  return lines.join(' \\\n  ');
}
