/**
 * Calls the API over plain HTTP: returns answers as values, and throws failures as sentences with their problems and
 * request id.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '#core/clock.ts';
import { createIds } from '#core/ids.ts';
import { CommandError } from './command-error.ts';
import type { Connection } from './connection.ts';
import { toPlainText } from './terminal.ts';

const API_PATH = '/api/v1';
const TIMEOUT_MS = 60_000;
const FILE_TIMEOUT_MS = 600_000;
const TRIES = 3;
const RETRY_AFTER_MAX_S = 5;
const PAGE_SIZE = 100;
const PROBLEMS_SHOWN = 20;

export interface ProblemShown {
  readonly path: string;
  readonly message: string;
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  /** The sentence of the service alone; the message of the error also has problems and request id. */
  readonly sentence: string;
  readonly problems: readonly ProblemShown[];
  readonly requestId: string | undefined;
}

/** The server rejected the request. */
export class RefusedError extends CommandError implements Refusal {
  readonly status: number;
  readonly code: string;
  readonly sentence: string;
  readonly problems: readonly ProblemShown[];
  readonly requestId: string | undefined;

  constructor(refusal: Refusal, message: string) {
    super(message);
    this.status = refusal.status;
    this.code = refusal.code;
    this.sentence = refusal.sentence;
    this.problems = refusal.problems;
    this.requestId = refusal.requestId;
  }
}

/** Nothing answered at the address. */
export class UnreachableError extends CommandError {}

export interface ListAnswer<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

export interface Api {
  readonly connection: Connection;
  /** Whether the lab is simulated and payments are tests, by the prefix of the token. */
  readonly isSandbox: boolean;
  get<Answer>(path: string): Promise<Answer>;
  post<Answer>(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  patch<Answer>(path: string, body: unknown): Promise<Answer>;
  delete(path: string): Promise<void>;
  /** Fetches a document, also behind a signed link, which gets no token; waits while the service makes it. */
  download(path: string, onProgress?: (done: number, total: number) => void): Promise<Uint8Array>;
  /** Uploads a file unchanged. */
  put<Answer>(path: string, file: Blob): Promise<Answer>;
  /** Reads every item of a list, page by page, from `offset` on. */
  list<Item>(path: string, offset?: number): Promise<ListAnswer<Item>>;
  /** Opens an answer that goes on, until the signal ends it. */
  stream(
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>>;
}

interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: string | Blob;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An error unless stated, so that the token goes to no other address. */
  readonly redirect?: 'manual' | 'error';
  /** Ends the request, instead of a limit of time. */
  readonly signal?: AbortSignal;
}

export function createApi(connection: Connection): Api {
  const ids = createIds(systemClock);
  const ask = (request: Ask): Promise<unknown> => askPatiently(connection, request);
  const get = async <Answer>(path: string): Promise<Answer> =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract says what an address answers
    (await ask({ method: 'GET', path })) as Answer;
  return {
    connection,
    isSandbox: connection.token.startsWith('asy_test_'),
    get,
    post: async <Answer>(path: string, body: unknown = {}, headers = {}): Promise<Answer> =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
      (await ask({
        method: 'POST',
        path,
        body: JSON.stringify(body),
        key: ids.createUuid(),
        headers,
      })) as Answer,
    patch: async <Answer>(path: string, body: unknown): Promise<Answer> =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
      (await ask({ method: 'PATCH', path, body: JSON.stringify(body), key: ids.createUuid() })) as Answer,
    delete: async (path) => {
      const answer = await sendRequest(connection, { method: 'DELETE', path, key: ids.createUuid() });
      if (answer.status !== 204) await readAnswer(connection, answer);
    },
    download: (path, onProgress) => downloadDocument(connection, path, onProgress),
    put: async <Answer>(path: string, file: Blob): Promise<Answer> =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
      (await ask({ method: 'PUT', path, body: file, key: ids.createUuid() })) as Answer,
    list: async <Item>(path: string, offset = 0): Promise<ListAnswer<Item>> => {
      const items: Item[] = [];
      for (;;) {
        const from = offset + items.length;
        const joint = path.includes('?') ? '&' : '?';
        const page = await get<ListAnswer<Item>>(`${path}${joint}limit=${PAGE_SIZE}&offset=${from}`);
        items.push(...page.items);
        if (page.items.length === 0 || from + page.items.length >= page.total)
          return { items, total: page.total };
      }
    },
    stream: async (path, headers, signal) => {
      const answer = await sendRequest(connection, { method: 'GET', path, headers, signal });
      if (answer.ok && answer.body !== null) return answer.body;
      await readAnswer(connection, answer);
      throw new UnreachableError(`${connection.url} answered without a body.`);
    },
  };
}

/** Repeats the request when the service is busy or restarting. A POST carries its key, so it has one effect. */
async function askPatiently(connection: Connection, request: Ask): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const answer = await sendRequest(connection, request);
    const retryAfterS = Number(answer.headers.get('retry-after') ?? Number.NaN);
    const mayRetry = (answer.status === 503 || answer.status === 429) && attempt < TRIES;
    if (!mayRetry || !(retryAfterS <= RETRY_AFTER_MAX_S)) return readAnswer(connection, answer);
    await wait(Math.max(0.2, retryAfterS) * 1_000);
  }
}

