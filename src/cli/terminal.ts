/**
 * What a command runs in: its streams and its environment, by default those of the process. Data goes to standard
 * output, everything else to standard error, colors only to a terminal.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { isUtf8 } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import { readEnvironment } from '#settings/environment.ts';

type Input = Readable & { readonly isTTY?: boolean };
export type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

export interface Terminal {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Keeps notes until the command has succeeded. */
  readonly heldNotes?: string[] | undefined;
}

/** Far more than a request or an answer of the service holds. */
const INPUT_BYTES_MAX = 64 * 2 ** 20;
const ANSWER_BYTES_MAX = 256 * 2 ** 20;

const givenTerminals = new AsyncLocalStorage<Terminal>();

/** Runs the work with another terminal than that of the process. */
export function runInTerminal<Answer>(terminal: Terminal, work: () => Answer): Answer {
  return givenTerminals.run(terminal, work);
}

export function getTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  return givenTerminals.getStore() ?? { stdin, stdout, stderr, environment: readEnvironment() };
}

/** Reads standard input to its end. */
export async function readStandardInput(bytesMax?: number): Promise<string> {
  const { stdin } = getTerminal();
  if (stdin.readableEnded) throw new RangeError('it was read already; give it to one value alone');
  return readText(stdin, bytesMax);
}

/** Reads what a person gives. It may have no end, as /dev/zero. */
export async function readText(
  stream: AsyncIterable<Uint8Array>,
  bytesMax = INPUT_BYTES_MAX,
): Promise<string> {
  const bytes = await readAll(stream, bytesMax);
  // Letters of UTF-16 have a zero beside them, and its mark stands before the first.
  if (/^(?:fffe|feff|00..|..00)/.test(bytes.subarray(0, 2).toString('hex')))
    throw new TypeError('it is UTF-16: save as UTF-8');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const lines = bytes.toString('latin1').split('\n');
  const line = lines.findIndex((text) => !isUtf8(Buffer.from(text, 'latin1'))) + 1;
  throw new TypeError(`line ${line} is not UTF-8: save as UTF-8`);
}

