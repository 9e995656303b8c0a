/** The server's own log: the server appends to it even without the service, and the service limits its size. */
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
} from 'node:fs';

const MAX_LOG_BYTES = 2_000_000;

/** Opens the log for appending; every writer appends, so truncating it under a running server is safe. */
export function openLog(path: string): number {
  limitLogSize(path);
  return openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600);
}

/** Moves a log beyond the limit to `<path>.1`, replacing the previous one. */
export function limitLogSize(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.size <= MAX_LOG_BYTES) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path, 0);
}

/** Reads the last lines of the log, for an error message. */
export function readLogTail(path: string, maxBytes = 1_500): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const size = fstatSync(file).size;
    const buffer = Buffer.alloc(Math.min(size, maxBytes));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8').trim();
  } finally {
    closeSync(file);
  }
}
