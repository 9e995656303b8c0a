/** Every operation through its command, as a person types it, against the same request of REST. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { formatArguments } from '#cli/kit-flags.ts';
import { isList } from '#cli/list-columns.ts';
import { operationsByWords } from '#cli/siblings.ts';
import { needsCare, takesIdempotencyKey, type Operation } from '#core/operation.ts';
import { isRecord, toRecord } from '#core/records.ts';
import { bindings } from '#transports/operations.ts';
import { createBuilders } from '#testing/builders.ts';
import {
  createFreshRequest,
  fillCaller,
  isInMatrix,
  prepareRecords,
  type Request,
} from '#testing/requests.ts';
import { testService } from '#testing/service.ts';
import { runAssayer } from '../journeys/cli-process.ts';

const service = await testService();
const { app } = service.service;
const url = await app.listen({ port: 0, host: '127.0.0.1' });
service.service.setBaseUrl(url);
const build = await createBuilders(service);
const records = await prepareRecords(service, build);
const folder = mkdtempSync(join(tmpdir(), 'assayer-commands-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The arguments that ask what the request asks; a text or a file of the request is written to a file. */
function toArguments(operation: Operation, { path, body, file }: Request): string[] {
  const { pathname, searchParams } = new URL(path, url);
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const pattern = new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
  const values = (pattern.exec(pathname) ?? []).slice(1).map(decodeURIComponent);
  const params = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
  const query = Object.fromEntries(
    [...searchParams].map(([name, value]) => [name, value === 'false' ? false : value]),
  );
  const { text } = operation;
  const content = file ?? (text === undefined ? undefined : String(toRecord(body)[text.member]));
  const source = content === undefined ? undefined : join(folder, params['name'] ?? 'text');
  if (source !== undefined && content !== undefined) writeFileSync(source, content);
  return formatArguments(operation, { params, query, body, file: source });
}

test('commands: every operation of the service → words of its own, and no others', () => {
  const named = [...operationsByWords.values()].map(({ id }) => id);
  const expected = bindings.map(({ operation }) => operation.id);
  assert.deepEqual(named.toSorted(), expected.toSorted());
  assert.equal(new Set(operationsByWords.keys()).size, expected.length);
});

/** The members in the order of the schema, as the command sends them: a repeat must be the same text. */
function orderMembers(schema: unknown, value: unknown): unknown {
  if (!isRecord(value)) return value;
  const properties = toRecord(toRecord(schema)['properties']);
  const names = new Set([...Object.keys(properties), ...Object.keys(value)]);
  const ordered = [...names].filter((name) => Object.hasOwn(value, name));
  return Object.fromEntries(ordered.map((name) => [name, orderMembers(properties[name], value[name])]));
}

/** A secret is shown once: the answer to a repeat says so in its place. A head is signed for one request. */
function hideOwn({ id, shownOnce }: Operation, answer: unknown): unknown {
  if (!isRecord(answer)) return answer;
  const ofHead = id === 'get_audit_head' ? ['jws', 'nonce'] : [];
  const hidden = new Set([shownOnce, `${shownOnce}_was_shown`, ...ofHead]);
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !hidden.has(name)));
}

function readPrinted(operation: Operation, out: string): unknown {
  const isLines = isList(operation) || operation.media?.includes('text/event-stream') === true;
  if (!isLines) return JSON.parse(out);
  const lines = out.split('\n').filter((line) => line !== '');
  return lines.map((line): unknown => JSON.parse(line));
}

function readAnswered({ list, media = [] }: Operation, text: string): unknown {
  if (media.includes('text/event-stream'))
    return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']): unknown => JSON.parse(data));
  const answer: unknown = JSON.parse(text);
  return list === undefined ? answer : toRecord(answer)['items'];
}

const isDocument = ({ list, media = [], success }: Operation): boolean =>
  success === 307 || (list === undefined && media.length > 0 && !media.includes('text/event-stream'));

/** It ends the token of its caller, and still takes it. */
const ENDS_ITSELF = 'revoke_token';
let calls = 0;

interface Asked extends Request {
  readonly token: string;
  /** Under the same key the service answers a repeat as the first, if it asks the same. */
  readonly key: string;
}

async function askDirectly(operation: Operation, { path, body, file, token, key }: Asked): Promise<Response> {
  const { media = [], method } = operation;
  const accept = isDocument(operation) ? media.find((type) => type !== 'application/json') : undefined;
  const content =
    file ?? (body === undefined ? undefined : JSON.stringify(orderMembers(operation.body, body)));
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: accept ?? 'application/json',
      ...(takesIdempotencyKey(operation) ? { 'idempotency-key': key } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(content === undefined ? {} : { body: content }),
  });
  assert.ok(answer.ok, `${answer.status}: ${await answer.clone().text()}`);
  return answer;
}

/** Whether a check has found what is wrong, of which its command tells a script. */
function hasErrors(text: string): boolean {
  const { problems } = text.startsWith('{') ? toRecord(JSON.parse(text)) : {};
  return Array.isArray(problems) && problems.some((problem) => toRecord(problem)['severity'] === 'error');
}

async function compareAnswers(words: string, operation: Operation, asked: Asked): Promise<void> {
  const document = join(folder, 'document');
  const flags = [
    ...(isDocument(operation) ? ['--output', document, '--force'] : []),
    // A document that JSON also says would come as JSON.
    ...(isDocument(operation) && operation.media?.includes('application/json') === true ? [] : ['--json']),
    ...(needsCare(operation) ? ['--yes'] : []),
    ...(takesIdempotencyKey(operation) ? ['--idempotency-key', asked.key] : []),
  ];
  const server = { url, token: asked.token };
  const args = [...words.split(' '), ...toArguments(operation, asked), ...flags];
  const { code, out, err } = await runAssayer(args, { server });
  const answer = await askDirectly(operation, asked);
  const isFault = operation.effect === 'read' && hasErrors(await answer.clone().text());
  assert.equal(code, isFault ? 1 : 0, `assayer ${args.join(' ')}: ${err}`);
  if (operation.success === 204) assert.deepEqual([out, answer.status], ['{}\n', 204]);
  else if (isDocument(operation))
    assert.deepEqual(readFileSync(document), Buffer.from(await answer.arrayBuffer()));
  else {
    const [printed, answered] = [readPrinted(operation, out), readAnswered(operation, await answer.text())];
    assert.deepEqual(hideOwn(operation, printed), hideOwn(operation, answered));
  }
}

for (const binding of bindings.filter(isInMatrix)) {
  const { operation } = binding;
  const [words = ''] = [...operationsByWords].find(([, named]) => named.id === operation.id) ?? [];
  test(`commands: ${words} with the request of ${operation.id} → the answer of REST`, async () => {
    const request = await createFreshRequest(operation, build, records);
    const other = await service.issueToken({ role: 'admin' });
    const token = operation.id === ENDS_ITSELF ? other : service.token;
    const isOfToken = operation.id === 'revoke_token_by_id';
    const filled: Request = JSON.parse(
      fillCaller(JSON.stringify(request), { token: isOfToken ? other : token }),
    );
    await compareAnswers(words, operation, { ...filled, token, key: `command-${++calls}` });
  });
}
