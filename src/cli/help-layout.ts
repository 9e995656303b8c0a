/** Fits a help to the terminal: texts break between words and keep their column; examples stay whole, to be copied. */
import { getTableWidth, measureWidth, print } from './terminal.ts';

/** A description needs this many characters beside its option; with fewer it stands below it. */
const ROOM_MIN = 24;
const STEP = 4;
/** Of the help of a command; lists of commands have no longest line. */
export const HELP_WIDTH = 120;
/** What stands before a form of the command. */
const USAGE = /^(?:Usage: | {7})(?=assayer )/;

interface Entry {
  /** The option or verb that the text explains, with its indentation; empty for a plain text. */
  readonly label: string;
  /** Where lines after the first begin. */
  readonly column: number;
  readonly text: string;
  /** Whether it is printed as it is: an example, or a command to copy. */
  readonly isFixed: boolean;
}

export function printHelp(help: string, widthMax = Infinity): void {
  print(wrapHelp(help, Math.min(getTableWidth(), widthMax)));
}

/** Each name with what it is, for a help. */
export function layRows(rows: readonly (readonly [name: string, meaning: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`).join('\n');
}

/** Breaks the lines that are longer than `width` characters. */
export function wrapHelp(help: string, width: number): string {
  if (help.split('\n').every((line) => measureWidth(line) <= width)) return help;
  return help
    .split('\n\n')
    .map((paragraph) => listEntries(paragraph).flatMap((entry) => layEntry(entry, width)))
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function listEntries(paragraph: string): readonly Entry[] {
  const entries: Entry[] = [];
  const isExample = /^\n?Examples?:/.test(paragraph);
  for (const line of paragraph.split('\n')) {
    const before = entries.at(-1);
    if (before !== undefined && isContinued(before, line))
      entries.splice(-1, 1, { ...before, text: `${before.text} ${line.trim()}` });
    else entries.push(readEntry(line, isExample));
  }
  return entries;
}

/** Whether the line is more of the same text: it begins where that text began. */
function isContinued(before: Entry, line: string): boolean {
  if (before.isFixed || before.text.endsWith(':') || / {2}/.test(line.trim())) return false;
  if (USAGE.test(line)) return false;
  const indent = getIndent(line);
  return before.label === '' ? indent === 0 && before.column === 0 : indent === before.column;
}

function readEntry(line: string, isExample: boolean): Entry {
  const indent = getIndent(line);
  const [, label = '', gap = '', text = ''] = /^(\s*\S+(?: \S+)*)( {2,})(\S.*)$/.exec(line) ?? [];
  if (isExample || text.startsWith('assayer ')) return { label: '', column: 0, text: line, isFixed: true };
  if (label !== '') return { label, column: measureWidth(label + gap), text, isFixed: false };
  const usage = USAGE.exec(line)?.[0] ?? '';
  if (usage !== '')
    return { label: usage.trimEnd(), column: usage.length, text: line.slice(usage.length), isFixed: false };
  return {
    label: '',
    column: indent === 0 ? 0 : indent + STEP,
    text: line,
    isFixed: false,
  };
}

function layEntry({ label, column, text, isFixed }: Entry, width: number): readonly string[] {
  if (isFixed) return [text];
  const isUsage = text.startsWith('assayer ');
  if (label === '' && !isUsage) return fillLines(text.trim(), { first: getIndent(text), column, width });
  if (isUsage) return fillUsage(label, text, { column, width });
  const longest = Math.max(...text.split(' ').map(measureWidth));
  if (width - column >= Math.max(ROOM_MIN, longest))
    return startWith(label.padEnd(column), fillLines(text, { first: column, column, width }));
  const below = getIndent(label) + STEP;
  return [label, ...fillLines(text, { first: below, column: below, width })];
}

/** An option and its value in brackets stay together. */
function fillUsage(
  label: string,
  text: string,
  { column, width }: { readonly column: number; readonly width: number },
): readonly string[] {
  const words = text.match(/\[(?:[^[\]]|\[[^\]]*\])*\]\S*|\S+/g) ?? [];
  return startWith(label.padEnd(column), fill(words, { first: column, column: column + STEP, width }));
}

function startWith(start: string, [first = '', ...rest]: readonly string[]): readonly string[] {
  return [`${start}${first.trimStart()}`, ...rest];
}

interface Place {
  readonly first: number;
  readonly column: number;
  readonly width: number;
}

function fillLines(text: string, place: Place): readonly string[] {
  return fill(
    text.split(/\s+/).filter((word) => word !== ''),
    place,
  );
}

/** Puts as many words into each line as fit; a word that is longer than a line stands alone. */
function fill(words: readonly string[], { first, column, width }: Place): readonly string[] {
  const lines: string[] = [];
  let line = ' '.repeat(first);
  let isEmpty = true;
  for (const word of words) {
    if (!isEmpty && measureWidth(line) + 1 + measureWidth(word) > width) {
      lines.push(line);
      line = ' '.repeat(column);
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}

function getIndent(line: string): number {
  return line.length - line.trimStart().length;
}

/** The word as a shell takes it. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
