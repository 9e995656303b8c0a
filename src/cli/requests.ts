/**
 * One request to the API and its answer: a failure is a sentence with its problems, its request id and what to do. The
 * token goes to no other address.
 */
import { isRecord, toRecord, type UnknownRecord } from '#core/records.ts';
import { formatCount } from '#core/words.ts';
import {
  CommandError,
  ForeignError,
  RefusedError,
  UnknownOutcomeError,
  type ProblemShown,
  type Refusal,
} from './command-error.ts';
import type { Connection } from './connection.ts';
import { createBrokenError, createNoAnswerError, type HttpAnswer, sendHttp } from './http.ts';
import { Progress } from './progress.ts';
import { toPlainText } from './terminal.ts';
import { toText } from './words.ts';

const API_PATH = '/api/v1';
const TIMEOUT_MS = 60_000;
const FILE_TIMEOUT_MS = 600_000;
const PROBLEMS_SHOWN = 20;
/** Where a person finds the right name, by the code of the refusal of a wrong one. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ['experiment_not_found', 'experiments'],
  ['target_not_found', 'targets'],
  ['quote_not_found', 'quotes'],
  ['invoice_not_found', 'invoices'],
  ['result_not_found', 'results'],
]);
const NO_CONTENT = 204;

export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: string | Blob;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the request, instead of a limit of time. */
  readonly signal?: AbortSignal;
}

/** The address with the operands in their places. */
export function fillPath(path: string, params: UnknownRecord = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodePart(name, params[name]));
}

/** Refuses what the URL standard would read as another path. */
function encodePart(name: string, part: unknown): string {
  const text = toText(part);
  if (!/^\.{0,2}$/.test(text)) return encodeURIComponent(text);
  throw new CommandError(`${name.toUpperCase().replaceAll('_', '-')} must not be "${text}".`, 2);
}

export function formatQuery(query: UnknownRecord): string {
  const parts = Object.entries(query).map(([name, value]): [string, string] => [name, toText(value)]);
  return parts.length === 0 ? '' : `?${new URLSearchParams(parts).toString()}`;
}

/** The seconds after which a request may come again; undefined where the answer does not say so. */
export function readRetryAfter(answer: HttpAnswer): number | undefined {
  const text = answer.getHeader('retry-after') ?? '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Sends a request and returns its answer, whatever that is. It is not sent on to another address, nor is the token. */
export async function sendRequest(
  connection: Connection,
  { method, path, body, key, headers, signal }: Ask,
): Promise<HttpAnswer> {
  const timeoutMs = body instanceof Blob ? FILE_TIMEOUT_MS : TIMEOUT_MS;
  const upload = body instanceof Blob ? createUpload(body, path) : undefined;
  try {
    return await sendHttp(new URL(`${connection.url}${API_PATH}${path}`), {
      method,
      headers: {
        authorization: `Bearer ${connection.token}`,
        accept: 'application/json',
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...upload?.headers,
        ...headers,
      },
      ...(typeof body === 'string' ? { body } : upload === undefined ? {} : { body: upload.pieces }),
      signal: signal ?? AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    throw createNoAnswerError(connection, error, timeoutMs);
  } finally {
    upload?.progress.clear();
  }
}

/** Sends a file with its length, and shows how much has gone. */
function createUpload(file: Blob, path: string) {
  const label = toPlainText(decodeURIComponent(path.split('/').at(-1) ?? ''));
  const progress = new Progress({ label, unit: 'bytes' });
  return {
    pieces: countPieces(file, progress),
    headers: { 'content-length': String(file.size) },
    progress,
  };
}

async function* countPieces(file: Blob, progress: Progress): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const piece of file.stream()) {
    yield piece;
    sent += piece.byteLength;
    progress.report(sent, file.size);
  }
}

/** Reads the body of an answer, whatever its status; undefined where it is no JSON of an object or list. */
export async function readBody(connection: Connection, answer: HttpAnswer): Promise<object | undefined> {
  try {
    return parseJson(await answer.readText());
  } catch (error) {
    throw createBrokenError(connection, error, 'its first lines');
  }
}

/** Reads an answer that is JSON, undefined where it has no body, and throws where it is a refusal or none of this API. */
export async function readAnswer(connection: Connection, answer: HttpAnswer): Promise<unknown> {
  const { status } = answer;
  if (status === NO_CONTENT) {
    // An answer that nobody takes keeps its connection, and the connection keeps the process.
    answer.discard();
    return undefined;
  }
  const body = await readBody(connection, answer);
  if (body !== undefined && answer.isDone) return body;
  if (body !== undefined && status >= 400) throw createRefusal(connection, answer, body);
  throw createForeignError(connection, answer);
}

/** Describes an answer of something that is not this service: a proxy, a sign-in page, another program. */
function createForeignError({ url }: Connection, answer: HttpAnswer): CommandError {
  const { status } = answer;
  const location = answer.getHeader('location');
  if (status >= 300 && status < 400 && location !== undefined) {
    const address = URL.parse(location, url)?.origin ?? location;
    return new CommandError(
      `${url} sends every request on to ${toPlainText(address)}. Use that address if you trust it; the token was not sent there.`,
    );
  }
  if (status === 502 || status === 503 || status === 504)
    return new UnknownOutcomeError(
      `${url} answered ${status}: a server in front of the service does not reach it. Try again later.`,
    );
  const sentence = `${url} answered ${status} with something that is not this API; check the address.`;
  return answer.isDone || status >= 500 ? new ForeignError(sentence) : new CommandError(sentence);
}

/** Describes an answer of another form than the contract says. */
export function createShapeError({ url }: Pick<Connection, 'url'>, expected: string): CommandError {
  return new ForeignError(`${url} answered with something that is not ${expected}; check the address.`);
}

function parseJson(text: string): object | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

function createRefusal(connection: Connection, answer: HttpAnswer, body: object): RefusedError {
  const { status } = answer;
  const code = findText(body, 'code') ?? 'command_failed';
  const sentence = toPlainText(findText(body, 'error') ?? `The service answered ${status}.`);
  const requestId = findText(body, 'request_id');
  const retryAfterS = readRetryAfter(answer);
  const reference = requestId === undefined ? [] : [`  (${code}, request ${requestId})`];
  const lines = [
    sentence,
    ...listProblemLines(body),
    ...listRemedies(connection, { status, code, retryAfterS }),
    ...reference,
  ];
  return new RefusedError(
    { status, code, sentence, problems: listProblems(body), requestId, retryAfterS },
    lines.join('\n'),
  );
}

/** What to do about a refusal, where only this program knows it. */
function listRemedies(
  { url, tokenFile }: Connection,
  { status, code, retryAfterS }: Pick<Refusal, 'status' | 'code' | 'retryAfterS'>,
): readonly string[] {
  const list = LISTS.get(code);
  if (list !== undefined) return [`  "assayer ${list} list" lists what there is.`];
  if (status === 401)
    return [
      `  The token is the one ${tokenFile === undefined ? 'of --token or ASSAYER_TOKEN' : `in ${tokenFile}`}. "assayer login --url ${url}" gets another.`,
    ];
  return retryAfterS === undefined ? [] : [`  Try again in ${formatCount(retryAfterS, 'second')}.`];
}

function listProblems(body: object): ProblemShown[] {
  const { problems } = toRecord(body);
  if (!Array.isArray(problems)) return [];
  return problems.filter(isRecord).map((problem) => ({
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
  const value = toRecord(body)[key];
  return typeof value === 'string' ? value : undefined;
}
