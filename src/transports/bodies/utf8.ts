/** Finds the first byte that is not UTF-8. */
import { isUtf8 } from 'node:buffer';
import { fail } from '#core/failures.ts';

const CONTINUATION_MASK = 0xc0;
const CONTINUATION = 0x80;
const CHARACTER_BYTES_MAX = 4;

/** Throws `body_not_utf8`; `offset` is the position of the bytes in the body. */
export function requireUtf8(bytes: Uint8Array, offset: number): void {
  if (!isUtf8(bytes)) throw fail('body_not_utf8', { offset: offset + findInvalidByte(bytes) });
}

/**
 * Finds the length of the longest valid prefix, by bisection; a prefix that ends inside a character counts as valid.
 */
function findInvalidByte(bytes: Uint8Array): number {
  let [low, high] = [0, bytes.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const cut = countWholeCharacters(bytes, middle);
    if (isUtf8(bytes.subarray(0, cut))) low = middle;
    else high = middle - 1;
  }
  return countWholeCharacters(bytes, low);
}

/** The number of the first `end` bytes that form complete characters. */
export function countWholeCharacters(bytes: Uint8Array, end: number): number {
  for (let back = 1; back <= Math.min(CHARACTER_BYTES_MAX, end); back++) {
    const byte = bytes[end - back] ?? 0;
    if ((byte & CONTINUATION_MASK) === CONTINUATION) continue;
    return countCharacterBytes(byte) > back ? end - back : end;
  }
  return end;
}

function countCharacterBytes(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}
