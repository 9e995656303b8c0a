/**
 * What a list query means, said a second time and in another way: over rows in memory, with SQL's three-valued
 * logic. The tests compare it with PostgreSQL; nothing else uses it.
 */
import type { Cast, Filter, Literal, Operand, SortColumn } from '#core/filter/tree.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type Kind = 'text' | 'uuid' | 'int' | 'float' | 'bool' | 'timestamp' | 'date' | 'enum' | 'json';

/** Integers and times (in microseconds) are bigint; dates are ISO text. */
export type Value = string | number | bigint | boolean | null;
export type Row = Readonly<Record<string, Value | { readonly json: Json }>>;
export type Kinds = Readonly<Record<string, Kind>>;

interface Scalar {
  readonly kind: Exclude<Kind, 'json'>;
  readonly value: Value;
}
type Typed = Scalar | { readonly kind: 'json'; readonly json: Json };
type JsonObject = Readonly<Record<string, Json>>;

type Truth = boolean | null;

const numberShape = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,2})?$/;
const instantShape =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(:\d{2})?(?:\.(\d{1,6}))?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

function isList(json: readonly Json[] | JsonObject): json is readonly Json[] {
  return Array.isArray(json);
}

function writeJson(json: Json): string {
  if (typeof json === 'string') return JSON.stringify(json);
  if (json === null || typeof json !== 'object') return String(json);
  if (isList(json)) return `[${json.map((item) => writeJson(item)).join(', ')}]`;
  // jsonb keeps keys ordered by length, then by bytes.
  const entries = Object.entries(json);
  entries.sort(([a], [b]) => Buffer.byteLength(a) - Buffer.byteLength(b) || compareText(a, b));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}: ${writeJson(item)}`).join(', ')}}`;
}

function writeJsonAsText(json: Json): string | null {
  if (json === null) return null;
  return typeof json === 'string' ? json : writeJson(json);
}

function getMember(json: Json, key: string): Json {
  if (json === null || typeof json !== 'object') return null;
  if (isList(json)) {
    if (!/^\s*[+-]?\d{1,9}$/.test(key)) return null;
    return json.at(Number(key)) ?? null;
  }
  return Object.hasOwn(json, key) ? (json[key] ?? null) : null;
}

/** The whole part of a decimal text, exactly. */
function getWholePart(text: string): bigint {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const negative = mantissa.startsWith('-');
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.');
  const point = whole.length + Number(exponent);
  const digits = (whole + fraction).padEnd(point, '0').slice(0, Math.max(0, point));
  const value = BigInt(digits === '' ? '0' : digits);
  return negative ? -value : value;
}

function parseInstant(text: string): bigint | null {
  const match = instantShape.exec(text);
  if (match === null || text.startsWith('0000')) return null;
  const [, date = '', time = '00:00', seconds = ':00', fraction = '', zone = 'Z'] = match;
  const offset =
    zone.length === 3 ? `${zone}:00` : zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  const midnight = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== date) return null;
  if (offset.length > 1 && Number(offset.slice(1, 3)) > 14) return null;
  const millis = Date.parse(`${date}T${time}${seconds}${offset.toUpperCase()}`);
  if (Number.isNaN(millis) || time.startsWith('24')) return null;
  return BigInt(millis) * 1000n + BigInt(fraction.padEnd(6, '0'));
}

function formatDate(micros: bigint): string {
  const day = 86_400_000_000n;
  const start = micros - (((micros % day) + day) % day);
  return new Date(Number(start / 1000n)).toISOString().slice(0, 10);
}

function formatInstant(micros: bigint): string {
  const part = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const second = new Date(Number((micros - part) / 1000n)).toISOString().slice(0, 19);
  return `${second}.${String(part).padStart(6, '0')}Z`;
}

function toText(typed: Typed): string | null {
  if (typed.kind === 'json') return writeJsonAsText(typed.json);
  const { kind, value } = typed;
  if (value === null) return null;
  if (kind === 'timestamp' && typeof value === 'bigint') return formatInstant(value);
  return String(value);
}

function castText(cast: Cast, text: string | null): Value {
  if (text === null || cast === 'text') return text;
  if (cast === 'timestamp' || cast === 'date') {
    const micros = text.length <= 40 ? parseInstant(text) : null;
    if (micros === null) return null;
    return cast === 'date' ? formatDate(micros) : micros;
  }
  if (text.length > 100 || !numberShape.test(text)) return null;
  if (cast === 'float') return Number(text);
  const whole = getWholePart(text);
  const limit = 9_000_000_000_000_000_000n;
  return whole < limit && whole > -limit ? whole : null;
}

function castValue(cast: Cast, typed: Typed): Scalar {
  const { kind } = typed;
  if (typed.kind === cast) return typed;
  if (cast === 'text') return { kind: 'text', value: toText(typed) };
  if (kind === 'json' || kind === 'text') return { kind: cast, value: castText(cast, toText(typed)) };
  const { value } = typed;
  if (value === null) return { kind: cast, value };
  if (cast === 'float') return { kind: cast, value: Number(value) };
  if (cast === 'int') {
    const fits = typeof value === 'number' && Math.abs(value) < 9e18;
    return { kind: cast, value: fits ? BigInt(Math.trunc(value)) : null };
  }
  if (cast === 'date' && typeof value === 'bigint') return { kind: cast, value: formatDate(value) };
  return { kind: cast, value: castText(cast, String(value)) };
}

