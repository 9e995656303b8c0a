/**
 * Functions begin with a verb: those at the top of a file, and in `src/` also methods of interfaces and classes and
 * functions inside functions.
 */
import { isAt, matchBrackets, type Token } from '../tokens.ts';
import type { Finding, Rule, Source } from '../tree.ts';
import { KNOWN_NAMES, PREDICATES, VERBS } from '../words.ts';

const RULE = 'function-name';

export const nameRules: Rule = {
  names: [RULE],
  check: (tree) => tree.sources.flatMap(checkNames),
};

interface Named {
  readonly name: string;
  readonly line: number;
}

function checkNames(source: Source): Finding[] {
  const pairs = matchBrackets(source.tokens);
  const found = [
    ...listTopFunctions(source.tokens, pairs),
    ...(source.path.startsWith('src/') ? listMethods(source.tokens, pairs) : []),
    ...(isShipped(source.path) ? listLocalFunctions(source.tokens, pairs) : []),
  ];
  return found.flatMap(({ name, line }) => {
    const problem = findNameProblem(name);
    return problem === undefined ? [] : [{ rule: RULE, file: source.path, line, message: problem }];
  });
}

/** In a test a short local function is read beside its use, so its name is free. */
function isShipped(path: string): boolean {
  return path.startsWith('src/') && !path.endsWith('.test.ts');
}

/** Describes what is wrong with the name of a function; undefined when nothing is. */
function findNameProblem(name: string): string | undefined {
  const bare = name.replace(/^#/, '');
  if (bare.length === 1 || /^[A-Z]/.test(bare) || KNOWN_NAMES.has(bare)) return undefined;
  const first = /^[a-z]+/.exec(bare)?.[0] ?? '';
  if (PREDICATES.has(first)) return undefined;
  if (bare.endsWith('Of')) return `${name} ends in "Of": ${suggestName(bare.slice(0, -2))}`;
  return VERBS.has(first) ? undefined : `${name} does not begin with a verb: ${suggestName(bare)}`;
}

function suggestName(noun: string): string {
  const capital = noun.charAt(0).toUpperCase() + noun.slice(1);
  return `call it get${capital}, find${capital}, compute${capital} or format${capital}, whichever is true`;
}

function listTopFunctions(tokens: readonly Token[], pairs: ReadonlyMap<number, number>): Named[] {
  const found: Named[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const name = tokens[at + (isAt(tokens, at + 1, '*') ? 2 : 1)];
    const isFunction =
      isAt(tokens, at, 'function') || (isAt(tokens, at, 'const') && isArrow(tokens, pairs, at));
    if (isFunction && name?.kind === 'word') found.push({ name: name.text, line: name.line });
    at = pairs.get(at) ?? at;
  }
  return found;
}

/** Lists constants inside brackets that are functions; `for (const each of …)` and destructuring are none. */
function listLocalFunctions(tokens: readonly Token[], pairs: ReadonlyMap<number, number>): Named[] {
  const known = new Set(listTopFunctions(tokens, pairs).map(({ name, line }) => `${name}:${line}`));
  return tokens.flatMap((token, at) => {
    const name = tokens[at + 1];
    const isDeclared = isAt(tokens, at + 2, '=') || isAt(tokens, at + 2, ':');
    if (token.text !== 'const' || token.kind !== 'word' || name?.kind !== 'word' || !isDeclared) return [];
    if (known.has(`${name.text}:${name.line}`) || !isArrow(tokens, pairs, at)) return [];
    return [{ name: name.text, line: name.line }];
  });
}

/** Whether the constant at `at` is a function: `= (…) =>`, `= async x =>`, `= <T>(…): R =>`, `= function`. */
function isArrow(tokens: readonly Token[], pairs: ReadonlyMap<number, number>, at: number): boolean {
  let index = at + 2;
  while (index < tokens.length && !isAt(tokens, index, '=') && !isAt(tokens, index, ';'))
    index = (pairs.get(index) ?? index) + 1;
  index += 1;
  if (isAt(tokens, index, 'async')) index += 1;
  if (isAt(tokens, index, 'function') || isAt(tokens, index + 1, '=>')) return true;
  while (isAt(tokens, index, '<') || (index < tokens.length && isInTypeParameters(tokens, index))) index += 1;
  const close = isAt(tokens, index, '(') ? pairs.get(index) : undefined;
  return close !== undefined && (isAt(tokens, close + 1, '=>') || isAt(tokens, close + 1, ':'));
}

/** Whether a word or mark stands between `<` and `>(`, so that type parameters go on. */
function isInTypeParameters(tokens: readonly Token[], at: number): boolean {
  for (let back = at - 1; back >= 0; back -= 1) {
    if (isAt(tokens, back, '<')) return true;
    if (isAt(tokens, back, '>') || isAt(tokens, back, '=')) return false;
  }
  return false;
}

const BEFORE_METHODS = new Set('readonly async static public private protected override abstract'.split(' '));

function listMethods(tokens: readonly Token[], pairs: ReadonlyMap<number, number>): Named[] {
  const found: Named[] = [];
  for (const at of tokens.keys()) {
    if (!isAt(tokens, at, 'interface') && !isAt(tokens, at, 'class')) continue;
    if (isAt(tokens, at - 1, '.') || tokens[at + 1]?.kind !== 'word') continue;
    let open = at + 1;
    while (open < tokens.length && !isAt(tokens, open, '{') && !isAt(tokens, open, ';')) open += 1;
    const close = pairs.get(open);
    if (close !== undefined) found.push(...listMembers(tokens, pairs, open, close));
  }
  return found;
}

/** The methods, and the properties whose type is a function, directly between two braces. */
function listMembers(
  tokens: readonly Token[],
  pairs: ReadonlyMap<number, number>,
  open: number,
  close: number,
): Named[] {
  const found: Named[] = [];
  let begins = true;
  for (let at = open + 1; at < close; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    const isName = begins && token.kind === 'word' && !BEFORE_METHODS.has(token.text);
    if (isName && isMethod(tokens, pairs, at)) found.push({ name: token.text, line: token.line });
    begins = begins && (BEFORE_METHODS.has(token.text) || isAt(tokens, at, '*'));
    const end = pairs.get(at);
    if (end !== undefined) at = end;
    if (isAt(tokens, at, ';') || isAt(tokens, at, '}')) begins = true;
  }
  return found;
}

function isMethod(tokens: readonly Token[], pairs: ReadonlyMap<number, number>, at: number): boolean {
  const word = tokens[at]?.text;
  if (word === 'constructor' || word === 'get' || word === 'set' || word === 'new') return false;
  if (isAt(tokens, at + 1, '(') || isAt(tokens, at + 1, '<')) return true;
  const type = isAt(tokens, at + 1, ':') ? at + 2 : isAt(tokens, at + 1, '?', ':') ? at + 3 : undefined;
  if (type === undefined || !isAt(tokens, type, '(')) return false;
  return isAt(tokens, (pairs.get(type) ?? type) + 1, '=>');
}
