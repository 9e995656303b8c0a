/** Strings inside JSON, which may be longer than a block of bytes: found and decoded piece by piece. */
import { fail } from '#core/failures.ts';
import { requireUtf8, countWholeCharacters } from './utf8.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const FIRST_PRINTABLE = 0x20;
const ASCII_MAX = 0x7f;
/** Lengths of `\n` and `\u0041`. */
const ESCAPE_BYTES = 2;
const CODE_ESCAPE_BYTES = 6;

/** The part of a string within one block. */
export interface Piece {
  /** Its end: the closing quote, or the start of an incomplete character or escape. */
  readonly end: number;
  /** True when the closing quote has arrived. */
  readonly isWhole: boolean;
  readonly hasEscape: boolean;
  readonly isAscii: boolean;
}

/** `offset` is the position of the block in the body. */
export function findPieceEnd(block: Buffer, from: number, offset: number): Piece {
  let bits = 0;
  let hasEscape = false;
  let at = from;
  for (; at < block.length; at++) {
    const byte = block[at] ?? 0;
    if (byte === QUOTE) return { end: at, isWhole: true, hasEscape, isAscii: bits <= ASCII_MAX };
    if (byte < FIRST_PRINTABLE)
      throw fail('malformed_json', { reason: `unexpected text at byte ${offset + at}` });
    bits |= byte;
    if (byte !== BACKSLASH) continue;
    const length = block[at + 1] === LETTER_U ? CODE_ESCAPE_BYTES : ESCAPE_BYTES;
    if (at + length > block.length) break;
    hasEscape = true;
    at += length - 1;
  }
  const end =
    bits <= ASCII_MAX ? Math.min(at, block.length) : countWholeCharacters(block, Math.min(at, block.length));
  return { end, isWhole: false, hasEscape, isAscii: bits <= ASCII_MAX };
}

export function decodePiece(block: Buffer, from: number, piece: Piece, offset: number): string {
  if (!piece.isAscii) requireUtf8(block.subarray(from, piece.end), offset + from);
  const text = block.toString(piece.isAscii ? 'latin1' : 'utf8', from, piece.end);
  return piece.hasEscape ? unescapeText(text, offset + from) : text;
}

function unescapeText(text: string, offset: number): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch (error) {
    const place = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const where = place === undefined ? `after byte ${offset}` : `near byte ${offset + Number(place) - 1}`;
    throw fail('malformed_json', { reason: `unexpected text ${where}` });
  }
}
