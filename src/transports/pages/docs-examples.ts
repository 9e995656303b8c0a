/** The example of an operation as a call that can be copied: for curl and for TypeScript. */
import type { Operation } from '#core/operation.ts';
import { API_PREFIX } from '../rest/server.ts';

/** The call for bash and zsh; the token is in `ASSAYER_TOKEN`. */
export function writeCurl(operation: Operation, baseUrl: string): string {
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
export function writeTypeScript(operation: Operation, baseUrl: string): string {
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
