import { FilterError } from './errors.ts';
import { castTo, resolveOperand, type Expression, type Place } from './expressions.ts';
import type { FieldKind, ListFields } from './fields.ts';
import { checkNull, convertLiteral, isNumeric, type LiteralTarget } from './literals.ts';
import { printOperand } from './print.ts';
import type { Cast, Comparison, Filter, Literal, Operand, SortColumn } from './tree.ts';

/** A filter whose fields all exist and whose values have the types of their fields. */
export type CheckedFilter =
  | CheckedTest
  | { readonly kind: 'and' | 'or'; readonly of: readonly CheckedFilter[] }
  | { readonly kind: 'not'; readonly of: CheckedFilter };

/** Whether a condition reads JSON, which no index of a list covers. */
export function looksInsideJson(filter: CheckedFilter): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.of.some((part) => looksInsideJson(part));
    case 'not':
      return looksInsideJson(filter.of);
    default:
      return isInsideJson(filter.left);
  }
}

function isInsideJson(expression: Expression): boolean {
  return expression.kind === 'cast' ? isInsideJson(expression.of) : expression.kind === 'path';
}

/** A test of one operand. */
export type CheckedTest =
  | {
      readonly kind: 'compare';
      readonly operator: Comparison;
      readonly left: Expression;
      readonly value: string;
    }
  | { readonly kind: 'contains'; readonly left: Expression; readonly value: string }
  | { readonly kind: 'between'; readonly left: Expression; readonly low: string; readonly high: string }
  | { readonly kind: 'in'; readonly left: Expression; readonly values: readonly string[] }
  | { readonly kind: 'is_null' | 'is_not_null'; readonly left: Expression };

type Test = 'equal' | 'order' | 'contains';

const tests: Readonly<Record<Test, { readonly types: readonly FieldKind[]; readonly says: string }>> = {
  equal: {
    types: ['text', 'uuid', 'int', 'float', 'bool', 'timestamp', 'date', 'enum', 'json'],
    says: '',
  },
  order: {
    types: ['text', 'uuid', 'int', 'float', 'timestamp', 'date', 'json'],
    says: 'has no greater or less; use eq, neq or in',
  },
  contains: { types: ['text', 'json'], says: 'is not text; wrap it as text(…), or use eq' },
};

function throwTypeError(place: Place, position: number, message: string): never {
  throw new FilterError({ code: 'filter_type', path: place.path, position, message });
}

/** Returns the type in which an at(…) without a cast is compared; the values decide. */
function inferCast(test: Test, literals: readonly Literal[]): Cast {
  if (test === 'contains') return 'text';
  const [first] = literals;
  if (first !== undefined && first.cast !== null && literals.every((one) => one.cast === first.cast)) {
    return first.cast;
  }
  const numeric = literals.every((one) => !one.quoted && one.cast === null && isNumeric(one.text));
  return numeric ? 'float' : 'text';
}

interface Sides {
  readonly left: Expression;
  readonly values: readonly string[];
}

function checkSides(place: Place, test: Test, operand: Operand, literals: readonly Literal[]): Sides {
  const resolved = resolveOperand(place, operand);
  const label = printOperand(operand);
  if (resolved.kind === 'column' && resolved.type === 'json') {
    const message = `${label} is JSON; compare a key of it, as in eq(at(${label},key),value).`;
    throwTypeError(place, operand.position, message);
  }
  if (!tests[test].types.includes(resolved.type)) {
    throwTypeError(place, operand.position, `${label} is ${resolved.type} and ${tests[test].says}.`);
  }
  const uncast: LiteralTarget = { type: 'json', label, field: resolved.field, path: place.path };
  for (const literal of literals) checkNull(literal, uncast);
  const left = resolved.type === 'json' ? castTo(inferCast(test, literals), resolved) : resolved;
  const target: LiteralTarget = { ...uncast, type: left.type };
  return { left, values: literals.map((literal) => convertLiteral(literal, target)) };
}

const none = '';

