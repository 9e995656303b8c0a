/** Tables as text (RFC 4180): rows with the lines on which they begin, and cells that a spreadsheet does not run. */

export interface LineProblem {
  readonly line: number;
  readonly message: string;
}

export interface Row {
  readonly line: number;
  /** Without the spaces around a cell that is not in quotes. */
  readonly cells: readonly string[];
}

const DELIMITERS = [',', ';', '\t'] as const;

/** Chooses the delimiter that cuts the line into the most cells. */
export function findDelimiter(line: string): string {
  const count = (delimiter: string): number => line.split(delimiter).length;
  return DELIMITERS.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
}

/** RFC 4180: a cell in quotes may hold the delimiter, line breaks, and quotes that are doubled. Empty rows are left out. */
export function readRows(text: string, delimiter: string): { rows: Row[]; problems: LineProblem[] } {
  const rows: Row[] = [];
  const problems: LineProblem[] = [];
  let [at, line] = [0, 1];
  while (at < text.length) {
    const start = line;
    const cells: string[] = [];
    for (;;) {
      const cell = readCell(text, at, delimiter);
      if (!cell.isClosed) problems.push({ line: start, message: 'a quote is opened and not closed.' });
      cells.push(cell.value);
      line += cell.breaks;
      at = cell.end;
      if (text[at] !== delimiter) break;
      at++;
    }
    if (text.startsWith('\r\n', at)) at += 2;
    else at++;
    line++;
    if (cells.some((cell) => cell.trim() !== '')) rows.push({ line: start, cells });
  }
  return { rows, problems };
}

interface Cell {
  readonly value: string;
  readonly end: number;
  readonly breaks: number;
  readonly isClosed: boolean;
}

/** Spaces before a quote do not belong to the cell. */
function findStart(text: string, start: number): number {
  let at = start;
  while (text[at] === ' ') at++;
  return text[at] === '"' ? at : start;
}

function readCell(text: string, from: number, delimiter: string): Cell {
  const start = findStart(text, from);
  if (text[start] !== '"') {
    const bare = readBareCell(text, start, delimiter);
    return { ...bare, value: bare.value.trim() };
  }
  let value = '';
  for (let at = start + 1; ;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) {
      value += text.slice(at);
      return { value, end: text.length, breaks: countBreaks(value), isClosed: false };
    }
    value += text.slice(at, quote);
    if (text[quote + 1] === '"') {
      value += '"';
      at = quote + 2;
      continue;
    }
    // What stands between the closing quote and the delimiter belongs to the cell, as spreadsheets read it.
    const tail = readBareCell(text, quote + 1, delimiter);
    return { value: value + tail.value.trimEnd(), end: tail.end, breaks: countBreaks(value), isClosed: true };
  }
}

function readBareCell(text: string, start: number, delimiter: string): Cell {
  let end = start;
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end++;
  return { value: text.slice(start, end), end, breaks: 0, isClosed: true };
}

function countBreaks(text: string): number {
  return text.split(/\r\n|\n|\r/).length - 1;
}

/** Whether a spreadsheet would run the text: some take the signs of full width for the usual ones. */
export function isFormula(text: string): boolean {
  return /^[=+\-@\t\r＝＋－＠]./s.test(text);
}

const CONTROL =
  // oxlint-disable-next-line no-control-regex -- what a terminal would obey, but for line breaks and tabs
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g;

/**
 * Quotes a field when needed and escapes the start of a formula, because people open these files in spreadsheets. A
 * text that looks escaped is escaped once more, so that `parseCsvField` gives it back. Control characters become spaces.
 */
export function writeCsvField(raw: string): string {
  const text = raw.replaceAll(CONTROL, ' ');
  return writeDelimitedField(isFormula(text.replace(/^'+/, '')) ? `'${text}` : text, ',');
}

/** Reads a field that `writeCsvField` may have escaped. */
export function parseCsvField(text: string): string {
  return text.startsWith("'") && isFormula(text.replace(/^'+/, '')) ? text.slice(1) : text;
}

/** Quotes a field where the delimiter, a quote, a line end or a blank at either end needs it (RFC 4180). */
export function writeDelimitedField(text: string, delimiter: string): string {
  return text.includes(delimiter) || /["\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Several texts in one field, `a; "b; c"`: a text with the separator is in quotes. */
export function writeTexts(texts: readonly string[], separator: string): string {
  return texts.map((text) => writeDelimitedField(text, separator)).join(`${separator} `);
}

/** Reads what `writeTexts` wrote, without blank texts. Undefined: a quote is not closed. */
export function parseTexts(field: string, separator: string): string[] | undefined {
  const { rows, problems } = readRows(field, separator);
  if (problems.length > 0) return undefined;
  return rows.flatMap(({ cells }) => cells).filter((text) => text.trim() !== '');
}
