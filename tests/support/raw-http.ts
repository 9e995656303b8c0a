/** HTTP written by hand on a socket: for requests that no client library would send. */
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  /** Everything that came back before the connection closed. */
  readonly text: string;
  readonly status: number;
  readonly body: string;
}

export interface RawConnection {
  readonly socket: Socket;
  /** Resolves when the other side has closed the connection. */
  readonly closed: Promise<RawAnswer>;
}

export function openRaw(port: number): RawConnection {
  const socket = connect({ port, host: '127.0.0.1' });
  let text = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => void (text += chunk));
  // A server that refuses while the client still writes may reset the connection; what it said has arrived.
  socket.on('error', () => undefined);
  const closed = new Promise<RawAnswer>((resolve) => {
    socket.on('close', () => resolve(parseAnswer(text)));
  });
  return { socket, closed };
}

/** Sends a whole request and waits for the connection to close; `Connection: close` has to be among its headers. */
export function sendRaw(port: number, request: string | Buffer): Promise<RawAnswer> {
  const { socket, closed } = openRaw(port);
  socket.write(request);
  return closed;
}

/** Writes a chunk again and again until the other side closes or so many bytes are out; returns how many were. */
export async function pour(
  { socket, closed }: RawConnection,
  chunk: string,
  bytesMax: number,
): Promise<number> {
  let sent = 0;
  while (sent < bytesMax && socket.writable) {
    sent += chunk.length;
    if (socket.write(chunk)) continue;
    const drained = new Promise<void>((resolve) => void socket.once('drain', resolve));
    await Promise.race([drained, closed]);
  }
  return sent;
}

function parseAnswer(text: string): RawAnswer {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
  const start = text.indexOf('\r\n\r\n');
  return { text, status, body: start < 0 ? '' : text.slice(start + 4) };
}

export function formatRequest(line: string, headers: readonly string[], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: localhost', ...headers, '', body].join('\r\n');
}
