/** Answers for requests that never became requests: unreadable headers, headers too large, too slow. */
import type { Socket } from 'node:net';
import type { Ids } from '#core/ids.ts';
import { fail } from '#core/failures.ts';
import { errorBody } from './errors.ts';

export function refuseSocketError(ids: Ids) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const failure = failureOf(error.code);
    const requestId = ids.requestId();
    const body = JSON.stringify(errorBody(failure, requestId));
    socket.end(
      `HTTP/1.1 ${failure.status} ${reasonOf(failure.status)}\r\ncontent-type: application/json; charset=utf-8\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\nconnection: close\r\n\r\n${body}`,
    );
  };
}

function failureOf(code: string | undefined) {
  if (code === 'HPE_HEADER_OVERFLOW') return fail('headers_too_large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return fail('request_timeout');
  return fail('invalid_request', { reason: 'it is not readable as HTTP.' });
}

function reasonOf(status: number): string {
  if (status === 431) return 'Request Header Fields Too Large';
  return status === 408 ? 'Request Timeout' : 'Bad Request';
}
