/** Calls the API over plain HTTP: returns answers as values, and throws failures as errors for the person. */
import { setTimeout as wait } from 'node:timers/promises';
import { hasMembers } from '#core/records.ts';
import { BrokenError, CommandError, isPassing, UnknownOutcomeError } from './command-error.ts';
import { requireConnection, type Connection, type ConnectionOptions } from './connection.ts';
import { openDocument, type OpenedDocument } from './documents.ts';
import { createBrokenError } from './http.ts';
import { createShapeError, readAnswer, readRetryAfter, sendRequest, type Ask } from './requests.ts';

const TRIES = 3;
const RETRY_MS = 200;
const RETRY_AFTER_MAX_S = 5;
const PAGE_SIZE = 100;

export interface ListAnswer<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly next?: string;
}

export type Api = ReturnType<typeof createApi>;

/** The import of this module of Node loads twice as much. */
export function createKey(): string {
  return process.getBuiltinModule('node:crypto').randomUUID();
}

/** Runs what changes something, with its key. */
type RunChange = <Answer>(path: string, change: (key: string) => Promise<Answer>) => Promise<Answer>;

/** The service and the token that the options, the environment or the last login name. */
export const connect = (options: ConnectionOptions): Api => createApi(requireConnection(options));

export function createApi(connection: Connection, runChange: RunChange = (_, change) => change(createKey())) {
  /** Sends any request, with a file as it is; undefined where the answer has no body. */
  const send = async <Answer>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const ask = {
      method,
      path,
      ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
      headers,
    };
    const answer =
      method === 'GET'
        ? await askPatiently(connection, ask)
        : await runChange(path, (key) => askPatiently(connection, { ...ask, key }));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract says what an address answers
    return answer as Answer;
  };
  const check = <Answer>(answer: Answer, members: string, expected = 'an answer of this API'): Answer => {
    if (!hasMembers(answer, members)) throw createShapeError(connection, expected);
    return answer;
  };
  const readPage = async <Item>(path: string, members = ''): Promise<ListAnswer<Item>> => {
    const answer = await send<ListAnswer<Item>>('GET', path);
    const ofItems = members.split(' ').map((member) => (member === '' ? '' : ` items[].${member}`));
    return check(answer, `total:number items[]:object${ofItems.join('')}`, 'a list of this API');
  };
  return {
    connection,
    /** Whether the lab is simulated and payments are tests, by the prefix of the token. */
    isSandbox: connection.token.startsWith('asy_test_'),
    runChange,
    send,
    readPage,
    check,
    get: async <Answer>(path: string, members?: string) => {
      const answer = await send<Answer>('GET', path);
      return members === undefined ? answer : check(answer, members);
    },
    post: <Answer>(path: string, body: unknown = {}, headers: Readonly<Record<string, string>> = {}) =>
      send<Answer>('POST', path, body, headers),
    /** Opens a document, also behind a signed link, which gets no token; waits while the service makes it. */
    open: (path: string, accept?: string): Promise<OpenedDocument> => openDocument(connection, path, accept),
    /** Reads every item of a list, page by page. */
    list: async <Item>(path: string, members = ''): Promise<ListAnswer<Item>> => {
      const items: Item[] = [];
      const pages = new Set<string>();
      for (;;) {
        const place = `${path.includes('?') ? '&' : '?'}limit=${PAGE_SIZE}&offset=${items.length}`;
        const { items: more, total } = await readPage<Item>(`${path}${place}`, members);
        items.push(...more);
        if (more.length === 0 || items.length >= total) return { items, total };
        const first = JSON.stringify(more[0]);
        if (pages.has(first)) throw createShapeError(connection, 'a list with an end: a page came twice');
        pages.add(first);
      }
    },
    /** Opens an answer that goes on, until the signal ends it. */
    stream: async (path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) => {
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
  let mayHaveArrived = false;
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await sendRequest(connection, request);
      const retryAfterS = readRetryAfter(answer) ?? Infinity;
      const mayRetry = (answer.status === 503 || answer.status === 429) && attempt < TRIES;
      if (!mayRetry || retryAfterS > RETRY_AFTER_MAX_S) return await readAnswer(connection, answer);
      answer.discard();
      await wait(Math.max(RETRY_MS, retryAfterS * 1_000));
    } catch (error) {
      mayHaveArrived ||= error instanceof BrokenError;
      if (error instanceof BrokenError && attempt < TRIES) await wait(RETRY_MS);
      else if (mayHaveArrived && error instanceof CommandError && isPassing(error))
        throw new UnknownOutcomeError(error.message, { cause: error });
      else throw error;
    }
  }
}
