/** All operations, and what they say about one: what they take of the items of its list. */
import type { Operation } from '#core/operation.ts';
import { isRecord, toRecord } from '#core/records.ts';
import type { ListPlace } from './list-columns.ts';
import { nameOperations } from './operation-names.ts';
import * as contracts from './operations.ts';

const isOperation = (value: unknown): value is Operation =>
  isRecord(value) && 'method' in value && 'failures' in value;

const operations = Object.values<object>(contracts).flatMap((contract) =>
  Object.values(contract).filter(isOperation),
);

/** Every operation by its words. */
export const operationsByWords: ReadonlyMap<string, Operation> = nameOperations(operations);

const isOfLab = ({ path }: Operation): boolean => path.startsWith('/lab/');

/** `results` → `result_id`, `deliveries` → `delivery_id`. */
function nameItem(collection: string): string {
  return `${collection.replace(/ies$/, 'y').replace(/s$/, '').replaceAll('-', '_')}_id`;
}

/**
 * What a table of the list needs: the member that operations about an item take, which is its code where they take that,
 * and what the operands of the list have said of all items.
 */
export function findListPlace({ path, output, ...list }: Operation): ListPlace {
  const { items } = toRecord(toRecord(toRecord(output)['properties'])['items']);
  const { properties } = toRecord(items);
  const members = toRecord(properties);
  const area = isOfLab({ path, output, ...list });
  const usual = nameItem(path.split('/').at(-1) ?? '');
  const [taken] = operations.flatMap((operation) => {
    const own = operation.path.startsWith(`${path}/{`)
      ? /\{(\w+)\}/.exec(operation.path.slice(path.length))
      : null;
    const param =
      own?.[1] ?? (isOfLab(operation) === area && operation.path.includes(`{${usual}}`) ? usual : '');
    return param === '' ? [] : [{ param, schema: toRecord(operation.params?.properties[param]) }];
  });
  const said = [...path.matchAll(/\{(\w+)_id\}/g)].map(([, noun = '']) => `${noun}_`);
  if (taken === undefined) return { said };
  const takesCode = /\bor code\b/.test(String(taken.schema['description']));
  const operand = [...(takesCode ? ['code'] : []), taken.param, 'id'].find((name) => name in members);
  return { operand, said };
}

interface Reading {
  readonly path: string;
  /** Of a list: the member by which it is filtered for the thing. */
  readonly member?: string;
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
  const list = operations.find((other) => other.method === 'GET' && other.path === collection && other.list);
  if (list === undefined) return nearest;
  const { operand } = findListPlace(list);
  const param = start.slice(start.lastIndexOf('{') + 1, -1);
  return [
    ...nearest,
    { path: collection, member: operand === 'code' || operand === undefined ? param : operand },
  ];
}
