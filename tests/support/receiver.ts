/** A receiver of webhooks on this machine, which answers as the test says. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { after } from 'node:test';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Status and headers of the next answers; 204 at first. */
  answerWith(status: number, headers?: Readonly<Record<string, string>>): void;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let next: { readonly status: number; readonly headers: Readonly<Record<string, string>> } = {
    status: 204,
    headers: {},
  };
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
      response.writeHead(next.status, next.headers).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    received,
    answerWith: (status, headers = {}) => void (next = { status, headers }),
  };
}
