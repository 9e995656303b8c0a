/**
 * One request over HTTP, and what to do where no answer comes. The client that is built into Node takes far less of the
 * processor's time than `fetch`, which counts in a command.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { findErrorCode } from '#core/records.ts';
import { BrokenError, CommandError, EXIT, UnknownOutcomeError, UnreachableError } from './command-error.ts';
import type { Connection } from './connection.ts';
import { readAll, toPlainText } from './terminal.ts';

export interface HttpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Pieces need their length among the headers. */
  readonly body?: string | AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

/** An answer whose body has not been read; a redirect is an answer like others. */
export interface HttpAnswer {
  readonly status: number;
  readonly isDone: boolean;
  readonly body: AsyncIterable<Uint8Array>;
  getHeader(name: string): string | undefined;
  readText(): Promise<string>;
  /** Lets the body go. */
  discard(): void;
}

/** Throws what the platform throws where no answer comes; `createNoAnswerError` explains it. */
export async function sendHttp(
  url: URL,
  { method, headers, body, signal }: HttpRequest,
): Promise<HttpAnswer> {
  // An import would name all that the module has, among it `fetch` with its own client.
  const { request: open } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const length: Record<string, string> =
    typeof body === 'string' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
  const request = open(url, { method, headers: { ...length, ...headers }, signal });
  const response = awaitResponse(request);
  if (body === undefined || typeof body === 'string') request.end(body);
  // An answer may come before the body has gone, and then the rest of the body does not matter.
  else pipeline(body, request, () => undefined);
  return toAnswer(await response);
}

function awaitResponse(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    // It also hears what fails after the answer, which its body reports.
    request.on('error', reject);
  });
}

function toAnswer(message: IncomingMessage): HttpAnswer {
  const status = message.statusCode ?? 0;
  return {
    status,
    isDone: status >= 200 && status < 300,
    body: message,
    getHeader: (name) => {
      const value = message.headers[name];
      return typeof value === 'string' ? value : value?.[0];
    },
    readText: async () => (await readAll(message)).toString('utf8'),
    discard: () => message.resume(),
  };
}

type Place = Pick<Connection, 'url' | 'urlFile'>;

const LOOKUP_CODES: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA']);
const UNTRUSTED_CODES: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);
/** The connection stood, and then ended. */
const BROKEN_CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Describes why a request got no answer. */
export function createNoAnswerError(place: Place, error: unknown, timeoutMs: number): CommandError {
  if (isTimeout(error))
    return new UnknownOutcomeError(
      `${place.url} did not answer within ${timeoutMs / 1_000} seconds; try again later.`,
    );
  const cause = findCause(error);
  if (/invalid (character|header)|ByteString/i.test(`${cause.message} ${String(error)}`))
    return new CommandError('The access token is not readable; copy it again in full.', EXIT.misused);
  const code = findErrorCode(cause) ?? '';
  if (BROKEN_CODES.has(code))
    return new BrokenError(
      `${place.url} ended the connection without an answer. Try again; if it stays so, check the address.`,
    );
  return new UnreachableError(
    describeTls(place.url, code, cause.message) ?? describeConnection(place, cause, code),
  );
}

/** Describes an answer that ended before its end, or has none. */
export function createBrokenError(place: Place, error: unknown, received: string): CommandError {
  if (error instanceof RangeError)
    return new CommandError(`The answer of ${place.url} cannot be read: ${error.message}.`);
  const why = isTimeout(error) ? 'nothing more came' : 'the connection broke';
  return new BrokenError(`${place.url} began to answer, but ${why} after ${received}; try again.`);
}

function isTimeout(error: unknown): boolean {
  return findCause(error).name === 'TimeoutError';
}

/** The reason may stand below, and of several addresses the first is as good as any. */
function findCause(error: unknown): Error {
  if (error instanceof AggregateError && error.errors.length > 0) return findCause(error.errors[0]);
  if (!(error instanceof Error)) return new Error(String(error));
  return error.cause instanceof Error ? findCause(error.cause) : error;
}

function describeTls(url: string, code: string, message: string): string | undefined {
  if (UNTRUSTED_CODES.has(code))
    return `The certificate of ${url} comes from an authority that this machine does not know. Name the authority's file in NODE_EXTRA_CA_CERTS, or check the address.`;
  if (code === 'CERT_HAS_EXPIRED')
    return `The certificate of ${url} has expired. Tell whoever runs the service, or check the clock of this machine.`;
  if (code === 'CERT_NOT_YET_VALID')
    return `The certificate of ${url} is not valid yet. Check the clock of this machine.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of ${url} is for another name. Check the address.`;
  if (/wrong version number|packet length too long/.test(message))
    return `${url} does not speak TLS. If it is a service on this machine or in your network, write http:// in place of https://.`;
  return undefined;
}

function describeConnection({ url, urlFile }: Place, cause: Error, code: string): string {
  if (LOOKUP_CODES.has(code))
    return `The name in ${url} is not known. Check the address and the network of this machine.`;
  if (code.startsWith('HPE_')) return `${url} does not speak HTTP. Check the address and its port.`;
  const remedy =
    urlFile === undefined
      ? 'Check the address, or start a service with "npm start".'
      : `The service that left this address in ${urlFile} is not running: start one with "npm start".`;
  return `No service answers at ${url} (${toPlainText(cause.message)}). ${remedy}`;
}
