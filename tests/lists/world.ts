/** A service whose lists are filled, and the ways to ask them. */
import assert from 'node:assert/strict';
import type { FieldKind, ListFields } from '#core/filter/index.ts';
import type { Operation } from '#core/operation.ts';
import { bindings } from '#transports/operations.ts';
import { getItems, getNumber, testService, getText, type Json, type TestAnswer } from '#testing/service.ts';
import { insertRows, LISTED_WEBHOOK } from './rows.ts';

export type Parameters = Readonly<Record<string, string | readonly string[]>>;
export type Field = ListFields['key'];

export interface List {
  readonly id: string;
  readonly fields: ListFields;
  ask(parameters?: Parameters): Promise<TestAnswer>;
  /** The answer of a request that must succeed. */
  readPage(parameters?: Parameters): Promise<Page>;
  readTotal(filter: string): Promise<number>;
}

export interface Page {
  readonly items: readonly Json[];
  readonly ids: readonly string[];
  readonly total: number;
  readonly next: string | undefined;
}

export interface World {
  readonly lists: readonly List[];
  readonly list: (id: string) => List;
}

function encodeParameters(parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of typeof value === 'string' ? [value] : value) query.append(name, each);
  }
  return query.toString();
}

export async function listWorld(variables: Readonly<Record<string, string>> = {}): Promise<World> {
  const { service, ask } = await testService(variables);
  const experimentId = await insertRows(service.database.read, service.founder);

  function createList({ id, ...operation }: Operation, fields: ListFields): List {
    const path = operation.path
      .replace('{experiment_id}', experimentId)
      .replace('{webhook_id}', LISTED_WEBHOOK);
    const askList = (parameters: Parameters = {}) => ask('GET', `${path}?${encodeParameters(parameters)}`);
    const page = async (parameters: Parameters = {}) =>
      toPage(await askList(parameters), parameters, fields.key.name);
    const total = async (filter: string) => (await page({ filter, limit: '1' })).total;
    return { id, fields, ask: askList, readPage: page, readTotal: total };
  }

  const lists = bindings.flatMap(({ operation }) =>
    operation.list === undefined ? [] : [createList(operation, operation.list)],
  );
  const list = (id: string): List => {
    const found = lists.find((one) => one.id === id);
    if (found === undefined) throw new Error(`no list ${id}`);
    return found;
  };
  return { lists, list };
}

function toPage(answer: TestAnswer, parameters: Parameters, key: string): Page {
  assert.equal(answer.status, 200, `${JSON.stringify(parameters)} ${answer.text}`);
  const items = getItems(answer.body.items);
  const { next } = answer.body;
  return {
    items,
    ids: items.map((item) => getText(item[key])),
    total: getNumber(answer.body.total),
    next: next === undefined ? undefined : getText(next),
  };
}

/** Refused as a mistake of the caller, and the parameter is named. */
export function assertRefused(answer: TestAnswer, path: string, message: RegExp = /./): void {
  assert.equal(answer.status, 400, answer.text);
  assert.equal(answer.body.code, 'invalid_query', answer.text);
  const [problem] = getItems(answer.body.problems);
  assert.equal(problem?.path, path, answer.text);
  // The sentence names the parameter; the problem has it as its path, and says it once.
  const said = getText(problem?.message);
  const joint = said.startsWith('character ') ? ', ' : ': ';
  assert.equal(answer.body.error, `${path}${joint}${said}`);
  assert.match(said, message);
}

/** In quotes, as any value may stand. */
export function quoteValue(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

const samples: Readonly<Record<FieldKind, string>> = {
  text: 'bli',
  uuid: '01980000-0000-7000-8000-000000000000',
  int: '2',
  float: '6.5',
  bool: 'true',
  timestamp: '2026-01-05T00:00:00Z',
  date: '2026-01-05',
  enum: '',
  json: '',
};

/** A value of the field's kind: one that an item has, where items show the field. */
export function chooseValue(field: Field, items: readonly Json[]): string {
  const shown = items.map((item): unknown => item[field.name]).find((value) => isScalar(value));
  if (shown !== undefined) return String(shown);
  return field.kind === 'enum' ? (field.values[0] ?? '') : samples[field.kind];
}

export function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

const jsonKeys: Readonly<Record<string, string>> = {
  parameters: 'ph',
  metadata: 'origin',
  summary: 'kd_mean',
  details: 'molecular_weight_kda',
};

/** The field as it can stand in a comparison: a JSON field through one of its keys. */
export function writeOperand(field: Field): string {
  return field.kind === 'json' ? `at(${field.name},${jsonKeys[field.name] ?? 'a'})` : field.name;
}
