/** Finds the encoding of a text, and rejects bytes that are no text. */
import { isUtf8 } from 'node:buffer';
import { FormatError } from '../../failures/errors.ts';
import { findEndOfPiece, locateByte } from './line-ends.ts';

export type Encoding = 'utf-8' | 'windows-1252';

/** The encoding of bytes that are not UTF-8; `none` rejects them. */
export type Fallback = 'none' | 'windows-1252';

/** Returns the encoding of the bytes; throws FormatError with the position of the first byte that is no text. */
export function detectEncoding(fileName: string, bytes: Uint8Array, fallback: Fallback): Encoding {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const isText = isUtf8(bytes);
  const encoding: Encoding = !isText && fallback === 'windows-1252' && !isUtf16 ? 'windows-1252' : 'utf-8';
  if (encoding === 'utf-8' && !isText) {
    const expected = 'UTF-8 text';
    const found = isUtf16 ? 'UTF-16 (save the file as UTF-8)' : 'a byte that is not UTF-8';
    throw new FormatError({ file: fileName, ...locateByte(bytes, findFirstNotUtf8(bytes)), expected, found });
  }
  const zero = bytes.indexOf(0);
  if (zero === -1) return encoding;
  throw new FormatError({
    file: fileName,
    ...locateByte(bytes, zero),
    expected: 'text',
    found: 'a zero byte',
  });
}

/** Decodes the faulty piece with replacement characters to find the first byte that is not UTF-8. */
function findFirstNotUtf8(bytes: Uint8Array): number {
  let from = 0;
  while (from < bytes.length) {
    const to = findEndOfPiece(bytes, from);
    const piece = bytes.subarray(from, to);
    if (!isUtf8(piece)) {
      const marked = new TextDecoder('utf-8', { ignoreBOM: true }).decode(piece);
      return from + Buffer.byteLength(marked.slice(0, marked.indexOf('\uFFFD')));
    }
    from = to;
  }
  return bytes.length;
}
