/**
 * `Expect: 100-continue`: a client that asks before it sends a body gets the go-ahead only when its body is about to
 * be read.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** By default, Node answers both kinds of expectation before anything is known about the request. */
export function holdExpectations(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response);
    server.emit('request', request, response);
  });
  // The server rejects it in its own error format.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
}

export function continueRequest(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}

/** True for an expectation that is not supported (RFC 9110 §10.1.1). */
export function expectsOther({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue';
}
