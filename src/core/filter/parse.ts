import { formatExcerpt, FilterError, formatSuggestion } from './errors.ts';
import { limits } from './limits.ts';
import { Scanner } from './scanner.ts';
import { casts, comparisons, isCast, isComparison, type Filter, type Literal, type Operand } from './tree.ts';

const conditions = [
  ...comparisons,
  'contains',
  'between',
  'in',
  'and',
  'or',
  'not',
  'is_null',
  'is_not_null',
] as const;
type Condition = (typeof conditions)[number];

function isCondition(name: string): name is Condition {
  return (conditions as readonly string[]).includes(name);
}

function checkDepth(scanner: Scanner, depth: number, position: number): void {
  if (depth <= limits.depth) return;
  const message = `is nested deeper than ${limits.depth} levels; flatten it with and(…) or or(…) of several conditions.`;
  throw new FilterError({ code: 'filter_too_deep', path: scanner.path, position, message });
}

/** Parses a value or a cast around one. */
function parseLiteral(scanner: Scanner, depth: number, mayCast: boolean): Literal {
  scanner.skipSpace();
  const { position } = scanner;
  checkDepth(scanner, depth, position);
  const { text, quoted } = scanner.readValue();
  if (!quoted && scanner.peek() === '(') {
    if (!mayCast || !isCast(text)) {
      scanner.fail('a value that contains a parenthesis must be in quotes', position);
    }
    scanner.take('(');
    const inner = parseLiteral(scanner, depth + 1, false);
    scanner.expect(')', `to close ${text}(`);
    return { ...inner, cast: text, position };
  }
  if (!quoted && text === '') scanner.fail("expected a value; the empty text is written ''");
  return { text, quoted, cast: null, position };
}

/** Parses a field, at(field,key), or a cast around either. */
export function parseOperand(scanner: Scanner, depth: number): Operand {
  scanner.skipSpace();
  const { position } = scanner;
  checkDepth(scanner, depth, position);
  const name = scanner.readName();
  if (name === '') scanner.fail('expected a field, at(field,key) or a cast such as float(…)');
  if (!scanner.take('(')) return { kind: 'field', name, position };
  if (name === 'at') {
    const of = parseOperand(scanner, depth + 1);
    scanner.expect(',', 'between the field and the key of at(field,key)');
    const key = parseLiteral(scanner, depth + 1, false);
    scanner.expect(')', 'to close at(');
    return { kind: 'at', of, key, position };
  }
  if (!isCast(name)) {
    const functionNames = ['at', ...casts];
    const problem = `${formatExcerpt(name)} is not known here; known are ${functionNames.join(', ')}`;
    scanner.fail(problem, position, formatSuggestion(name, functionNames));
  }
  const of = parseOperand(scanner, depth + 1);
  scanner.expect(')', `to close ${name}(`);
  return { kind: 'cast', cast: name, of, position };
}

function parseConditionList(scanner: Scanner, depth: number): Filter[] {
  const of = [parseCondition(scanner, depth)];
  while (scanner.take(',')) of.push(parseCondition(scanner, depth));
  return of;
}

function parseLiteralList(scanner: Scanner, depth: number): Literal[] {
  const values = [parseLiteral(scanner, depth, true)];
  while (scanner.take(',')) values.push(parseLiteral(scanner, depth, true));
  return values;
}

function parseFieldCondition(scanner: Scanner, name: Condition, depth: number): Filter {
  const operand = parseOperand(scanner, depth);
  if (name === 'is_null' || name === 'is_not_null') return { kind: name, operand };
  scanner.expect(',', `after the field of ${name}(field,…)`);
  if (name === 'in') return { kind: 'in', operand, values: parseLiteralList(scanner, depth) };
  const value = parseLiteral(scanner, depth, true);
  if (name === 'between') {
    scanner.expect(',', 'between the two bounds of between(field,low,high)');
    return { kind: 'between', operand, low: value, high: parseLiteral(scanner, depth, true) };
  }
  if (isComparison(name)) return { kind: 'compare', operator: name, operand, value };
  return { kind: 'contains', operand, value };
}

function parseCondition(scanner: Scanner, depth: number): Filter {
  scanner.skipSpace();
  const { position } = scanner;
  checkDepth(scanner, depth, position);
  const name = scanner.readName();
  if (name === '') scanner.fail('expected a condition such as eq(field,value)');
  if (!isCondition(name)) {
    const problem = `${formatExcerpt(name)} is not a condition; known are ${conditions.join(', ')}`;
    scanner.fail(problem, position, formatSuggestion(name, conditions));
  }
  scanner.expect('(', `after ${name}`);
  const filter = parseConditionBody(scanner, name, depth + 1);
  scanner.expect(')', `to close ${name}(`);
  return filter;
}

function parseConditionBody(scanner: Scanner, name: Condition, depth: number): Filter {
  if (name === 'and' || name === 'or') return { kind: name, of: parseConditionList(scanner, depth) };
  if (name === 'not') return { kind: 'not', of: parseCondition(scanner, depth) };
  return parseFieldCondition(scanner, name, depth);
}

/** Parses a filter such as `and(gte(created_at,2026-01-01),in(status,draft,quote_sent))`. */
export function parseFilter(text: string, path = 'filter'): Filter {
  const scanner = new Scanner(text, path, 'filter_syntax');
  const filter = parseCondition(scanner, 1);
  if (!scanner.isAtEnd()) {
    scanner.fail('expected the end of the filter; several conditions are combined with and(…)');
  }
  return filter;
}

/** Parses an operand that is the whole text, such as the part in parentheses of `geq(created_at)=…`. */
export function parseWholeOperand(scanner: Scanner, closing: string): Operand {
  const operand = parseOperand(scanner, 2);
  scanner.expect(closing, 'to close the parameter name');
  if (!scanner.isAtEnd()) scanner.fail('expected nothing after the closing parenthesis');
  return operand;
}
