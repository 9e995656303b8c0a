/** TypeScript in tokens, by the scanner of its compiler: the rules see code and never the inside of a string or comment. */
import { SyntaxKind } from 'typescript-compiler/unstable/ast';
import { createScanner } from 'typescript-compiler/unstable/ast/scanner';

export type TokenKind = 'word' | 'number' | 'string' | 'template' | 'template-end' | 'regex' | 'mark';

export interface Token {
  readonly kind: TokenKind;
  /** Of a string or a template: its content, each `${…}` of a template written as `${}`. */
  readonly text: string;
  readonly line: number;
}

/** Words after which a value begins, so that `/` opens a regular expression and `!` negates. */
const BEFORE_A_VALUE = new Set(
  'return typeof case in of do else await yield void delete instanceof new throw default extends as is'.split(
    ' ',
  ),
);

/** Whether an expression can end with this token. */
export function isValueEnd(token: Token | undefined): boolean {
  if (token === undefined || token.kind === 'template') return false;
  if (token.kind === 'word') return !BEFORE_A_VALUE.has(token.text);
  return token.kind !== 'mark' || [')', ']', '++', '--'].includes(token.text);
}

export function tokenize(text: string): readonly Token[] {
  return new Reader(text).read();
}

/** What the compiler's parser decides while it scans: what a slash begins, and where the hole of a template ends. */
class Reader {
  readonly #text: string;
  readonly #scanner;
  readonly #tokens: Token[] = [];
  /** For every open template: where its token stands, and how many plain braces are open in its present hole. */
  readonly #templates: { readonly index: number; braces: number }[] = [];
  #line = 1;
  #counted = 0;

  constructor(text: string) {
    this.#text = text;
    this.#scanner = createScanner(true, undefined, text);
  }

  read(): readonly Token[] {
    for (let kind = this.#scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = this.#scanner.scan())
      this.#take(kind);
    return this.#tokens;
  }

  #take(kind: SyntaxKind): void {
    const isSlash = kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken;
    if (isSlash && !isValueEnd(this.#tokens.at(-1))) return this.#takeRegex();
    if (kind === SyntaxKind.GreaterThanToken && this.#isAt('>=')) this.#scanner.reScanGreaterToken();
    if (kind === SyntaxKind.StringLiteral) return this.#push('string', this.#getSource().slice(1, -1));
    if (kind === SyntaxKind.NoSubstitutionTemplateLiteral) return this.#takeWholeTemplate();
    if (kind === SyntaxKind.TemplateHead) return this.#openTemplate();
    if (kind === SyntaxKind.NumericLiteral || kind === SyntaxKind.BigIntLiteral)
      return this.#push('number', this.#getSource());
    const isWord =
      kind === SyntaxKind.Identifier ||
      kind === SyntaxKind.PrivateIdentifier ||
      (kind >= SyntaxKind.FirstKeyword && kind <= SyntaxKind.LastKeyword);
    if (isWord) return this.#push('word', this.#getSource());
    this.#takeMark();
  }

  #getSource(): string {
    return this.#text.slice(this.#scanner.getTokenStart(), this.#scanner.getTokenEnd());
  }

  #isAt(text: string): boolean {
    return this.#text.startsWith(text, this.#scanner.getTokenStart());
  }

  #push(kind: TokenKind, text: string, at = this.#scanner.getTokenStart()): void {
    for (; this.#counted < at; this.#counted += 1) if (this.#text[this.#counted] === '\n') this.#line += 1;
    this.#tokens.push({ kind, text, line: this.#line });
  }

  #takeRegex(): void {
    this.#scanner.reScanSlashToken();
    const source = this.#getSource();
    this.#push('regex', source.slice(1, source.lastIndexOf('/')));
  }

  #takeWholeTemplate(): void {
    this.#push('template', this.#getSource().slice(1, -1));
    this.#push('template-end', '`', this.#scanner.getTokenEnd() - 1);
  }

  #openTemplate(): void {
    this.#templates.push({ index: this.#tokens.length, braces: 0 });
    this.#push('template', `${this.#getSource().slice(1, -2)}\${}`);
    this.#push('mark', '${', this.#scanner.getTokenEnd() - 2);
  }

  #takeMark(): void {
    const template = this.#templates.at(-1);
    const text = this.#getSource();
    this.#push('mark', text);
    if (template === undefined || (text !== '{' && text !== '}')) return;
    if (text === '}' && template.braces === 0) return this.#continueTemplate(template);
    template.braces += text === '{' ? 1 : -1;
  }

  /** The text after a hole, up to the next hole or the end. */
  #continueTemplate({ index }: { readonly index: number }): void {
    const isEnd = this.#scanner.reScanTemplateToken(false) === SyntaxKind.TemplateTail;
    const source = this.#getSource();
    const opening = this.#tokens[index];
    const content = isEnd ? source.slice(1, -1) : `${source.slice(1, -2)}\${}`;
    if (opening !== undefined) this.#tokens[index] = { ...opening, text: opening.text + content };
    if (isEnd) {
      this.#templates.pop();
      this.#push('template-end', '`', this.#scanner.getTokenEnd() - 1);
    } else this.#push('mark', '${', this.#scanner.getTokenEnd() - 2);
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