async function sendRequest(
  connection: Connection,
  { method, path, body, key, headers, redirect = 'error', signal }: Ask,
): Promise<Response> {
  const timeoutMs = body instanceof Blob ? FILE_TIMEOUT_MS : TIMEOUT_MS;
  try {
    return await fetch(`${connection.url}${API_PATH}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${connection.token}`,
        accept: 'application/json',
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      redirect,
      signal: signal ?? AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    throw createUnreachableError(connection, error, timeoutMs);
  }
}

function createUnreachableError(connection: Connection, error: unknown, timeoutMs: number): CommandError {
  if (error instanceof Error && error.name === 'TimeoutError')
    return new UnreachableError(`${connection.url} did not answer within ${timeoutMs / 1_000} seconds.`);
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
  if (/invalid (character|header)|ByteString/i.test(`${cause} ${String(error)}`))
    return new CommandError('The access token is not readable; copy it again in full.', 2);
  const remedy =
    connection.urlFile === undefined
      ? 'Check the address, or start a service with "npm start".'
      : `The service that left this address in ${connection.urlFile} is not running: start one with "npm start".`;
  return new UnreachableError(`No service answers at ${connection.url} (${toPlainText(cause)}). ${remedy}`);
}

/** The service may answer with a redirect to a signed link, with the document as its body or without. */
async function downloadDocument(
  connection: Connection,
  path: string,
  onProgress?: (done: number, total: number) => void,
): Promise<Uint8Array> {
  const headers = { accept: '*/*' };
  const answer = await sendRequest(connection, { method: 'GET', path, headers, redirect: 'manual' });
  if (answer.status >= 400) await readAnswer(connection, answer);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const location = answer.headers.get('location');
  if (location === null || bytes.length > 0) return bytes;
  for (;;) {
    const linked = await fetch(new URL(location, connection.url), {
      headers: { prefer: 'respond-async, wait=2' },
      signal: AbortSignal.timeout(FILE_TIMEOUT_MS),
    }).catch(() => undefined);
    if (
      linked !== undefined &&
      linked.status >= 400 &&
      linked.headers.get('content-type')?.includes('json') === true
    )
      await readAnswer(connection, linked);
    if (linked?.ok !== true)
      throw new CommandError(`The document could not be fetched (${linked?.status ?? 'no answer'}).`);
    if (linked.status !== ACCEPTED) return new Uint8Array(await linked.arrayBuffer());
    const state = await readAnswer(connection, linked);
    onProgress?.(findNumber(state, 'results_done'), findNumber(state, 'results_total'));
  }
}

/** The service makes the document, and says how far it is. */
const ACCEPTED = 202;

function findNumber(body: unknown, key: string): number {
  const value: unknown = Object.entries(Object(body)).find(([name]) => name === key)?.[1];
  return typeof value === 'number' ? value : 0;
}

async function readAnswer(connection: Connection, answer: Response): Promise<unknown> {
  const text = await answer.text();
  const body = parseJson(text);
  if (body === undefined)
    throw new CommandError(
      `${connection.url} answered ${answer.status} with something that is not this API; check the address.`,
    );
  if (answer.ok) return body;
  throw createRefusal(connection, answer.status, body);
}

function parseJson(text: string): object | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

function createRefusal(connection: Connection, status: number, body: object): RefusedError {
  const code = findText(body, 'code') ?? 'unknown';
  const sentence = findText(body, 'error') ?? `The service answered ${status}.`;
  const requestId = findText(body, 'request_id');
  const hint =
    status === 401 && connection.tokenFile !== undefined
      ? [`  The token is the one in ${connection.tokenFile}.`]
      : [];
  const reference = requestId === undefined ? [] : [`  (${code}, request ${requestId})`];
  return new RefusedError(
    { status, code, sentence: toPlainText(sentence), problems: listProblems(body), requestId },
    [toPlainText(sentence), ...listProblemLines(body), ...hint, ...reference].join('\n'),
  );
}

function listProblems(body: object): ProblemShown[] {
  const problems: unknown = 'problems' in body ? body.problems : [];
  if (!Array.isArray(problems)) return [];
  return problems
    .filter((problem): problem is object => typeof problem === 'object' && problem !== null)
    .map((problem) => ({
      path: toPlainText(findText(problem, 'path') ?? ''),
      message: toPlainText(findText(problem, 'message') ?? ''),
    }));
}

function listProblemLines(body: object): string[] {
  const lines = listProblems(body).map(({ path, message }) => `${path}: ${message}`);
  // The sentence already contains a single problem.
  if (lines.length === 1) return [];
  const more = lines.length - PROBLEMS_SHOWN;
  return [
    ...lines.slice(0, PROBLEMS_SHOWN).map((line) => `  - ${line}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ];
}

function findText(body: object, key: string): string | undefined {
  const value: unknown = Object.entries(body).find(([name]) => name === key)?.[1];
  return typeof value === 'string' ? value : undefined;
}
