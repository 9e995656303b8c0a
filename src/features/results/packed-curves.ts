/**
 * Stored form of the curves of a result: gzip of `{"signal_unit":…,"curves":[…]}`. The worker that fits a replicate
 * packs its curves; a gzip stream may consist of several members (RFC 1952 §2.2), so replicates are joined by joining
 * bytes.
 */
import { gzipSync } from 'node:zlib';

const COMMA = gzipSync(',');
const END = gzipSync(']}');

/**
 * Each part is a row of gzip members, or of their places, with curves as JSON, separated by commas. Returns the members
 * of the stored form in their order.
 */
export function joinPackedCurves<Member>(
  signalUnit: string,
  parts: readonly (readonly Member[])[],
): (Member | Uint8Array)[] {
  const head: Uint8Array = gzipSync(`{"signal_unit":${JSON.stringify(signalUnit)},"curves":[`);
  const joined = parts.flatMap((part, index): (Member | Uint8Array)[] =>
    index === 0 ? [...part] : [COMMA, ...part],
  );
  return [head, ...joined, END];
}