/** Checks the types of every comparison before it reaches the database; throws FilterError. */
export function checkFilter(place: Place, unchecked: Filter): CheckedFilter {
  const filter = rewriteCodes(place.list, unchecked);
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, of: filter.of.map((part) => checkFilter(place, part)) };
    case 'not':
      return { kind: 'not', of: checkFilter(place, filter.of) };
    case 'is_null':
    case 'is_not_null':
      return { kind: filter.kind, left: resolveOperand(place, filter.operand) };
    case 'in': {
      const { left, values } = checkSides(place, 'equal', filter.operand, filter.values);
      return { kind: 'in', left, values };
    }
    case 'between': {
      const { left, values } = checkSides(place, 'order', filter.operand, [filter.low, filter.high]);
      const [low = none, high = none] = values;
      return { kind: 'between', left, low, high };
    }
    case 'contains': {
      const { left, values } = checkSides(place, 'contains', filter.operand, [filter.value]);
      return { kind: 'contains', left, value: values[0] ?? none };
    }
    default: {
      const equality = filter.operator === 'eq' || filter.operator === 'neq';
      const sides = checkSides(place, equality ? 'equal' : 'order', filter.operand, [filter.value]);
      return { kind: 'compare', operator: filter.operator, left: sides.left, value: sides.values[0] ?? none };
    }
  }
}

export interface SortKey {
  readonly expression: Expression;
  readonly descending: boolean;
}

function isSameExpression(one: Expression, other: Expression): boolean {
  if (one.kind === 'cast') {
    return other.kind === 'cast' && one.type === other.type && isSameExpression(one.of, other.of);
  }
  if (one.kind !== other.kind || one.field !== other.field) return false;
  if (one.kind !== 'path' || other.kind !== 'path') return true;
  return one.path.length === other.path.length && one.path.every((key, index) => key === other.path[index]);
}

/**
 * Returns the full order: the given columns, then the list's unique key in the direction of the last column. An at(…)
 * without a cast sorts its numbers first by value, then everything else as text.
 */
export function checkSort(place: Place, columns: readonly SortColumn[]): SortKey[] {
  const keys: SortKey[] = [];
  const add = (expression: Expression, descending: boolean): void => {
    const isRepeated = keys.some((key) => isSameExpression(key.expression, expression));
    if (!isRepeated) keys.push({ expression, descending });
  };
  for (const { operand, descending } of columns) {
    const expression = resolveOperand(place, operand);
    if (expression.type !== 'json') {
      add(expression, descending);
    } else if (expression.kind === 'path') {
      add(castTo('float', expression), descending);
      add(castTo('text', expression), descending);
    } else {
      const label = printOperand(operand);
      throwTypeError(
        place,
        operand.position,
        `${label} is JSON; sort by a key of it, as in desc(at(${label},key)).`,
      );
    }
  }
  const { key } = place.list;
  add({ kind: 'column', field: key, type: key.kind, nullable: false }, columns.at(-1)?.descending ?? false);
  return keys;
}

/** Rewrites a condition on an id to one on the code, where its values are codes; anything else stays as it is. */
function rewriteCodes(list: ListFields, filter: Filter): Filter {
  if (filter.kind !== 'in' && !isEquality(filter)) return filter;
  const { operand } = filter;
  const code = operand.kind === 'field' ? list.fields.get(operand.name)?.code : undefined;
  if (code === undefined) return filter;
  const isCode = ({ text }: Literal): boolean => code.pattern.test(text);
  const byCode: Operand = { kind: 'field', name: code.field, position: operand.position };
  if (filter.kind === 'compare') return isCode(filter.value) ? { ...filter, operand: byCode } : filter;
  const codes = filter.values.filter((value) => isCode(value));
  if (codes.length === 0) return filter;
  const ids = filter.values.filter((value) => !isCode(value));
  const inCodes: Filter = { kind: 'in', operand: byCode, values: codes };
  return ids.length === 0 ? inCodes : { kind: 'or', of: [inCodes, { ...filter, values: ids }] };
}

function isEquality(filter: Filter): filter is Extract<Filter, { readonly kind: 'compare' }> {
  return filter.kind === 'compare' && (filter.operator === 'eq' || filter.operator === 'neq');
}
