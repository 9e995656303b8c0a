/** A server of a test's own on the loopback, closed when the test file ends. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';

/** Answers the address. A handler that throws closes its connection. */
export async function startLocalDoor(
  handle: (request: IncomingMessage, response: ServerResponse, body: string) => Promise<void>,
): Promise<string> {
  const server = createServer((request, response) => {
    void text(request)
      .then((body) => handle(request, response, body))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

/** Asks another server the same, as JSON. */
export async function passOn(
  target: string,
  { url = '' }: Pick<IncomingMessage, 'url'>,
  body: string,
): Promise<{ readonly status: number; readonly content: string }> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(target + url, { method: 'POST', body, headers });
  return { status: answer.status, content: await answer.text() };
}
