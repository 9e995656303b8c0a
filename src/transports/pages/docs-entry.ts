/** One operation of the reference: fields, failures, and examples to copy. */
import { writeOwnAddress } from '#core/example-address.ts';
import { getFailureStatus } from '#core/failures.ts';
import type { Operation } from '#core/operation.ts';
import type { Steps } from '#core/slices.ts';
import { formatSize } from '#core/size.ts';
import { describeForRest } from '../openapi/media.ts';
import { ERROR_DOCS_PATH } from '../rest/errors.ts';
import { renderFieldTable, renderWithCode, renderSentence } from './docs-pieces.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { toSentenceCase } from '#ui/words.ts';
import { API_PREFIX } from '../rest/server.ts';

type RenderEntry = (operation: Operation, isOpen: boolean) => Markup;

/** Writes the example of an operation as a command of the terminal; null where it has none. */
export type WriteCommand = (operation: Operation) => string | null;

/** Renders operations; the content of each is made once, because every reader sees the same. */
export function createEntryRenderer(
  baseUrl: string,
  writeCommand: WriteCommand,
): (operations: readonly Operation[]) => Steps<RenderEntry> {
  const contents = new Map<string, Markup>();
  const getContent = (operation: Operation): Markup => {
    const content = contents.get(operation.id) ?? renderContent(operation, baseUrl, writeCommand(operation));
    contents.set(operation.id, content);
    return content;
  };
  return function* prepare(operations) {
    for (const operation of operations) {
      if (contents.has(operation.id)) continue;
      getContent(operation);
      yield;
    }
    return (operation, isOpen) =>
      markup`<details class="card operation"${isOpen && markup` open`}>${getContent(operation)}</details>`;
  };
}

function renderContent(operation: Operation, baseUrl: string, command: string | null): Markup {
  const { method, path, summary, id, params, query, body, upload, example } = operation;
  const description = describeForRest(operation);
  return markup`<summary><span class="method ${method.toLowerCase()}">${method}</span> <code class="path">${path}</code> <span class="summary">${summary}</span></summary>
<div class="stack prose" id="${id}"><p class="hint">${describeNeed(operation)} · operation <code>${id}</code></p>
${description !== '' && markup`<p>${renderWithCode(description)}</p>`}
${renderFieldTable('Path and query', [params, query])}
${renderFieldTable('Body', [body])}
${upload !== undefined && markup`<div><h3>Body</h3><p>${toSentenceCase(upload.description)}, at most ${formatSize(upload.bytesMax)}.</p></div>`}
${renderFieldTable('Answer', [operation.output])}
${renderFailureList(operation)}
${renderExamples(id, [
  ['curl', writeCurl(operation, baseUrl)],
  ['CLI', command],
  ['TypeScript', writeTypeScript(operation, baseUrl)],
])}
${example.output !== undefined && markup`<div><h3>Answer of the example</h3>${renderCode(`${id}-answer`, writeOwnAddress(JSON.stringify(example.output, null, 2), baseUrl))}</div>`}</div>`;
}

function describeNeed({ permission }: Operation): Markup {
  if (permission === 'public') return markup`No token needed`;
  return permission === 'any' ? markup`Any token` : markup`Needs <code>${permission}</code>`;
}

/** A tab for each language; the first is open, and the style shows the chosen one. */
function renderExamples(
  id: string,
  languages: readonly (readonly [language: string, text: string | null])[],
): Markup {
  const written = languages.flatMap(([language, text]) =>
    text === null ? [] : [{ language, text, key: language.toLowerCase() }],
  );
  const tabs = written.map(
    ({ language, key }, index) =>
      markup`<label><input type="radio" name="${id}-language" value="${key}"${index === 0 && markup` checked`}> ${language}</label>`,
  );
  const panels = written.map(
    ({ key, text }) => markup`<div class="example ${key}">${renderCode(`${id}-${key}`, text)}</div>`,
  );
  return markup`<fieldset class="examples"><legend>Example</legend>${tabs}${panels}</fieldset>`;
}

function renderCode(id: string, text: string): Markup {
  return markup`<div class="code"><pre id="${id}" tabindex="0">${text}</pre><button type="button" class="quiet" data-copy="${id}" hidden>Copy</button></div>`;
}

function renderFailureList(operation: Operation): Markup | null {
  if (operation.failures.length === 0) return null;
  const rows = operation.failures.map(
    (code) =>
      markup`<div><dt>${getFailureStatus(code)} <a href="${ERROR_DOCS_PATH}/${code}"><code>${code}</code></a></dt><dd>${renderSentence(code)}</dd></div>`,
  );
  return markup`<div><h3>Failures</h3><dl class="parameters">${rows}</dl></div>`;
}

/** The example of an operation as a call that can be copied: for curl and for TypeScript. */

/** The call for bash and zsh; the token is in `ASSAYER_TOKEN`. */
function writeCurl(operation: Operation, baseUrl: string): string {
  const { method, permission, example, upload } = operation;
  const isRead = method === 'GET' && upload === undefined;
  const query = isRead ? listQuery(operation) : [];
  const address = `${baseUrl}${API_PREFIX}${fillPath(operation)}${isRead ? '' : writeQuery(operation)}`;
  const how = isRead ? (query.length > 0 ? ' -G' : '') : ` -X ${method}`;
  const lines = [
    `curl${how} ${quote(address)}`,
    ...(permission === 'public' ? [] : ['-H "Authorization: Bearer $ASSAYER_TOKEN"']),
    ...query.map(([name, value]) => `--data-urlencode ${quote(`${name}=${value}`)}`),
    ...(upload === undefined ? [] : [`--data-binary @${example.params?.['name'] ?? 'FILE'}`]),
    ...(example.body === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d ${quote(JSON.stringify(example.body))}`]),
  ];
  return lines.join(' \\\n  ');
}

/** The call as a module for Node, without packages. */
function writeTypeScript(operation: Operation, baseUrl: string): string {
  const { method, permission, example, upload } = operation;
  const address = `${baseUrl}${API_PREFIX}${fillPath(operation)}${writeQuery(operation)}`;
  const headers = [
    ...(permission === 'public' ? [] : ['authorization: `Bearer ${process.env.ASSAYER_TOKEN}`']),
    ...(example.body === undefined ? [] : ["'content-type': 'application/json'"]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(example.body === undefined
      ? []
      : [`  body: JSON.stringify(${JSON.stringify(example.body, null, 2).replaceAll('\n', '\n  ')}),`]),
    ...(upload === undefined ? [] : [`  body: await readFile('${example.params?.['name'] ?? 'FILE'}'),`]),
  ];
  const call = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  const isJson = typeof example.output === 'object' && example.output !== null;
  return [
    ...(upload === undefined ? [] : ["import { readFile } from 'node:fs/promises';", '']),
    `const answer = await fetch(${JSON.stringify(address)}${call});`,
    'if (!answer.ok) throw new Error(await answer.text());',
    `console.log(await answer.${isJson ? 'json' : 'text'}());`,
  ].join('\n');
}

function fillPath({ path, example }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = example.params?.[name];
    return value === undefined ? whole : encodeURIComponent(value);
  });
}

function listQuery({ example }: Operation): (readonly [name: string, value: string])[] {
  return Object.entries(example.query ?? {}).map(([name, value]) => [name, String(value)]);
}

function writeQuery(operation: Operation): string {
  const query = new URLSearchParams(Object.fromEntries(listQuery(operation)));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** A word in single quotes for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
