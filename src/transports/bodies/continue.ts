/** `Expect: 100-continue`: who asks before sending a body is told to go on only when somebody is about to read it. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Without this, Node would answer both kinds of expectation by itself, before anything is known of the request. */
export function holdExpectations(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response);
    server.emit('request', request, response);
  });
  // The door refuses it in its own form.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
}

export function continueRequest(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}

/** An expectation that is not served (RFC 9110 §10.1.1). */
export function expectsOther({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue';
}
