/**
 * What a command runs in: its streams and its environment, by default those of the process. Data goes to standard
 * output, everything else to standard error, colors only to a terminal.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { readEnvironment } from '#settings/environment.ts';

type Input = Readable & { readonly isTTY?: boolean };
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface Terminal {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

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
export async function readStandardInput(): Promise<string> {
  return (await buffer(getTerminal().stdin)).toString('utf8');
}

export type Style = (text: string) => string;

export interface Palette {
  readonly bold: Style;
  readonly dim: Style;
  readonly red: Style;
  readonly green: Style;
  readonly yellow: Style;
  readonly cyan: Style;
}

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
  const { isTTY = false, columns = Infinity } = getTerminal().stdout;
  return isTTY ? columns : Infinity;
}

export function print(text: string): void {
  getTerminal().stdout.write(`${text}\n`);
}

export function printNote(text: string): void {
  getTerminal().stderr.write(`${text}\n`);
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

/** At most `width` characters; a shortened text ends with an ellipsis. */
export function shortenText(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

/** One line at the bottom of the terminal that is redrawn; it prints nothing elsewhere. */
export class LiveLine {
  readonly #stream = getTerminal().stderr;
  readonly isLive =
    this.#stream.isTTY === true &&
    getTerminal().stdout.isTTY === true &&
    getTerminal().environment['TERM'] !== 'dumb';
  #isDrawn = false;

  /**
   * Draws the parts in one line, cut to the terminal's width; styles are added afterwards, so that they are never
   * cut.
   */
  draw(parts: readonly (readonly [text: string, style: Style])[]): void {
    if (!this.isLive) return;
    let room = (this.#stream.columns ?? Infinity) - 1;
    let line = '';
    for (const [text, style] of parts) {
      const shown = shortenText(text, room);
      room -= Array.from(shown).length;
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
