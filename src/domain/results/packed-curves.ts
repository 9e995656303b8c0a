/**
 * Curves of a result as they are stored: gzip of `{"signal_unit":…,"curves":[…]}`. The worker that fitted them packed those of
 * each replicate; a gzip stream may be a row of members (RFC 1952 §2.2), so joining replicates is joining bytes.
 */
import { gzipSync } from 'node:zlib';

const COMMA = gzipSync(',');
const END = gzipSync(']}');

/** `parts` are gzip members, each the curves of one replicate as JSON with commas between. */
export function joinPackedCurves(signalUnit: string, parts: readonly Uint8Array[]): Uint8Array {
  const head = gzipSync(`{"signal_unit":${JSON.stringify(signalUnit)},"curves":[`);
  const joined = parts.flatMap((part, index) => (index === 0 ? [part] : [COMMA, part]));
  return Buffer.concat([head, ...joined, END]);
}