function evaluateOperand(kinds: Kinds, row: Row, operand: Operand): Typed {
  if (operand.kind === 'cast') return castValue(operand.cast, evaluateOperand(kinds, row, operand.of));
  if (operand.kind === 'at') {
    const of = evaluateOperand(kinds, row, operand.of);
    if (of.kind !== 'json') throw new Error('at() of something that is not JSON');
    return { kind: 'json', json: getMember(of.json, operand.key.text) };
  }
  const kind = kinds[operand.name];
  const value = row[operand.name] ?? null;
  if (kind === undefined) throw new Error(`no field ${operand.name}`);
  if (kind === 'json') {
    return { kind, json: typeof value === 'object' && value !== null ? value.json : null };
  }
  if (typeof value === 'object' && value !== null) throw new Error(`${operand.name} is not JSON`);
  return { kind, value };
}

function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function compareValues(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (a === null || b === null) throw new Error('NULL has no place in an order');
  return a < b ? -1 : a > b ? 1 : 0;
}

function evaluateLiteral(kind: Kind, literal: Literal): Value {
  const { text } = literal;
  if (kind === 'int') return BigInt(text);
  if (kind === 'float') return Number(text);
  if (kind === 'bool') return text.toLowerCase() === 'true';
  if (kind === 'timestamp') return parseInstant(text);
  if (kind === 'uuid') return text.toLowerCase();
  if (kind === 'enum') return text.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  return text;
}

/** An at(…) without a cast is a number when it is compared with bare numbers, and text otherwise. */
function castForComparison(typed: Typed, literals: readonly Literal[]): Scalar {
  if (typed.kind !== 'json') return typed;
  const cast = literals[0]?.cast ?? null;
  if (cast !== null && literals.every((literal) => literal.cast === cast)) {
    return castValue(cast, typed);
  }
  const numeric = literals.every(
    (literal) =>
      !literal.quoted &&
      literal.cast === null &&
      /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(literal.text),
  );
  const inferred = numeric ? 'float' : 'text';
  return { kind: inferred, value: castText(inferred, writeJsonAsText(typed.json)) };
}

function negate(truth: Truth): Truth {
  return truth === null ? null : !truth;
}

function combineAll(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}

function combineAny(truths: readonly Truth[]): Truth {
  return negate(combineAll(truths.map((truth) => negate(truth))));
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

function compareWith(
  kinds: Kinds,
  row: Row,
  operand: Operand,
  literals: readonly Literal[],
): (number | null)[] {
  const { kind, value } = castForComparison(evaluateOperand(kinds, row, operand), literals);
  return literals.map((literal) =>
    value === null ? null : compareValues(value, evaluateLiteral(kind, literal)),
  );
}

const passes: Readonly<Record<string, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  neq: (order) => order !== 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
};

export function evaluate(kinds: Kinds, row: Row, filter: Filter): Truth {
  switch (filter.kind) {
    case 'and':
      return combineAll(filter.of.map((part) => evaluate(kinds, row, part)));
    case 'or':
      return combineAny(filter.of.map((part) => evaluate(kinds, row, part)));
    case 'not':
      return negate(evaluate(kinds, row, filter.of));
    case 'is_null':
    case 'is_not_null': {
      const typed = evaluateOperand(kinds, row, filter.operand);
      const missing = typed.kind === 'json' ? typed.json === null : typed.value === null;
      return missing === (filter.kind === 'is_null');
    }
    case 'contains': {
      const text = toText(evaluateOperand(kinds, row, filter.operand));
      return text === null ? null : lowerCase(text).includes(lowerCase(filter.value.text));
    }
    case 'in':
      return combineAny(
        compareWith(kinds, row, filter.operand, filter.values).map((order) =>
          order === null ? null : order === 0,
        ),
      );
    case 'between': {
      const [low = null, high = null] = compareWith(kinds, row, filter.operand, [filter.low, filter.high]);
      return low === null || high === null ? null : low >= 0 && high <= 0;
    }
    default: {
      const [order = null] = compareWith(kinds, row, filter.operand, [filter.value]);
      return order === null ? null : (passes[filter.operator]?.(order) ?? null);
    }
  }
}

/** NULL last either way; an at(…) without a cast is its number, then its text. */
export function compareRows(
  kinds: Kinds,
  columns: readonly SortColumn[],
  key: string,
): (a: Row, b: Row) => number {
  const last = columns.at(-1)?.descending ?? false;
  const keyColumn: SortColumn = { operand: { kind: 'field', name: key, position: 0 }, descending: last };
  const evaluateValues = (row: Row, operand: Operand): Value[] => {
    const typed = evaluateOperand(kinds, row, operand);
    if (typed.kind !== 'json') return [typed.value];
    const text = writeJsonAsText(typed.json);
    return [castText('float', text), text];
  };
  return (a, b) => {
    for (const { operand, descending } of [...columns, keyColumn]) {
      const right = evaluateValues(b, operand);
      for (const [index, value] of evaluateValues(a, operand).entries()) {
        const other = right[index] ?? null;
        if (value === null && other === null) continue;
        if (value === null || other === null) return value === null ? 1 : -1;
        const order = compareValues(value, other);
        if (order !== 0) return descending ? -order : order;
      }
    }
    return 0;
  };
}

/** The `search` parameter: a substring of any of the named fields, any case. */
export function isMatch(row: Row, fields: readonly string[], search: string): boolean {
  return fields.some((name) => {
    const value = row[name];
    return typeof value === 'string' && lowerCase(value).includes(lowerCase(search));
  });
}
