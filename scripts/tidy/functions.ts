/** Where the functions of a file begin and end: declarations, arrows and methods. */
import { isValueEnd, isAt, matchBrackets, type Token } from './tokens.ts';

export interface FunctionSpan {
  readonly name: string;
  readonly startLine: number;
  readonly endLine: number;
}

const NOT_METHODS = new Set(
  'if for while switch catch with await return typeof function super import new in of do else'.split(' '),
);

export function findFunctions(tokens: readonly Token[]): readonly FunctionSpan[] {
  const pairs = matchBrackets(tokens);
  const opening = new Map([...pairs].map(([open, close]) => [close, open]));
  const spans: FunctionSpan[] = [];
  const add = (name: string, start: number, end: number | undefined): void => {
    const first = tokens[start];
    const last = end === undefined ? undefined : tokens[end];
    if (first !== undefined && last !== undefined)
      spans.push({ name, startLine: first.line, endLine: last.line });
  };
  for (const [at, token] of tokens.entries()) {
    if (isAt(tokens, at, '=>')) {
      const start = opening.get(at - 1) ?? at - 1;
      if (!isSuite(tokens, start)) add('an arrow function', start, findArrowEnd(tokens, pairs, at));
    } else if (token.kind === 'word' && !isAt(tokens, at - 1, '.')) {
      const open = findParameters(tokens, at);
      if (open === undefined) continue;
      const name = token.text === 'function' ? (tokens[at + 1]?.text ?? '') : token.text;
      add(name === '(' ? 'a function' : name, at, findBodyEnd(tokens, pairs, pairs.get(open)));
    }
  }
  return spans;
}

/** The callback of `describe('…', () => …)` holds tests; it is no more a function than a file is. */
function isSuite(tokens: readonly Token[], start: number): boolean {
  return ['describe', 'suite'].some(
    (word) => isAt(tokens, start - 4, word, '(') && isAt(tokens, start - 1, ','),
  );
}

/** The index of the `(` of the parameters, when a function or a method may begin at `at`. */
function findParameters(tokens: readonly Token[], at: number): number | undefined {
  const word = tokens[at]?.text ?? '';
  let next = at + 1;
  if (word === 'function') {
    while (tokens[next]?.kind === 'word' || isAt(tokens, next, '*')) next += 1;
  } else if (NOT_METHODS.has(word) || ['function', 'new', 'extends'].includes(tokens[at - 1]?.text ?? '')) {
    return undefined;
  }
  if (isAt(tokens, next, '<')) next = skipTypeParameters(tokens, next);
  return isAt(tokens, next, '(') ? next : undefined;
}

function skipTypeParameters(tokens: readonly Token[], at: number): number {
  let depth = 0;
  for (let index = at; index < tokens.length; index += 1) {
    if (isAt(tokens, index, '<')) depth += 1;
    if (isAt(tokens, index, '>')) depth -= 1;
    if (isAt(tokens, index, ';') || tokens[index]?.kind === 'template') return at;
    if (depth === 0) return index + 1;
  }
  return at;
}

/** The end of the body after a parameter list and an optional return type; undefined when there is no body. */
function findBodyEnd(
  tokens: readonly Token[],
  pairs: ReadonlyMap<number, number>,
  close: number | undefined,
): number | undefined {
  if (close === undefined) return undefined;
  if (isAt(tokens, close + 1, '{')) return pairs.get(close + 1);
  if (!isAt(tokens, close + 1, ':')) return undefined;
  for (let index = close + 2; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined || [';', '=', ')', ']', '}'].includes(token.text)) return undefined;
    const isBody = token.text === '{' && isBodyOpening(tokens, index);
    if (isBody) return pairs.get(index);
    index = pairs.get(index) ?? index;
  }
  return undefined;
}

/** Whether this `{` follows a complete type, so that it opens a body and not the type of an object. */
function isBodyOpening(tokens: readonly Token[], at: number): boolean {
  return isValueEnd(tokens[at - 1]) || ['>', '}', 'void'].includes(tokens[at - 1]?.text ?? '');
}

function findArrowEnd(tokens: readonly Token[], pairs: ReadonlyMap<number, number>, at: number): number {
  if (isAt(tokens, at + 1, '{')) return pairs.get(at + 1) ?? at;
  let index = at + 1;
  while (index < tokens.length && !isExpressionEnd(tokens, index)) index = (pairs.get(index) ?? index) + 1;
  return index - 1;
}

/** Also before the body of a function whose return type is that of a function. */
function isExpressionEnd(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  if (token?.kind !== 'mark') return false;
  return token.text === '{' ? isBodyOpening(tokens, at) : [',', ';', ')', ']', '}'].includes(token.text);
}
