/** The fields of a line, and the numbers in them. */
import { LIMITS } from './limits.ts';
import type { Line, TextFile } from './text.ts';

const NUMBER_CHARACTERS = /^[0-9eE+.-]+$/;

/** Parses a plain decimal number; NaN for blanks, hexadecimal, infinities and thousands separators. */
export function parsePlainNumber(text: string): number {
  if (!NUMBER_CHARACTERS.test(text)) return Number.NaN;
  const value = Number(text);
  return Number.isFinite(value) ? value : Number.NaN;
}

export interface Field {
  text: string;
  /** 1-based, in characters. */
  column: number;
}

export type Separator = ',' | ';' | '\t';

/**
 * Splits one line at the separator. Fields may be quoted as in RFC 4180, with doubled quotes inside, but a quoted field
 * may not contain a line end.
 */
export function splitFields(
  file: TextFile,
  line: Line,
  separator: Separator = ',',
  fieldsMax: number = LIMITS.fieldsPerRecord,
): Field[] {
  const fields: Field[] = [];
  const { text } = line;
  let at = 0;
  for (;;) {
    if (fields.length >= fieldsMax) {
      const expected = `at most ${fieldsMax} fields`;
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
export function readNumber(file: TextFile, line: Line, field: Field, fieldName: string): number {
  const value = parsePlainNumber(field.text);
  if (Number.isNaN(value)) {
    throw file.createError(
      { line: line.number, column: field.column },
      `${fieldName}, a finite number`,
      formatFound(field.text),
    );
  }
  return value;
}

/** Formats what stands in the place of the expected text, for an error. */
export function formatFound(text: string): string {
  return text === '' ? 'nothing' : `"${text}"`;
}
