/** Ends the connection of a request whose body nobody will read, and leaves its client a moment to read the answer. */
import type { IncomingMessage } from 'node:http';

const LINGER_MS = 1_000;
const LINGER_BYTES_MAX = 1024 * 1024;

export function declaresBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Part of its body is still on its way. */
export function isBodyPending(request: IncomingMessage): boolean {
  return declaresBody(request) && !request.complete && !request.readableEnded;
}

/**
 * A socket that is closed while its client still writes is reset, and the reset may take the answer with it. So only our
 * side is closed at first; what still arrives is thrown away, for a second and a mebibyte at most.
 */
export function lingerAfterAnswer(request: IncomingMessage): void {
  const { socket } = request;
  let discarded = 0;
  socket.destroySoon = () => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
    request.on('data', (part: Uint8Array) => {
      discarded += part.length;
      if (discarded > LINGER_BYTES_MAX) socket.destroy();
    });
    request.once('end', () => socket.destroy());
    socket.end();
  };
}
