/**
 * Converts bytes to text, lines and numbers, and keeps the position of every error.
 * This folder: what formats share in reading files: text, tables, workbooks, archives, XML, units. Not here: anything
 * that knows one instrument.
 */
import { isUtf8 } from 'node:buffer';
import { FormatError } from '../../failures/errors.ts';

export interface InputFile {
  /** Name or path as uploaded; a format may use its extension and folder. */
  name: string;
  /**
   * The whole content. A file on disk or in an archive is read again at each access, so access it once, and only if
   * the file is needed as a whole.
   */
  bytes: Uint8Array;
  /** The size, and a reader of a part, of a file that is better not read whole. */
  sizeBytes?: number;
  readRange?: (from: number, to: number) => Uint8Array;
}

/**
 * Limits on what one process holds at a time; `memory.test.ts` measures that it stays below 256 MB at all of them.
 */
export const LIMITS = {
  files: 2_000,
  /** Of one unpacked file, which is read whole. */
  fileBytes: 24 * 1024 * 1024,
  /** Of an upload, packed and unpacked; it is read file by file. */
  totalBytes: 160 * 1024 * 1024,
  traces: 20_000,
  steps: 50_000,
  /** Values of plate readers. */
  readings: 100_000,
  /** Points of all curves of an upload, 16 bytes each. */
  points: 3_000_000,
  lineCharacters: 1_000_000,
  headLines: 1_000,
  fieldsPerRecord: 64,
} as const;

const HEAD_BYTES = 2_048;

export function getSize(file: InputFile): number {
  return file.sizeBytes ?? file.bytes.length;
}

/** Returns the bytes in [`from`, `to`), or up to the end of a shorter file. */
export function readRange(file: InputFile, from: number, to: number): Uint8Array {
  return file.readRange?.(from, to) ?? file.bytes.subarray(from, to);
}

/** Returns the first characters, which suffice to recognize the format. */
export function readHead(file: InputFile): string {
  return new TextDecoder('utf-8').decode(readRange(file, 0, HEAD_BYTES));
}

export interface Line {
  text: string;
  /** 1-based. */
  number: number;
}

type Encoding = 'utf-8' | 'windows-1252';

/** Text is decoded in pieces of at most this size, unless a line is longer. */
const PIECE_BYTES = 65_536;
const LF = 10;
const CR = 13;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

export class TextFile {
  readonly name: string;
  /** Whether the text ends with a line end, so that the last line is complete. */
  readonly hasFinalLineEnd: boolean;
  private readonly encoding: Encoding;
  private bytes: Uint8Array;
  private whole: string | null = null;

  /** `latin1` reads bytes that are not UTF-8 as Windows-1252, for instruments that write it. */
  constructor(file: InputFile, fallback: 'none' | 'latin1' = 'none') {
    this.name = file.name;
    assertFileBytes(file);
    this.bytes = file.bytes;
    this.encoding = detectEncoding(file.name, this.bytes, fallback);
    const last = this.bytes.at(-1);
    this.hasFinalLineEnd = last === LF || last === CR;
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
  assertFinalLineEnd(): void {
    if (this.hasFinalLineEnd) return;
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

/** Returns the index after the last line end of the next `PIECE_BYTES`, or after the first line end. */
function findEndOfPiece(bytes: Uint8Array, from: number): number {
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

function assertFileBytes(file: InputFile): void {
  const size = getSize(file);
  if (size <= LIMITS.fileBytes) return;
  const expected = `at most ${LIMITS.fileBytes} bytes`;
  throw new FormatError({ file: file.name, line: null, column: null, expected, found: `${size} bytes` });
}

function detectEncoding(name: string, bytes: Uint8Array, fallback: 'none' | 'latin1'): Encoding {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const isText = isUtf8(bytes);
  const encoding: Encoding = !isText && fallback === 'latin1' && !isUtf16 ? 'windows-1252' : 'utf-8';
  if (encoding === 'utf-8' && !isText) {
    const expected = 'UTF-8 text';
    const found = isUtf16 ? 'UTF-16 (save the file as UTF-8)' : 'a byte that is not UTF-8';
    throw new FormatError({ file: name, ...locateByte(bytes, findFirstNotUtf8(bytes)), expected, found });
  }
  const zero = bytes.indexOf(0);
  if (zero === -1) return encoding;
  throw new FormatError({ file: name, ...locateByte(bytes, zero), expected: 'text', found: 'a zero byte' });
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

/** Returns line and column of a byte, both 1-based; columns count characters. */
function locateByte(bytes: Uint8Array, index: number): { line: number; column: number } {
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

const NUMBER_CHARACTERS = /^[0-9eE+.-]+$/;

/** Parses a plain decimal number; NaN for blanks, hexadecimal, infinities and thousands separators. */
export function parsePlainNumber(text: string): number {
  if (!NUMBER_CHARACTERS.test(text)) return Number.NaN;
  const value = Number(text);
  return Number.isFinite(value) ? value : Number.NaN;
}

export interface Field {
  text: string;
  column: number;
}

export type Separator = ',' | ';' | '\t';

/**
 * Splits one line at the separator; fields may be quoted (RFC 4180, doubled quotes inside). A quoted field may not contain a
 * line end.
 */
export function splitFields(
  file: TextFile,
  line: Line,
  separator: Separator = ',',
  most: number = LIMITS.fieldsPerRecord,
): Field[] {
  const fields: Field[] = [];
  const { text } = line;
  let at = 0;
  for (;;) {
    if (fields.length >= most) {
      const expected = `at most ${most} fields`;
      throw file.createError({ line: line.number, column: at + 1 }, expected, 'more');
    }
    const column = at + 1;
    if (text[at] === '"') {
      const field = readQuotedField(file, line, at);
      fields.push({ text: field.text, column });
      at = field.end;
      if (at < text.length && text[at] !== separator) {
        throw file.createError(
          { line: line.number, column: at + 1 },
          'a separator after the closing quote',
          text.slice(at, at + 8),
        );
      }
    } else {
      const next = text.indexOf(separator, at);
      const end = next === -1 ? text.length : next;
      fields.push({ text: text.slice(at, end), column });
      at = end;
    }
    if (at >= text.length) return fields;
    at += 1;
  }
}

function readQuotedField(file: TextFile, line: Line, start: number): { text: string; end: number } {
  const { text } = line;
  let value = '';
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) {
      throw file.createError(
        { line: line.number, column: start + 1 },
        'a closing quote on the same line',
        'end of line',
      );
    }
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') return { text: value, end: quote + 1 };
    value += '"';
    at = quote + 2;
  }
}

/** Returns the finite number in a field; otherwise throws an error that names the field. */
export function readNumber(file: TextFile, line: Line, field: Field, what: string): number {
  const value = parsePlainNumber(field.text);
  if (Number.isNaN(value)) {
    throw file.createError(
      { line: line.number, column: field.column },
      `${what}, a finite number`,
      formatFound(field.text),
    );
  }
  return value;
}

export function formatFound(text: string): string {
  return text === '' ? 'nothing' : `"${text}"`;
}
