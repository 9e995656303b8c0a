/** All operations, and what they say about one: what they take of the items of its list. */
import type { Operation } from '#core/operation.ts';
import { isRecord, toRecord, type UnknownRecord } from '#core/records.ts';
import { getItemSchema, isList, type ListPlace } from './list-columns.ts';
import { nameOperations } from './operation-names.ts';
import * as contracts from './operations.ts';

const isOperation = (value: unknown): value is Operation =>
  isRecord(value) && 'method' in value && 'failures' in value;

const operations = Object.values<object>(contracts).flatMap((contract) =>
  Object.values(contract).filter(isOperation),
);

/** Every operation by its words. */
export const operationsByWords: ReadonlyMap<string, Operation> = nameOperations(operations);

/** A help in the words of a person who types: commands in place of operations, and no header that no flag sends. */
export function writeForTyping(text: string): string {
  const quote = (isMeant: (operation: Operation) => boolean): string | undefined => {
    const [first, second] = [...operationsByWords].filter(([, operation]) => isMeant(operation));
    return first === undefined || second !== undefined ? undefined : `"assayer ${first[0]}"`;
  };
  return text
    .replaceAll(/[;,] [^;,.(\n]*\bheader `?[A-Z][\w-]+`?[^;,.(\n]*?(?=\s*(?:[;,.(\n]|$))/g, '')
    .replaceAll(/`([A-Z]+) …?(\/[^`]*)`/g, (whole, verb: string, end: string) => {
      return quote(({ method, path }) => method === verb && path.endsWith(end)) ?? whole;
    })
    .replaceAll(/`[a-z]+(?:_[a-z]+)+`|(?<=\bof )[a-z]+(?:_[a-z]+)+\b/g, (word) => {
      return quote(({ id }) => id === word.replaceAll('`', '')) ?? word;
    });
}

/** An entry of the audit trail with the command of its operation, as a person types it. */
export function nameCommand(item: UnknownRecord): UnknownRecord {
  const [words] = [...operationsByWords].find(([, { id }]) => id === item['operation']) ?? [];
  return words === undefined ? item : { ...item, operation: words };
}

const isOfLab = ({ path }: Pick<Operation, 'path'>): boolean => path.startsWith('/lab/');

/** `results` → `result_id`, `deliveries` → `delivery_id`. */
function nameItem(collection: string): string {
  return `${collection.replace(/ies$/, 'y').replace(/s$/, '').replaceAll('-', '_')}_id`;
}

/** The parameter by which operations take an item of the list. */
function findItemParameter(list: Pick<Operation, 'path'>) {
  const usual = nameItem(list.path.split('/').at(-1) ?? '');
  for (const { path, params } of operations) {
    const rest = path.startsWith(`${list.path}/{`) ? path.slice(list.path.length) : '';
    const isAbout = isOfLab({ path }) === isOfLab(list) && path.includes(`{${usual}}`);
    const name = /\{(\w+)\}/.exec(rest)?.[1] ?? (isAbout ? usual : undefined);
    if (name !== undefined) return { name, schema: toRecord(params?.properties[name]) };
  }
  return undefined;
}

/**
 * What tables of the answer need: the members that operations about an item take, the first that it has; a code where
 * they take that; and what the operands of the list have said of all items.
 */
export function findListPlace(list: Pick<Operation, 'path'>): ListPlace {
  const parameter = findItemParameter(list);
  const said = [...list.path.matchAll(/\{(\w+)_id\}/g)].map(([, noun = '']) => `${noun}_`);
  if (parameter === undefined) return { said };
  const takesCode = /\bor code\b/.test(String(parameter.schema['description']));
  return { operands: [...(takesCode ? ['code'] : []), parameter.name, 'id'], said };
}

interface Reading {
  readonly path: string;
  /** Of a list: the member by which it is filtered for the thing. */
  readonly member?: string;
  /** Whether that list is answered whole, without a filter. */
  readonly isWhole?: boolean;
}

/** The ways to read what an operation is about, the nearest first: part, thing, item of its list. */
export function findReadings({ path }: Operation): Reading[] {
  const start = path.slice(0, path.lastIndexOf('}') + 1);
  if (start === '') return [];
  const isReading = ({ method, path: other, media }: Operation): boolean =>
    method === 'GET' && media === undefined && other.startsWith(start) && `${path}/`.startsWith(`${other}/`);
  const records = operations.filter((other) => isReading(other) && other.list === undefined);
  const nearest = records
    .toSorted((a, b) => b.path.length - a.path.length)
    .map((other) => ({ path: other.path }));
  const collection = path.slice(0, start.lastIndexOf('/'));
  const list = operations.find((other) => other.path === collection && isList(other));
  if (list === undefined) return nearest;
  const param = start.slice(start.lastIndexOf('{') + 1, -1);
  const isMember = param in toRecord(getItemSchema(list)['properties']);
  const reading = { path: collection, member: isMember ? param : 'id', isWhole: list.list === undefined };
  return [...nearest, reading];
}
