/**
 * Answers to connections without a valid request: headers that are unreadable, too large or too slow, unknown
 * methods.
 */
import type { Duplex } from 'node:stream';
import type { Ids } from '#core/ids.ts';
import { fail, type Failure } from '#core/failures.ts';
import { buildErrorBody } from './errors.ts';

/** The error as Node reports it. */
interface SocketError extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
}

const REASONS: Readonly<Record<number, string>> = {
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
  501: 'Not Implemented',
};

/** A request line with any method. */
const REQUEST_LINE = /^([A-Z][A-Z-]{0,30}) \S+ HTTP\/1\.[01]\r?\n/;
const REQUEST_LINE_LENGTH_MAX = 4_096;

export function refuseSocketError(ids: Ids) {
  return (error: SocketError, socket: Duplex): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    answer(ids, socket, toFailure(error));
  };
}

/** `CONNECT` asks for a tunnel, and Node would close the connection without an answer. */
export function refuseConnect(ids: Ids, socket: Duplex): void {
  const allowed = 'GET, POST, PUT, PATCH, DELETE';
  socket.on('error', () => socket.destroy());
  answer(
    ids,
    socket,
    fail('method_not_allowed', { method: 'CONNECT', allowed }, { headers: { allow: allowed } }),
  );
}

function answer(ids: Ids, socket: Duplex, failure: Failure): void {
  const requestId = ids.createRequestId();
  const body = JSON.stringify(buildErrorBody(failure, requestId));
  const headers = {
    ...failure.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${failure.status} ${REASONS[failure.status] ?? 'Bad Request'}\r\n${lines.join('')}\r\n${body}`,
  );
}

function toFailure({ code, rawPacket }: SocketError): Failure {
  if (code === 'HPE_HEADER_OVERFLOW') return fail('headers_too_large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return fail('request_timeout');
  if (code === 'HPE_INVALID_METHOD' && rawPacket instanceof Uint8Array) {
    const beginning = Buffer.from(rawPacket.subarray(0, REQUEST_LINE_LENGTH_MAX)).toString('latin1');
    const method = REQUEST_LINE.exec(beginning)?.[1];
    if (method !== undefined) return fail('method_not_implemented', { method });
  }
  return fail('invalid_request', { reason: 'it is not readable as HTTP.' });
}
