/** Where lines end: pieces of whole lines, and the line and column of a byte or a character. */

/** Text is decoded in pieces of at most this size, unless a line is longer. */
const PIECE_BYTES = 65_536;
export const LF = 10;
export const CR = 13;

/** Returns the index after the last line end of the next `PIECE_BYTES`, or after the first line end. */
export function findEndOfPiece(bytes: Uint8Array, from: number): number {
  const limit = from + PIECE_BYTES;
  if (limit >= bytes.length) return bytes.length;
  let at = limit - 1;
  while (at >= from && bytes[at] !== LF && bytes[at] !== CR) at -= 1;
  if (at < from) {
    at = limit;
    while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at += 1;
  }
  return bytes[at] === CR && bytes[at + 1] === LF ? at + 2 : Math.min(at + 1, bytes.length);
}

/** Returns line and column of a byte, both 1-based; columns count characters. */
export function locateByte(bytes: Uint8Array, index: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let at = 0; at < index; at += 1) {
    const isEnd = bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF);
    if (!isEnd) continue;
    line += 1;
    start = at + 1;
  }
  const before = new TextDecoder('utf-8').decode(bytes.subarray(start, index));
  return { line, column: before.length + 1 };
}

/** Returns line and column of a character of a text, both 1-based. */
export function locateCharacter(text: string, index: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let at = 0; at < index; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== LF && (code !== CR || text.charCodeAt(at + 1) === LF)) continue;
    line += 1;
    start = at + 1;
  }
  return { line, column: Math.max(0, index) - start + 1 };
}
