/** Calls the API over plain HTTP: returns answers as values, and throws failures as errors for the person. */
import { setTimeout as wait } from 'node:timers/promises';
import { BrokenError } from './command-error.ts';
import type { Connection } from './connection.ts';
import { openDocument, type OpenedDocument } from './documents.ts';
import { createBrokenError } from './http.ts';
import { readAnswer, readRetryAfter, sendRequest, type Ask } from './requests.ts';

const TRIES = 3;
const RETRY_MS = 200;
const RETRY_AFTER_MAX_S = 5;
const PAGE_SIZE = 100;

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
  /** Opens a document, also behind a signed link, which gets no token; waits while the service makes it. */
  open(path: string, accept?: string): Promise<OpenedDocument>;
  /** Sends any request, with a file as it is; undefined where the answer has no body. */
  send(
    method: string,
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<unknown>;
  /** Uploads a file unchanged. */
  put<Answer>(path: string, file: Blob): Promise<Answer>;
  /** Reads every item of a list, page by page, from `offset` on. */
  list<Item>(path: string, offset?: number): Promise<ListAnswer<Item>>;
  /** Opens an answer that goes on, until the signal ends it. */
  stream(
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;
}

/** The import of this module of Node loads twice as much. */
function createKey(): string {
  return process.getBuiltinModule('node:crypto').randomUUID();
}

export function createApi(connection: Connection): Api {
  const send = async <Answer>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const answer = await askPatiently(connection, {
      method,
      path,
      ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
      ...(method === 'GET' ? {} : { key: createKey() }),
      headers,
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract says what an address answers
    return answer as Answer;
  };
  return {
    connection,
    isSandbox: connection.token.startsWith('asy_test_'),
    get: (path) => send('GET', path),
    post: (path, body = {}, headers = {}) => send('POST', path, body, headers),
    patch: (path, body) => send('PATCH', path, body),
    put: (path, file) => send('PUT', path, file),
    delete: (path) => send('DELETE', path),
    open: (path, accept) => openDocument(connection, path, accept),
    send,
    list: async <Item>(path: string, offset = 0): Promise<ListAnswer<Item>> => {
      const items: Item[] = [];
      for (;;) {
        const from = offset + items.length;
        const joint = path.includes('?') ? '&' : '?';
        const page = await send<ListAnswer<Item>>('GET', `${path}${joint}limit=${PAGE_SIZE}&offset=${from}`);
        items.push(...page.items);
        if (page.items.length === 0 || from + page.items.length >= page.total)
          return { items, total: page.total };
      }
    },
    stream: async (path, headers, signal) => {
      const answer = await sendRequest(connection, { method: 'GET', path, headers, signal });
      if (!answer.isDone) await readAnswer(connection, answer);
      return readPieces(connection, answer.body);
    },
  };
}

async function* readPieces(
  connection: Connection,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw createBrokenError(connection, error, 'some of it');
  }
}

/**
 * Repeats the request when the service is busy or restarting, or when the connection breaks. What changes something
 * carries its key, so it has one effect.
 */
async function askPatiently(connection: Connection, request: Ask): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await sendRequest(connection, request);
      const retryAfterS = readRetryAfter(answer) ?? Infinity;
      const mayRetry = (answer.status === 503 || answer.status === 429) && attempt < TRIES;
      if (!mayRetry || retryAfterS > RETRY_AFTER_MAX_S) return await readAnswer(connection, answer);
      answer.discard();
      await wait(Math.max(RETRY_MS, retryAfterS * 1_000));
    } catch (error) {
      if (!(error instanceof BrokenError) || attempt >= TRIES) throw error;
      await wait(RETRY_MS);
    }
  }
}
