/** The flags of an operation, made from the members of its query and its body. */
import { Option } from 'commander';
import type { Operation } from '#core/operation.ts';
import { isRecord, toRecord, type UnknownRecord } from '#core/records.ts';
import { describeLimits } from './values.ts';
import { toText } from './words.ts';

export interface Flag {
  /** The member on the wire with dashes, and with dots into nested objects: `attenuation.read-only`. */
  readonly name: string;
  readonly place: 'query' | 'body';
  readonly path: readonly string[];
  readonly kind: 'number' | 'text' | 'switch' | 'json';
  /** A list is given by repeating its flag. */
  readonly isList: boolean;
  readonly isNullable: boolean;
  /** The values that it can have, where there are few. */
  readonly choices: readonly string[];
  /** Whether flags of its members say the same. */
  readonly hasParts: boolean;
  /** For the parser: a switch has a second one for false. */
  readonly options: readonly [Option, ...Option[]];
}

/** What an operation is asked with. `file` is the file whose bytes or text it takes. */
export interface Request {
  readonly params?: UnknownRecord | undefined;
  readonly query?: UnknownRecord | undefined;
  readonly body?: unknown;
  /** The body as it was typed, with names in place of ids. */
  readonly typedBody?: UnknownRecord | undefined;
  readonly file?: string | undefined;
  /** Of that file, where its bytes are sent. */
  readonly content?: Blob | undefined;
}

/** A list is read page by page, and its answer says how to go on. */
const PAGING = new Set(['limit', 'cursor']);
const DEPTH_MAX = 3;
/** In a path: the first entry of a list of records, whose members have flags. */
export const FIRST = '0';
export const POSITION = /^\d+$/;
/** Members whose flags would be those of every command. */
const RENAMED: Readonly<Record<string, string>> = { url: 'webhook-url' };

/** The parameters of the path that are operands: of an upload all but the name of its file. */
export function listOperands({ path, upload }: Operation): string[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return upload === undefined ? names : names.filter((name) => name !== 'name');
}

export function listFlags({ query, body, text, list }: Operation): Flag[] {
  const inQuery = listMembers('query', [], query).filter(({ name }) => !list || !PAGING.has(name));
  const inBody = listMembers('body', [], body).filter(({ path }) => path[0] !== text?.member);
  // A body with a token wants the one in use.
  return [...inQuery, ...inBody].filter(({ name }) => name !== 'token');
}

function listMembers(place: Flag['place'], path: readonly string[], schema: unknown, need = true): Flag[] {
  if (schema === undefined) return [];
  const forms = listForms(schema).filter(({ type }) => type !== 'null');
  const isNullable = forms.length < listForms(schema).length;
  const objects = forms.filter(({ properties }) => isRecord(properties));
  const isObject = objects.length === forms.length && path.length < DEPTH_MAX;
  const names = isObject ? objects.flatMap(({ properties }) => Object.keys(toRecord(properties))) : [];
  const parts = [...new Set(names)].flatMap((name) => {
    const anyOf = objects.flatMap(({ properties }) => toRecord(properties)[name] ?? []);
    const isNeeded = objects.every(({ required }) => Array.isArray(required) && required.includes(name));
    const { description } = toRecord(anyOf[0]);
    return listMembers(place, [...path, name], { anyOf, description }, need && isNeeded);
  });
  if (path.length === 0 || (parts.length > 0 && !isNullable)) return parts;
  const [{ type, items } = {}, ...others] = forms;
  const isArray = type === 'array' && others.length === 0;
  const isList = isArray && chooseKind(listForms(items)) !== 'json';
  const isOfRecords = isArray && listForms(items).every(({ properties }) => isRecord(properties));
  const entry = isOfRecords && path.length === 1 ? listMembers(place, [...path, FIRST], items, false) : [];
  const dashed = path
    .filter((name) => name !== FIRST)
    .join('.')
    .replaceAll('_', '-');
  const values = isList ? listForms(items) : forms;
  const choices = values.flatMap(({ enum: all, const: only }) => all ?? only ?? []).map(toText);
  const flag = {
    name: RENAMED[dashed] ?? dashed,
    place,
    path,
    isList,
    isNullable,
    choices,
    hasParts: parts.length + entry.length > 0,
  };
  const plain = chooseKind(values);
  // A switch cannot say null.
  const kind = plain === 'switch' && isNullable ? 'json' : plain;
  const notes = [
    ...(need && parts.length === 0 ? ['required'] : []),
    ...choices,
    ...describeLimits(forms[0] ?? {}),
    ...(isList ? ['repeat it for several; [] for none'] : []),
    ...(entry.length > 0 ? ['or entries by the flags above: one given again begins the next'] : []),
    ...(isNullable ? ['or null'] : []),
    ...(kind === 'switch' ? [`--no-${flag.name} for false`] : []),
  ];
  const meaning = `${toText(toRecord(schema)['description'])}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
  const options = createOptions({ name: flag.name, kind }, meaning.trim());
  return [...parts, ...entry, { ...flag, kind, options }];
}

/** The forms that a value may have; null is one. */
export function listForms(schema: unknown): UnknownRecord[] {
  const { anyOf, type, ...rest } = toRecord(schema);
  if (Array.isArray(anyOf)) return anyOf.flatMap(listForms);
  return (Array.isArray(type) ? type : [type]).map((each: unknown) => ({ ...rest, type: each }));
}

function chooseKind(forms: readonly UnknownRecord[]): Flag['kind'] {
  const types = new Set(forms.map(({ type }) => (type === 'integer' ? 'number' : type)));
  const [type] = types;
  if (types.size !== 1) return 'json';
  return type === 'number' ? 'number' : type === 'string' ? 'text' : type === 'boolean' ? 'switch' : 'json';
}

function createOptions({ name, kind }: Pick<Flag, 'name' | 'kind'>, meaning: string): Flag['options'] {
  if (kind === 'switch') return [new Option(`--${name}`, meaning), new Option(`--no-${name}`).hideHelp()];
  return [new Option(`--${name} <${kind}>`, meaning)];
}

/** Of a list, its only entry. */
function getMember(record: unknown, name: string): unknown {
  if (!Array.isArray(record)) return toRecord(record)[name];
  return record.length === 1 ? record[0] : undefined;
}

/** The arguments that ask the same, for examples and tests. */
export function formatArguments(operation: Operation, { params = {}, query, body, file }: Request): string[] {
  const operands = listOperands(operation).map((name) => toText(params[name]));
  const given = listFlags(operation).flatMap(({ name, path, place, kind, isList, hasParts }) => {
    const whole: unknown = place === 'query' ? query : body;
    const value = path.reduce(getMember, whole);
    const isInParts = hasParts && value !== null && !(Array.isArray(value) && value.length !== 1);
    if (value === undefined || isInParts) return [];
    if (kind === 'switch') return [value === true ? `--${name}` : `--no-${name}`];
    const values: unknown[] = isList && Array.isArray(value) && value.length > 0 ? value : [value];
    return values.flatMap((each) => [
      `--${name}`,
      typeof each === 'string' ? each.replace(/^@/, '@@') : JSON.stringify(each),
    ]);
  });
  return [...operands, ...(file === undefined ? [] : [file]), ...given];
}
