import { formatExcerpt, FilterError, type FilterErrorCode } from './errors.ts';
import { limits } from './limits.ts';

export interface ScannedValue {
  readonly text: string;
  readonly quoted: boolean;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

function isSpace(character: string): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r';
}

function isNameStart(character: string): boolean {
  return (
    (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') || character === '_'
  );
}

function isNamePart(character: string): boolean {
  return isNameStart(character) || (character >= '0' && character <= '9') || character === '.';
}

/** Rejects text that the language never allows: over-long input, NUL, broken surrogate pairs. */
export function checkText(text: string, path: string, code: FilterErrorCode): void {
  if (text.length > limits.filterBytes || Buffer.byteLength(text) > limits.filterBytes) {
    const message = `is longer than ${limits.filterBytes} bytes; shorten it or split the request.`;
    throw new FilterError({ code: 'filter_too_long', path, message });
  }
  const nul = text.indexOf('\u0000');
  if (nul !== -1) {
    throw new FilterError({ code, path, position: nul + 1, message: 'NUL characters are not allowed.' });
  }
  if (!text.isWellFormed()) {
    throw new FilterError({ code, path, message: 'is not well-formed Unicode.' });
  }
}

/** Reads names, values and punctuation from one parameter, each character once. */
export class Scanner {
  readonly path: string;
  readonly #text: string;
  readonly #code: FilterErrorCode;
  #index = 0;

  constructor(text: string, path: string, code: FilterErrorCode) {
    checkText(text, path, code);
    this.#text = text;
    this.path = path;
    this.#code = code;
  }

  /** 1-based position of the next character. */
  get position(): number {
    return this.#index + 1;
  }

  peek(): string {
    return this.#text.charAt(this.#index);
  }

  skipSpace(): void {
    while (this.#index < this.#text.length && isSpace(this.peek())) this.#index += 1;
  }

  isAtEnd(): boolean {
    this.skipSpace();
    return this.#index >= this.#text.length;
  }

  /** Consumes the character if it is next, ignoring spaces before it. */
  take(character: string): boolean {
    this.skipSpace();
    if (this.peek() !== character) return false;
    this.#index += 1;
    return true;
  }

  expect(character: string, purpose: string): void {
    if (!this.take(character)) this.fail(`expected "${character}" ${purpose}`);
  }

  /** Returns a name, or '' when none starts here. */
  readName(): string {
    this.skipSpace();
    const start = this.#index;
    if (!isNameStart(this.peek())) return '';
    while (this.#index < this.#text.length && isNamePart(this.peek())) this.#index += 1;
    return this.#text.slice(start, this.#index);
  }

  /** Returns a quoted value, or a bare one up to the next comma or parenthesis. A bare value may be ''. */
  readValue(): ScannedValue {
    this.skipSpace();
    const quote = this.peek();
    if (quote === "'" || quote === '"') return { text: this.#readQuoted(quote), quoted: true };
    const start = this.#index;
    let end = start;
    while (this.#index < this.#text.length) {
      const character = this.peek();
      if (character === ',' || character === '(' || character === ')') break;
      this.#index += 1;
      if (!isSpace(character)) end = this.#index;
    }
    return { text: this.#text.slice(start, end), quoted: false };
  }

  #readQuoted(quote: string): string {
    const opened = this.position;
    const parts: string[] = [];
    this.#index += 1;
    let from = this.#index;
    for (;;) {
      if (this.#index >= this.#text.length) {
        this.fail(`the quoted value that starts here has no closing ${quote}`, opened);
      }
      const character = this.peek();
      if (character === '\\') {
        parts.push(this.#text.slice(from, this.#index), this.#escape());
        from = this.#index;
      } else if (character === quote) {
        parts.push(this.#text.slice(from, this.#index));
        this.#index += 1;
        if (this.peek() !== quote) return parts.join('');
        // A doubled quote stands for itself, as in SQL.
        from = this.#index;
        this.#index += 1;
      } else {
        this.#index += 1;
      }
    }
  }

  #escape(): string {
    const letter = this.#text.charAt(this.#index + 1);
    const plain = escapes.get(letter);
    if (plain !== undefined) {
      this.#index += 2;
      return plain;
    }
    const hex = this.#text.slice(this.#index + 2, this.#index + 6);
    if (letter !== 'u' || !/^[0-9a-fA-F]{4}$/.test(hex)) {
      this.fail(String.raw`expected one of the escapes \\ \' \" \n \r \t \uXXXX`);
    }
    const unit = Number.parseInt(hex, 16);
    if (unit === 0 || (unit >= 0xd800 && unit <= 0xdfff)) {
      this.fail(String.raw`\u escapes may not name NUL or half of a surrogate pair`);
    }
    this.#index += 6;
    return String.fromCharCode(unit);
  }

  /** Describes what follows the cursor, for the end of a message. */
  describeNext(): string {
    this.skipSpace();
    if (this.#index >= this.#text.length) return 'the end';
    return formatExcerpt(this.#text.slice(this.#index, this.#index + 20));
  }

  /** Without a position the message refers to the next character and quotes it. */
  fail(problem: string, position?: number, hint = ''): never {
    const isAtCursor = position === undefined;
    if (isAtCursor) this.skipSpace();
    const message = isAtCursor ? `${problem}, found ${this.describeNext()}.` : `${problem}.`;
    throw new FilterError({
      code: this.#code,
      path: this.path,
      position: position ?? this.position,
      message: message + hint,
    });
  }
}
