import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineList, defineMember } from './list-item.ts';
import { Nullable, OneOf, Timestamp, Type, Uuid } from './schema.ts';

const list = defineList(
  { name: 'things', key: 'id', defaultSort: '-created_at' },
  {
    id: defineMember(Uuid, 't.id', '01980000-0000-7000-8000-000000000001'),
    code: defineMember(Type.String(), 'e.code', 'T-1', { search: true }),
    status: defineMember(OneOf(['open', 'closed']), 't.status', 'open'),
    amount_cents: defineMember(Type.Integer(), 't.total_cents', 500),
    ratio: defineMember(Nullable(Type.Number()), 't.ratio', null),
    is_listed: defineMember(Type.Boolean(), 't.is_listed', true),
    created_at: defineMember(Timestamp, 't.created_at', '2026-01-20T09:00:00.000Z'),
    url: defineMember(Type.String(), `$1::text || t.id`, 'https://lab.example/things/1', false),
  },
  { hidden_note: { kind: 'text', sql: 't.note', nullable: true } },
);

test('list: members → compared by the kind of their schema, and those without comparison by none', () => {
  const kinds = [...list.fields.fields.values()].map(({ name, kind, nullable }) => [name, kind, nullable]);
  assert.deepEqual(kinds, [
    ['id', 'uuid', false],
    ['code', 'text', false],
    ['status', 'enum', false],
    ['amount_cents', 'int', false],
    ['ratio', 'float', true],
    ['is_listed', 'bool', false],
    ['created_at', 'timestamp', false],
    ['hidden_note', 'text', true],
  ]);
  assert.deepEqual(
    list.fields.searchable.map(({ name }) => name),
    ['code'],
  );
});

test('list: a text that may be null by its types → compared as a text that may be null', () => {
  const { fields } = defineList(
    { name: 'notes', key: 'id', defaultSort: 'id' },
    {
      id: defineMember(Uuid, 'n.id', '01980000-0000-7000-8000-000000000001'),
      note: defineMember(Type.Unsafe<string | null>({ type: ['string', 'null'] }), 'n.note', null),
    },
  );
  const note = fields.fields.get('note');
  assert.deepEqual([note?.kind, note?.nullable], ['text', true]);
});

test('list: members → a select list in which instants are written as on the wire', () => {
  assert.equal(
    list.columns,
    `t.id, e.code, t.status, t.total_cents as amount_cents, t.ratio, t.is_listed, to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, $1::text || t.id as url`,
  );
});

test('list: samples → an item with every member and none of the other fields', () => {
  assert.deepEqual(Object.keys(list.sample), Object.keys(list.item.properties));
  assert.equal(list.sample.amount_cents, 500);
  assert.ok(!('hidden_note' in list.sample));
});
