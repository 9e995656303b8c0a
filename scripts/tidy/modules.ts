/** What a file imports and exports, read from its tokens. */
import { isAt, type Token } from './tokens.ts';

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** `address`: a file named by `new URL('…', import.meta.url)`, such as the entry of a worker thread. */
  readonly how: 'static' | 'again' | 'dynamic' | 'address';
  readonly typeOnly: boolean;
  /** The names taken; `*` stands for every one. */
  readonly names: readonly string[];
}

export interface Export {
  readonly name: string;
  readonly line: number;
  readonly isType: boolean;
}

export interface Module {
  readonly imports: readonly Import[];
  readonly exports: readonly Export[];
}

interface Named {
  readonly name: string;
  readonly local: string;
  readonly isType: boolean;
  readonly line: number;
}

export function readModule(tokens: readonly Token[]): Module {
  const imports: Import[] = [];
  const exports: Export[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== 'word' || isAt(tokens, at - 1, '.')) continue;
    if (token.text === 'import') addImport(tokens, at, imports);
    else if (token.text === 'export') addExport(tokens, at, imports, exports);
    else if (isAt(tokens, at, 'new', 'URL', '(')) addAddress(tokens, at, imports);
  }
  return { imports, exports };
}

function addImport(tokens: readonly Token[], at: number, imports: Import[]): void {
  const line = tokens[at]?.line ?? 0;
  const next = tokens[at + 1];
  if (next?.kind === 'string') {
    imports.push({ specifier: next.text, line, how: 'static', typeOnly: false, names: [] });
  } else if (isAt(tokens, at + 1, '(')) {
    const target = tokens[at + 2];
    if (target?.kind !== 'string') return;
    imports.push({ specifier: target.text, line, how: 'dynamic', typeOnly: false, names: ['*'] });
  } else if (!isAt(tokens, at + 1, '.')) {
    const from = fromClause(tokens, at);
    if (from !== undefined) imports.push(readStaticImport(tokens, at, from));
  }
}

/** The index of the `from` that ends the clause beginning at `at`. */
function fromClause(tokens: readonly Token[], at: number): number | undefined {
  for (let index = at + 1; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token?.text === 'from' && tokens[index + 1]?.kind === 'string') return index;
    if (token?.kind !== 'word' && !['{', '}', ',', '*'].includes(token?.text ?? '')) return undefined;
  }
  return undefined;
}

function readStaticImport(tokens: readonly Token[], at: number, from: number): Import {
  const wholeType = isAt(tokens, at + 1, 'type') && from > at + 2;
  const start = at + (wholeType ? 2 : 1);
  const names: string[] = [];
  let everyType = true;
  for (const named of readNames(tokens, start, from)) {
    names.push(named.name);
    everyType &&= named.isType;
  }
  const first = tokens[start];
  if (first?.kind === 'word') {
    names.push('default');
    everyType = false;
  }
  for (let index = start; index < from; index += 1) {
    if (!isAt(tokens, index, '*', 'as')) continue;
    names.push(...findUsedMembers(tokens, tokens[index + 2]?.text ?? '', from));
    everyType = false;
  }
  const specifier = tokens[from + 1]?.text ?? '';
  return { specifier, line: tokens[at]?.line ?? 0, how: 'static', typeOnly: wholeType || everyType, names };
}

/** The entries of `{ a, type B, c as d }` between two indexes. */
function readNames(tokens: readonly Token[], start: number, end: number): Named[] {
  const found: Named[] = [];
  let words: Token[] = [];
  let inside = false;
  for (let index = start; index < end; index += 1) {
    const token = tokens[index];
    if (token === undefined) break;
    if (token.kind === 'word' && inside) words.push(token);
    if (token.text === '{') inside = true;
    if (token.text !== ',' && token.text !== '}') continue;
    const isType = words.length > 1 && words[0]?.text === 'type' && words[1]?.text !== 'as';
    const [name, , local] = isType ? words.slice(1) : words;
    if (name !== undefined) {
      found.push({ name: name.text, local: local?.text ?? name.text, isType, line: name.line });
    }
    words = [];
    if (token.text === '}') break;
  }
  return found;
}

/** The members a file takes from a namespace import; everything when the namespace itself is handed on. */
function findUsedMembers(tokens: readonly Token[], namespace: string, after: number): string[] {
  const members: string[] = [];
  for (let index = after; index < tokens.length; index += 1) {
    if (!isAt(tokens, index, namespace) || isAt(tokens, index - 1, '.')) continue;
    if (!isAt(tokens, index + 1, '.') && !isAt(tokens, index + 1, '?.')) return ['*'];
    members.push(tokens[index + 2]?.text ?? '');
  }
  return members;
}

const DECLARATIONS = new Set('const let var function class interface type enum'.split(' '));
const MODIFIERS = new Set('async abstract declare'.split(' '));

function addExport(tokens: readonly Token[], at: number, imports: Import[], exports: Export[]): void {
  const line = tokens[at]?.line ?? 0;
  let next = at + 1;
  while (MODIFIERS.has(tokens[next]?.text ?? '')) next += 1;
  const typeClause = isAt(tokens, next, 'type', '{') || isAt(tokens, next, 'type', '*');
  if (typeClause) next += 1;
  const word = tokens[next]?.text ?? '';
  if (word === 'default') exports.push({ name: 'default', line, isType: false });
  else if (word === '*' || word === '{') addClause(tokens, next, typeClause, imports, exports);
  else if (DECLARATIONS.has(word)) {
    const name = tokens[next + (isAt(tokens, next + 1, '*') ? 2 : 1)];
    if (name?.kind !== 'word') return;
    exports.push({ name: name.text, line: name.line, isType: word === 'interface' || word === 'type' });
  }
}

function addClause(
  tokens: readonly Token[],
  at: number,
  typeOnly: boolean,
  imports: Import[],
  exports: Export[],
): void {
  const line = tokens[at]?.line ?? 0;
  const from = fromClause(tokens, at - 1);
  const named = readNames(tokens, at, tokens.length);
  const isStar = isAt(tokens, at, '*');
  if (isStar && isAt(tokens, at + 1, 'as')) {
    exports.push({ name: tokens[at + 2]?.text ?? '', line, isType: false });
  }
  if (!isStar) {
    exports.push(
      ...named.map((entry) => ({ ...entry, name: entry.local, isType: typeOnly || entry.isType })),
    );
  }
  if (from === undefined) return;
  const names = isStar ? ['*'] : named.map((entry) => entry.name);
  imports.push({ specifier: tokens[from + 1]?.text ?? '', line, how: 'again', typeOnly, names });
}

function addAddress(tokens: readonly Token[], at: number, imports: Import[]): void {
  const target = tokens[at + 3];
  // An address may also name a folder or data; only code is followed.
  if (target?.kind !== 'string' || !/\.(?:ts|mjs)$/.test(target.text)) return;
  if (!isAt(tokens, at + 4, ',', 'import', '.', 'meta')) return;
  imports.push({
    specifier: target.text,
    line: tokens[at]?.line ?? 0,
    how: 'address',
    typeOnly: false,
    names: [],
  });
}
