import { formatExcerpt, FilterError, formatSuggestion } from './errors.ts';
import { foldEnumValue, type Field, type FieldKind } from './fields.ts';
import { isDate, parseInstant, printInstant } from './timestamps.ts';
import type { Cast, Literal } from './tree.ts';

const wholeNumber = /^[+-]?\d{1,40}$/;
const decimalNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,9})?$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const longestNumber = 400;
const int64 = { low: -(2n ** 63n), high: 2n ** 63n - 1n };

const expected: Readonly<Record<FieldKind, string>> = {
  text: 'text',
  uuid: 'a UUID such as 0190b5a0-0000-7000-8000-000000000000',
  int: 'a whole number of at most 64 bits',
  float: 'a finite number such as 7.2 or 1e-9',
  bool: 'true or false',
  timestamp: 'a time such as 2026-01-31T12:00:00Z, or a date that exists',
  date: 'a date that exists, such as 2026-01-31',
  enum: 'one of its values',
  json: 'text',
};

/** Whether a bare value reads as a number. */
export function isNumeric(text: string): boolean {
  return text.length <= longestNumber && decimalNumber.test(text);
}

function convertInt(text: string): string | undefined {
  if (!wholeNumber.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return value >= int64.low && value <= int64.high ? value.toString() : undefined;
}

function convertFloat(text: string): string | undefined {
  if (!isNumeric(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? String(value) : undefined;
}

function convertInstant(text: string): string | undefined {
  const micros = parseInstant(text);
  return micros === undefined ? undefined : printInstant(micros);
}

function convertBool(text: string): string | undefined {
  const lower = text.toLowerCase();
  return lower === 'true' || lower === 'false' ? lower : undefined;
}

/** Returns the text that PostgreSQL receives for a value of this type, or undefined when it is not one. */
export function convert(kind: FieldKind | Cast, text: string): string | undefined {
  switch (kind) {
    case 'int':
      return convertInt(text);
    case 'float':
      return convertFloat(text);
    case 'bool':
      return convertBool(text);
    case 'uuid':
      return uuid.test(text) ? text.toLowerCase() : undefined;
    case 'timestamp':
      return convertInstant(text);
    case 'date':
      return isDate(text) ? text : undefined;
    default:
      return text;
  }
}

function throwTypeError(path: string, position: number, message: string): never {
  throw new FilterError({ code: 'filter_type', path, position, message });
}

function convertEnum(field: Field, literal: Literal, path: string): string {
  const stored = field.spellings.get(foldEnumValue(literal.text));
  if (stored !== undefined) return stored;
  const hint = formatSuggestion(literal.text, field.values);
  const allowed = `Allowed are ${field.values.join(', ')}.`;
  const message = `${formatExcerpt(literal.text)} is not a value of ${field.name}.${hint} ${allowed}`;
  return throwTypeError(path, literal.position, message);
}

export interface LiteralTarget {
  readonly type: FieldKind;
  /** The operand as written, for messages. */
  readonly label: string;
  readonly field: Field;
  readonly path: string;
}

export function checkNull(literal: Literal, target: LiteralTarget): void {
  if (literal.quoted || literal.text.toLowerCase() !== 'null') return;
  const message = `null is not a value; write is_null(${target.label}), or 'null' in quotes for the text.`;
  throwTypeError(target.path, literal.position, message);
}

/** Returns a value as a parameter of the target's type; throws a FilterError when it has another type. */
export function convertLiteral(literal: Literal, target: LiteralTarget): string {
  checkNull(literal, target);
  if (literal.cast !== null && convert(literal.cast, literal.text) === undefined) {
    const message = `${formatExcerpt(literal.text)} is not ${expected[literal.cast]}.`;
    throwTypeError(target.path, literal.position, message);
  }
  if (target.type === 'enum') return convertEnum(target.field, literal, target.path);
  const converted = convert(target.type, literal.text);
  if (converted !== undefined) return converted;
  const message = `${target.label} takes ${expected[target.type]}; ${formatExcerpt(literal.text)} is not.`;
  return throwTypeError(target.path, literal.position, message);
}
