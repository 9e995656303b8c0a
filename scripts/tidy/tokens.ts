/**
 * Splits TypeScript into tokens, so that the rules see code and never the inside of a string, a comment or a
 * regular expression. It knows no grammar beyond what telling those apart needs.
 */
export type TokenKind = 'word' | 'number' | 'string' | 'template' | 'template-end' | 'regex' | 'mark';

export interface Token {
  readonly kind: TokenKind;
  /** Of a string or a template: its content, each `${…}` of a template written as `${}`. */
  readonly text: string;
  readonly line: number;
}

/** Longest first. */
const MARKS = '... === !== **= ??= ||= &&= => == != <= >= && || ?? ?. ++ -- ** += -= *= /= |= ^='.split(' ');
const WORD = /[\p{ID_Start}$_#][\p{ID_Continue}$]*/uy;
const NUMBER = /\d[\w.]*/y;
/** Words after which a value begins, so that `/` opens a regular expression and `!` negates. */
const BEFORE_A_VALUE = new Set(
  'return typeof case in of do else await yield void delete instanceof new throw default extends as is'.split(
    ' ',
  ),
);

export function tokenize(text: string): readonly Token[] {
  return new Scanner(text).scan();
}

/** Whether an expression can end with this token. */
export function endsValue(token: Token | undefined): boolean {
  if (token === undefined || token.kind === 'template') return false;
  if (token.kind === 'word') return !BEFORE_A_VALUE.has(token.text);
  return token.kind !== 'mark' || [')', ']', '++', '--'].includes(token.text);
}

class Scanner {
  readonly #text: string;
  readonly #tokens: Token[] = [];
  /** For every open `${`: how many plain braces are open inside it. */
  readonly #holes: number[] = [];
  /** For every open template: where its token stands and what has been read of it. */
  readonly #templates: { index: number; content: string }[] = [];
  #at = 0;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): readonly Token[] {
    if (this.#text.startsWith('#!')) this.#skipTo('\n');
    while (this.#at < this.#text.length) this.#step();
    return this.#tokens;
  }

  #step(): void {
    const char = this.#text[this.#at] ?? '';
    if (char === '\n' || char.trim() === '') this.#advance(1);
    else if (this.#text.startsWith('//', this.#at)) this.#skipTo('\n');
    else if (this.#text.startsWith('/*', this.#at)) this.#skipTo('*/', 2);
    else if (char === "'" || char === '"') this.#string(char);
    else if (char === '`') this.#openTemplate();
    else if (char === '/' && !endsValue(this.#tokens.at(-1))) this.#regex();
    else if (!this.#match(WORD, 'word') && !this.#match(NUMBER, 'number')) this.#mark(char);
  }

  #advance(count: number): void {
    for (const end = this.#at + count; this.#at < end; this.#at += 1) {
      if (this.#text[this.#at] === '\n') this.#line += 1;
    }
  }

  #skipTo(end: string, extra = 0): void {
    const found = this.#text.indexOf(end, this.#at + extra);
    this.#advance((found === -1 ? this.#text.length : found + extra) - this.#at);
  }

  #push(kind: TokenKind, text: string): void {
    this.#tokens.push({ kind, text, line: this.#line });
  }

  #match(pattern: RegExp, kind: TokenKind): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return false;
    this.#push(kind, found);
    this.#advance(found.length);
    return true;
  }

  #string(quote: string): void {
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text[end] !== quote && this.#text[end] !== '\n') {
      end += this.#text[end] === '\\' ? 2 : 1;
    }
    this.#push('string', this.#text.slice(this.#at + 1, end));
    this.#advance(end + 1 - this.#at);
  }

  #regex(): void {
    let end = this.#at + 1;
    for (let inClass = false; end < this.#text.length && this.#text[end] !== '\n'; end += 1) {
      const char = this.#text[end];
      if (char === '\\') end += 1;
      else if (char === '[') inClass = true;
      else if (char === ']') inClass = false;
      else if (char === '/' && !inClass) break;
    }
    this.#push('regex', this.#text.slice(this.#at + 1, end));
    this.#advance(end + 1 - this.#at);
    while (/[a-z]/.test(this.#text[this.#at] ?? '')) this.#advance(1);
  }

  #openTemplate(): void {
    this.#templates.push({ index: this.#tokens.length, content: '' });
    this.#push('template', '');
    this.#advance(1);
    this.#readTemplate();
  }

  /** Reads template text up to its end or its next `${`. */
  #readTemplate(): void {
    const template = this.#templates.at(-1);
    if (template === undefined) return;
    while (this.#at < this.#text.length) {
      if (this.#text[this.#at] === '`') return this.#closeTemplate();
      if (this.#text.startsWith('${', this.#at)) {
        template.content += '${}';
        this.#push('mark', '${');
        this.#holes.push(0);
        return this.#advance(2);
      }
      const length = this.#text[this.#at] === '\\' ? 2 : 1;
      template.content += this.#text.slice(this.#at, this.#at + length);
      this.#advance(length);
    }
  }

  #closeTemplate(): void {
    const template = this.#templates.pop();
    const opening = template === undefined ? undefined : this.#tokens[template.index];
    if (template !== undefined && opening !== undefined) {
      this.#tokens[template.index] = { ...opening, text: template.content };
    }
    this.#push('template-end', '`');
    this.#advance(1);
  }

  #mark(char: string): void {
    const text = MARKS.find((mark) => this.#text.startsWith(mark, this.#at)) ?? char;
    this.#push('mark', text);
    this.#advance(text.length);
    const open = this.#holes.at(-1);
    if (open === undefined) return;
    if (text === '{') this.#holes[this.#holes.length - 1] = open + 1;
    if (text === '}' && open > 0) this.#holes[this.#holes.length - 1] = open - 1;
    if (text === '}' && open === 0) {
      this.#holes.pop();
      this.#readTemplate();
    }
  }
}

const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '${': '}' };

/** For every opening bracket the index of the one that closes it. */
export function matchBrackets(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const open: { index: number; closer: string }[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'mark') continue;
    const closer = CLOSERS[token.text];
    if (closer !== undefined) open.push({ index, closer });
    else if (open.at(-1)?.closer === token.text) {
      const opening = open.pop();
      if (opening !== undefined) pairs.set(opening.index, index);
    }
  }
  return pairs;
}

/** Whether the tokens from `at` on read like this; words and marks only: `isAt(tokens, at, 'Date', '.', 'now')`. */
export function isAt(tokens: readonly Token[], at: number, ...texts: readonly string[]): boolean {
  return texts.every((text, offset) => {
    const token = tokens[at + offset];
    return token?.text === text && (token.kind === 'word' || token.kind === 'mark');
  });
}
