/** Closes the connection of a request whose body the service does not read, after the client had time to read the answer. */
import type { IncomingMessage } from 'node:http';

const LINGER_MS = 1_000;
/** Limits for a client that keeps sending: this many bytes are discarded, then it has this much time to read. */
const LINGER_BYTES_MAX = 1024 * 1024;
const LAST_MS = 200;

export function declaresBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** True while a part of the body has not arrived. */
export function isBodyPending(request: IncomingMessage): boolean {
  return declaresBody(request) && !request.complete && !request.readableEnded;
}

/**
 * Closing a socket while its client still writes resets it, and the reset can discard the answer. So only our side is
 * closed at first; further bytes are discarded, for at most a second and a mebibyte.
 */
export function lingerAfterAnswer(request: IncomingMessage): void {
  const { socket } = request;
  const destroyAfter = (ms: number): void => {
    const timer = setTimeout(() => socket.destroy(), ms);
    socket.once('close', () => clearTimeout(timer));
  };
  let discarded = 0;
  let isAnswered = false;
  // Attached before the answer is sent, so that Node does not start to discard the body without a limit.
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
