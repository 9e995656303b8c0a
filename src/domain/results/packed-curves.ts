/**
 * Stored form of the curves of a result: gzip of `{"signal_unit":…,"curves":[…]}`. The worker that fits a replicate
 * packs its curves; a gzip stream may consist of several members (RFC 1952 §2.2), so replicates are joined by joining
 * bytes.
 */
import { gzipSync } from 'node:zlib';

const COMMA = gzipSync(',');
const END = gzipSync(']}');

/** Each part is a gzip member with the curves of one replicate as JSON, separated by commas. */
export function joinPackedCurves(signalUnit: string, parts: readonly Uint8Array[]): Uint8Array {
  const head = gzipSync(`{"signal_unit":${JSON.stringify(signalUnit)},"curves":[`);
  const joined = parts.flatMap((part, index) => (index === 0 ? [part] : [COMMA, part]));
  return Buffer.concat([head, ...joined, END]);
}
