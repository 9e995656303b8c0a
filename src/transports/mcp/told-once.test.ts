import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Tool } from '@modelcontextprotocol/server';
import { runAtOnce } from '#core/slices.ts';
import { createListShortener, tellRecordsOnce } from './told-once.ts';

const record = (description?: string): object => ({
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string', description: 'x'.repeat(300) },
    rows: { type: 'array', items: { type: 'number' } },
  },
  ...(description === undefined ? {} : { description }),
});
const page = { type: 'object', properties: { items: { type: 'array', items: record('one of them') } } };

function createTool(name: string, outputSchema: object, readOnlyHint = true): Tool {
  const schema = { ...outputSchema, type: 'object' } as const;
  return { name, inputSchema: { type: 'object' }, outputSchema: schema, annotations: { readOnlyHint } };
}

const tools = [
  createTool('change_it', record(), false),
  createTool('list_them', page),
  createTool('get_it', record()),
];

const countTold = (list: readonly Tool[]): number => JSON.stringify(list).split('x'.repeat(300)).length - 1;

test('tools: three answer with a record → the one that reads it tells it, the others name that one', () => {
  const list = runAtOnce(tellRecordsOnce(tools));
  assert.equal(countTold(tools), 3);
  assert.equal(countTold(list), 1);
  const [changes, lists, reads] = list;
  assert.deepEqual(reads?.outputSchema, tools[2]?.outputSchema);
  assert.deepEqual(changes?.outputSchema, {
    type: 'object',
    description: 'the same record as in the answer of `get_it`',
  });
  assert.match(JSON.stringify(lists), /one of them; the same record as in the answer of `get_it`/);
  const ajv = new Ajv2020({ strict: false });
  for (const { outputSchema, name } of list) assert.ok(ajv.compile(outputSchema ?? {}), name);
});

test('tools: the one that reads a record is not in the list → another of the list tells it', () => {
  const list = runAtOnce(tellRecordsOnce(tools.slice(0, 2)));
  assert.equal(countTold(list), 1);
  assert.match(JSON.stringify(list), /in the answer of `change_it`/);
});

test('tools: records differ, or are short → each tool tells its own', () => {
  const short = { type: 'object', properties: { id: { type: 'string' } } };
  const other = { ...record(), required: ['id', 'rows'] };
  const own = [
    createTool('a', short),
    createTool('b', short),
    createTool('c', record()),
    createTool('d', other),
  ];
  assert.deepEqual(runAtOnce(tellRecordsOnce(own)), own);
});

test('tools: callers with the same tools → get one list, and others get theirs', async () => {
  const shorten = createListShortener();
  assert.equal(await shorten(tools), await shorten([...tools]));
  assert.equal(countTold(await shorten(tools.slice(0, 1))), 1);
});
