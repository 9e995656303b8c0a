import type { ServerResponse } from 'node:http';

export interface ReadingPace {
  readonly windowMs: number;
  /** What a reader takes at least in each window for which bytes wait for it. */
  readonly bytesMin: number;
}

/** Slower than any network that people work over, and quick enough to free a place within two minutes. */
const PACE: ReadingPace = { windowMs: 60_000, bytesMin: 256 * 1024 };

/**
 * Destroys the answer when its client takes hardly any bytes, because an open archive keeps one of few places. Time in
 * which no bytes wait for the client is the service's own, such as while a report is drawn.
 */
export function cutSlowReader(raw: ServerResponse, { windowMs, bytesMin }: ReadingPace = PACE): void {
  let before = { hasWaiting: false, takenBytes: 0 };
  const timer = setInterval(() => {
    const now = { hasWaiting: raw.writableLength > 0, takenBytes: countTakenBytes(raw) };
    const isSlow = now.takenBytes - before.takenBytes < bytesMin;
    if (before.hasWaiting && now.hasWaiting && isSlow) raw.destroy();
    before = now;
  }, windowMs).unref();
  raw.once('close', () => clearInterval(timer));
}

function countTakenBytes({ socket }: ServerResponse): number {
  return socket === null ? 0 : socket.bytesWritten - socket.writableLength;
}