/** Reads a stream to its end. The module of Node for this loads web streams. */
export async function readAll(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  bytesMax = ANSWER_BYTES_MAX,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    size += piece.length;
    if (size > bytesMax) {
      const limit = bytesMax < 2 ** 20 ? `${bytesMax / 2 ** 10} KiB` : `${bytesMax / 2 ** 20} MiB`;
      throw new RangeError(`it is larger than ${limit}`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

export type Style = (text: string) => string;

export type Palette = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', Style>>;

const stylePlain: Style = (text) => text;
const plainPalette: Palette = {
  bold: stylePlain,
  dim: stylePlain,
  red: stylePlain,
  green: stylePlain,
  yellow: stylePlain,
  cyan: stylePlain,
};

const createSgr =
  (on: number, off: number): Style =>
  (text) =>
    text === '' ? text : `\u001B[${on}m${text}\u001B[${off}m`;

const coloredPalette: Palette = {
  bold: createSgr(1, 22),
  dim: createSgr(2, 22),
  red: createSgr(31, 39),
  green: createSgr(32, 39),
  yellow: createSgr(33, 39),
  cyan: createSgr(36, 39),
};

/** https://no-color.org: any non-empty value turns colors off. */
export function getPalette(stream: Output): Palette {
  const { NO_COLOR, TERM } = getTerminal().environment;
  const isColored = (NO_COLOR === undefined || NO_COLOR === '') && TERM !== 'dumb';
  return stream.isTTY === true && isColored ? coloredPalette : plainPalette;
}

/** Width of the terminal for tables; infinite for a file or a pipe. */
export function getTableWidth(): number {
  const { isTTY = false, columns = 0 } = getTerminal().stdout;
  // Terminals that do not know their width call it 0.
  return isTTY && columns > 0 ? columns : Infinity;
}

export function print(text: string): void {
  getTerminal().stdout.write(`${text}\n`);
}

export function printNote(text: string): void {
  const { heldNotes, stderr } = getTerminal();
  if (heldNotes === undefined) stderr.write(`${text}\n`);
  else heldNotes.push(text);
}

// oxlint-disable-next-line no-control-regex -- the characters a terminal would obey, those of direction among them
const CONTROL = /[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g;

/** Foreign text without line breaks, control characters and controls of the direction of writing. */
export function toPlainText(text: string): string {
  return text.replaceAll(CONTROL, ' ');
}

/** Text of several lines, without other control characters. */
export function toPlainLines(text: string): string {
  return text.split('\n').map(toPlainText).join('\n');
}

const ONE_CELL_EACH = /^[\u0020-\u007E\u00A0-\u00AC\u00AE-\u02FF\u0370-\u0482\u2010-\u2027\u2030-\u205E]*$/;
/** Marks, joiners and selectors stand on the character before them. */
const NO_CELL = /^[\p{Mark}\p{Default_Ignorable_Code_Point}\u1160-\u11FF]$/u;
const HALF_WIDTH = /^[\uFF61-\uFFDC\uFFE8-\uFFEE]$/;
/** Wide and full width (Unicode, UAX #11), and what terminals draw as pictures. */
const TWO_CELLS =
  /^[\u3000-\u303E\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Yi}\p{Emoji_Presentation}]$/u;

/** The cells of a terminal that a text takes: two for each wide character, none for a mark on another one. */
export function measureWidth(text: string): number {
  if (ONE_CELL_EACH.test(text)) return text.length;
  return Array.from(text).reduce((cells, character) => cells + measureCharacter(character), 0);
}

function measureCharacter(character: string): number {
  if (NO_CELL.test(character)) return 0;
  return TWO_CELLS.test(character) && !HALF_WIDTH.test(character) ? 2 : 1;
}

/** At most `width` cells; a shortened text ends with an ellipsis. */
export function shortenText(text: string, width: number): string {
  if (measureWidth(text) <= width) return text;
  if (width <= 1) return '…'.repeat(Math.max(0, width));
  return `${breakText(text, width - 1)[0] ?? ''}…`;
}

/** Breaks a text into pieces of at most `width` cells; a character that is wider than that is a piece. */
export function breakText(text: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let room = width;
  for (const character of text) {
    const cells = measureCharacter(character);
    if (cells > room && piece !== '') {
      pieces.push(piece);
      piece = '';
      room = width;
    }
    piece += character;
    room -= cells;
  }
  return [...pieces, piece];
}

/** Breaks a text between words into lines of at most `width` cells; a word that is longer is broken. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && measureWidth(last) + 1 + measureWidth(word) <= width)
      lines.splice(-1, 1, `${last} ${word}`);
    else lines.push(...breakText(word, width));
  }
  return lines;
}

/** Of a terminal that does not know its own. */
const USUAL_WIDTH = 80;

/** One line at the bottom of the terminal that is redrawn; it prints nothing elsewhere. */
export class LiveLine {
  readonly #stream = getTerminal().stderr;
  readonly isLive = this.#stream.isTTY === true && getTerminal().environment['TERM'] !== 'dumb';
  #isDrawn = false;

  /**
   * Draws the parts in one line, cut to the terminal's width; styles are added afterwards, so that they are never
   * cut.
   */
  draw(parts: readonly (readonly [text: string, style: Style])[]): void {
    if (!this.isLive) return;
    let room = (this.#stream.columns || USUAL_WIDTH) - 1;
    let line = '';
    for (const [text, style] of parts) {
      const shown = shortenText(text, room);
      room -= measureWidth(shown);
      line += style(shown);
      if (room <= 0) break;
    }
    this.#stream.write(`\r\u001B[2K${line}`);
    this.#isDrawn = true;
  }

  clear(): void {
    if (this.#isDrawn) this.#stream.write('\r\u001B[2K');
    this.#isDrawn = false;
  }
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

export function drawSpinner(tick: number): string {
  return SPINNER[tick % SPINNER.length] ?? '';
}

/** Such as `████████░░░░`, filled in eighths of a cell. */
export function drawBar(share: number, width: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * width * 8);
  const partial = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8] ?? '';
  return `${'█'.repeat(Math.floor(eighths / 8))}${partial}`.padEnd(width, '░');
}
