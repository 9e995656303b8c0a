/** The size of a body: its limit as text, and the failure of a body beyond it. */
import { fail, type Failure } from './failures.ts';

export const MEBIBYTE = 1024 * 1024;

/** Formats bytes such as `16 MiB`, or `1000 bytes` below one MiB. */
export function formatSize(bytes: number): string {
  return bytes >= MEBIBYTE ? `${bytes / MEBIBYTE} MiB` : `${bytes} bytes`;
}

/** Creates the failure `body_too_large`; it closes the connection, so that the rest of the body is not read. */
export function createTooLargeFailure(bytesMax: number): Failure {
  return fail('body_too_large', { limit: formatSize(bytesMax) }, { headers: { connection: 'close' } });
}

/** The largest zip of instrument files. The parsers limit its unpacked size. */
export const UPLOAD_BYTES_MAX = 160 * 1024 * 1024;
