/** Ends the connection of a request whose body nobody will read, and leaves its client a moment to read the answer. */
import type { IncomingMessage } from 'node:http';

const LINGER_MS = 1_000;
/** Of somebody who goes on sending regardless, so much is thrown away, and then they have this long to read. */
const LINGER_BYTES_MAX = 1024 * 1024;
const LAST_MS = 200;

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
  const destroyAfter = (ms: number): void => {
    const timer = setTimeout(() => socket.destroy(), ms);
    socket.once('close', () => clearTimeout(timer));
  };
  let discarded = 0;
  let isAnswered = false;
  // Before the answer is out, so that Node does not set about throwing everything away by itself.
  request.on('data', (part: Uint8Array) => {
    const before = discarded;
    discarded += part.length;
    if (discarded <= LINGER_BYTES_MAX) return;
    request.pause();
    if (isAnswered && before <= LINGER_BYTES_MAX) destroyAfter(LAST_MS);
  });
  request.on('error', () => undefined);
  socket.destroySoon = () => {
    isAnswered = true;
    destroyAfter(discarded > LINGER_BYTES_MAX ? LAST_MS : LINGER_MS);
    request.once('end', () => socket.destroy());
    socket.end();
  };
}
