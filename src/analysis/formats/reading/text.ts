/**
 * Reads a text file line by line, and names the position of every error.
 * This folder: what formats share in reading files: text, tables, workbooks, archives, XML, units. Not here: anything
 * that knows one instrument.
 */
import { FormatError } from '../../failures/errors.ts';
import { getSize, type InputFile, LIMITS } from './input-file.ts';
import { CR, findEndOfPiece, LF, locateByte } from './line-ends.ts';
import { isUtf8 } from 'node:buffer';

export interface Line {
  text: string;
  /** 1-based. */
  number: number;
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

export class TextFile {
  readonly name: string;
  /** Whether the last line is complete. */
  readonly endsWithLineEnd: boolean;
  private readonly encoding: Encoding;
  private bytes: Uint8Array;
  /** The decoded text, once a reader asked for all of it. */
  private whole: string | null = null;

  /** Some instruments write Windows-1252; `fallback` names it for their files. */
  constructor(file: InputFile, fallback: Fallback = 'none') {
    this.name = file.name;
    assertFileBytes(file);
    this.bytes = file.bytes;
    this.encoding = detectEncoding(file.name, this.bytes, fallback);
    const last = this.bytes.at(-1);
    this.endsWithLineEnd = last === LF || last === CR;
  }

  /** The whole text, for readers that need it; the bytes are released. */
  get text(): string {
    if (this.whole === null) {
      this.whole = new TextDecoder(this.encoding).decode(this.bytes);
      this.bytes = new Uint8Array(0);
    }
    return this.whole;
  }

  /** Lines without their ends; CR, LF and CRLF all end a line. The empty piece after the last line end is left out. */
  *readLines(): Generator<Line> {
    const cursor = this.openCursor();
    while (cursor.moveNext()) yield cursor.getLine();
  }

  /** Returns a cursor over the lines, for readers of many short lines. */
  openCursor(): LineCursor {
    return new LineCursor(this, this.readPieces());
  }

  /** Yields the text in pieces of whole lines, so that the whole text is never in memory. */
  private *readPieces(): Generator<string> {
    if (this.whole !== null) {
      yield this.whole;
      return;
    }
    const { bytes } = this;
    const decoder = new TextDecoder(this.encoding, { ignoreBOM: true });
    let from = BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte) ? BYTE_ORDER_MARK.length : 0;
    while (from < bytes.length) {
      const to = findEndOfPiece(bytes, from);
      yield decoder.decode(bytes.subarray(from, to));
      from = to;
    }
  }

  createError(
    at: { line: number | null; column?: number | null },
    expected: string,
    found: string,
  ): FormatError {
    return new FormatError({ file: this.name, line: at.line, column: at.column ?? null, expected, found });
  }

  /** Rejects a file whose last line has no line end, because it may have been cut off. */
  assertEndsWithLineEnd(): void {
    if (this.endsWithLineEnd) return;
    let last: Line = { text: '', number: 1 };
    for (const line of this.readLines()) last = line;
    const at = { line: last.number, column: last.text.length + 1 };
    throw this.createError(at, 'a line end after the last line (the file looks cut off)', 'end of file');
  }
}

/** Moves from line to line without making a string of each. */
export class LineCursor {
  /** The text that contains the line, in [`from`, `to`). */
  piece = '';
  from = 0;
  to = 0;
  /** 1-based. */
  number = 0;
  private nextFrom = 0;
  private readonly file: TextFile;
  private readonly pieces: Iterator<string>;

  constructor(file: TextFile, pieces: Iterator<string>) {
    this.file = file;
    this.pieces = pieces;
  }

  /** False after the last line. */
  moveNext(): boolean {
    while (this.nextFrom >= this.piece.length) {
      const following = this.pieces.next();
      if (following.done === true) return false;
      this.piece = following.value;
      this.nextFrom = 0;
    }
    const { piece } = this;
    const from = this.nextFrom;
    let to = from;
    while (to < piece.length && piece.charCodeAt(to) !== LF && piece.charCodeAt(to) !== CR) to += 1;
    this.from = from;
    this.to = to;
    this.number += 1;
    if (to - from > LIMITS.lineCharacters) {
      const expected = `a line of at most ${LIMITS.lineCharacters} characters`;
      throw this.file.createError({ line: this.number }, expected, 'more');
    }
    this.nextFrom = to + (piece.charCodeAt(to) === CR && piece.charCodeAt(to + 1) === LF ? 2 : 1);
    return true;
  }

  getLine(): Line {
    return { text: this.piece.slice(this.from, this.to), number: this.number };
  }
}

function assertFileBytes(file: InputFile): void {
  const size = getSize(file);
  if (size <= LIMITS.fileBytes) return;
  const expected = `at most ${LIMITS.fileBytes} bytes`;
  throw new FormatError({ file: file.name, line: null, column: null, expected, found: `${size} bytes` });
}

/** Finds the encoding of a text, and rejects bytes that are no text. */
type Encoding = 'utf-8' | 'windows-1252';

/** The encoding of bytes that are not UTF-8; `none` rejects them. */
type Fallback = 'none' | 'windows-1252';

/** Returns the encoding of the bytes; throws FormatError with the position of the first byte that is no text. */
function detectEncoding(fileName: string, bytes: Uint8Array, fallback: Fallback): Encoding {
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
