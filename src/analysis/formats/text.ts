/** Bytes to text, lines and numbers, with the place of everything that is wrong. */
import { FormatError } from '../errors.ts';

export interface InputFile {
  /** Name or path as uploaded; the extension and folder may matter to a format. */
  name: string;
  bytes: Uint8Array;
}

export const LIMITS = {
  files: 2_000,
  fileBytes: 64 * 1024 * 1024,
  totalBytes: 160 * 1024 * 1024,
  traces: 20_000,
  fieldsPerRecord: 64,
} as const;

export interface Line {
  text: string;
  /** 1-based. */
  number: number;
}

export class TextFile {
  readonly name: string;
  readonly text: string;
  /** The text ends with a line end: the last line was written completely. */
  readonly closed: boolean;

  /** `latin1` takes bytes that are not UTF-8 as Windows-1252, for instruments that write so. */
  constructor(file: InputFile, fallback: 'none' | 'latin1' = 'none') {
    this.name = file.name;
    this.text = decode(file, fallback);
    this.closed = /[\r\n]$/.test(this.text);
  }

  /** Lines without their ends; CR, LF and CRLF all end a line. The empty piece after the last line end is left out. */
  *lines(): Generator<Line> {
    const { text } = this;
    let from = 0;
    let number = 1;
    while (from < text.length) {
      let to = from;
      while (to < text.length && text.charCodeAt(to) !== 10 && text.charCodeAt(to) !== 13) to += 1;
      yield { text: text.slice(from, to), number };
      number += 1;
      from = to + (text.charCodeAt(to) === 13 && text.charCodeAt(to + 1) === 10 ? 2 : 1);
    }
  }

  error(at: { line: number | null; column?: number | null }, expected: string, found: string): FormatError {
    return new FormatError({ file: this.name, line: at.line, column: at.column ?? null, expected, found });
  }

  /** Refuses a file whose last line has no line end: it cannot be told from one that was cut off. */
  assertClosed(): void {
    if (this.closed) return;
    let last: Line = { text: '', number: 1 };
    for (const line of this.lines()) last = line;
    const at = { line: last.number, column: last.text.length + 1 };
    throw this.error(at, 'a line end after the last line (the file looks cut off)', 'end of file');
  }
}

function decode(file: InputFile, fallback: 'none' | 'latin1'): string {
  if (file.bytes.length > LIMITS.fileBytes) {
    const expected = `at most ${LIMITS.fileBytes} bytes`;
    throw new FormatError({
      file: file.name,
      line: null,
      column: null,
      expected,
      found: `${file.bytes.length} bytes`,
    });
  }
  try {
    return checked(file, new TextDecoder('utf-8', { fatal: true }).decode(file.bytes));
  } catch (error) {
    if (error instanceof FormatError) throw error;
    const [first, second] = file.bytes;
    const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
    if (fallback === 'latin1' && !isUtf16)
      return checked(file, new TextDecoder('windows-1252').decode(file.bytes));
    const lossy = new TextDecoder('utf-8').decode(file.bytes);
    const at = position(lossy, lossy.indexOf('\uFFFD'));
    throw new FormatError({
      file: file.name,
      ...at,
      expected: 'UTF-8 text',
      found: isUtf16 ? 'UTF-16 (save the file as UTF-8)' : 'a byte that is not UTF-8',
    });
  }
}

function checked(file: InputFile, text: string): string {
  const zero = text.indexOf('\0');
  if (zero === -1) return text;
  throw new FormatError({ file: file.name, ...position(text, zero), expected: 'text', found: 'a zero byte' });
}

export function position(text: string, index: number): { line: number; column: number } {
  const before = text.slice(0, Math.max(0, index)).split(/\r\n|\r|\n/);
  return { line: before.length, column: before[before.length - 1].length + 1 };
}

const NUMBER_CHARACTERS = /^[0-9eE+.-]+$/;

/** A plain decimal number, or NaN: no blanks, no hexadecimal, no infinities, no thousands separators. */
export function plainNumber(text: string): number {
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
      throw file.error({ line: line.number, column: at + 1 }, expected, 'more');
    }
    const column = at + 1;
    if (text[at] === '"') {
      const field = quotedField(file, line, at);
      fields.push({ text: field.text, column });
      at = field.end;
      if (at < text.length && text[at] !== separator) {
        throw file.error(
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

function quotedField(file: TextFile, line: Line, start: number): { text: string; end: number } {
  const { text } = line;
  let value = '';
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) {
      throw file.error(
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

/** The finite number in a field, or an error that names it. */
export function numberIn(file: TextFile, line: Line, field: Field, what: string): number {
  const value = plainNumber(field.text);
  if (Number.isNaN(value)) {
    throw file.error(
      { line: line.number, column: field.column },
      `${what}, a finite number`,
      quoted(field.text),
    );
  }
  return value;
}

export function quoted(text: string): string {
  return text === '' ? 'nothing' : `"${text}"`;
}
