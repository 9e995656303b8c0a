import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '#core/failures.ts';
import { defineOperation } from '#core/operation.ts';
import { Nullable, OneOf, strict, Type } from '#core/schema.ts';
import { defineAction, readBody, writeNext } from './action.ts';

const change = defineOperation({
  id: 'change_something',
  method: 'PATCH',
  path: '/things/{thing_id}',
  tag: 'things',
  summary: 'Change something',
  effect: 'reversible',
  permission: 'lab:price',
  params: Type.Object({ thing_id: Type.String() }),
  body: Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 20 }),
      note: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
      lot: Type.Optional(Type.String()),
      price_cents: Type.Optional(Type.Integer({ minimum: 0 })),
      purity: Type.Optional(Nullable(Type.Number())),
      weight: Type.Optional(Type.Unsafe<number | null>({ type: ['number', 'null'] })),
      size: Type.Optional(OneOf(['a4', 'letter'])),
      is_listed: Type.Boolean(),
      roles: Type.Array(OneOf(['operator', 'manager'])),
      tags: Type.Array(Type.String()),
      names: Type.Optional(Type.Array(Type.String())),
      settings: Type.Optional(Type.Object({}, { additionalProperties: true })),
    },
    strict,
  ),
  output: Type.Object({}),
  failures: [],
  example: {},
});

const action = defineAction(change, {
  path: '/lab/things/:thing_id/change',
  page: '/lab/things',
  button: 'Save',
  fields: {
    name: { label: 'Name' },
    note: { label: 'Note', kind: 'area' },
    lot: { label: 'Lot' },
    price_cents: { label: 'Price in USD' },
    purity: { label: 'Purity' },
    weight: { label: 'Weight' },
    size: { label: 'Paper' },
    is_listed: { label: 'It is listed' },
    roles: { label: 'Roles' },
    tags: { label: 'Tags' },
    names: { label: 'Names', kind: 'area' },
    settings: { label: 'Settings' },
  },
  done: 'It was changed.',
});

test('action: a body schema → limits, required marks, choices and kinds of the fields', () => {
  const { name, note, size, purity, is_listed: isListed } = Object.fromEntries(action.fields);
  assert.deepEqual([name?.lengthMax, name?.isRequired], [20, true]);
  assert.deepEqual([note?.lengthMax, note?.isRequired, note?.kind], [500, false, 'area']);
  assert.deepEqual(size?.options, [
    ['', '–'],
    ['a4', 'A4'],
    ['letter', 'Letter'],
  ]);
  assert.deepEqual([purity?.kind, isListed?.kind, isListed?.isRequired], ['number', 'check', false]);
});

test('action: a member with several choices → a box for each, by its words or those of the page', () => {
  const field = action.fields.get('roles');
  assert.equal(field?.kind, 'boxes');
  assert.deepEqual(field.options, [
    ['operator', 'Operator'],
    ['manager', 'Manager'],
  ]);
});

test('action: a member that may be null, which the page requires → an empty field stays empty, so that the operation names it', () => {
  const required = defineAction(change, {
    path: '/lab/things/:thing_id/change',
    page: '/lab/things',
    button: 'Save',
    fields: { note: { label: 'Note', isRequired: true } },
  });
  assert.equal(required.fields.get('note')?.isRequired, true);
  assert.deepEqual(readBody(required, { note: '' }), { note: '' });
});

test('action: what was typed → the body in the types of the operation', () => {
  const form = {
    name: ' EGFR ',
    note: 'first\r\nsecond',
    price_cents: '12.5',
    purity: '97.5',
    weight: '33.5',
    size: 'a4',
    is_listed: 'yes',
    'roles:manager': 'yes',
    tags: 'His; Avi',
  };
  assert.deepEqual(readBody(action, form), {
    name: 'EGFR',
    note: 'first\nsecond',
    price_cents: 1250,
    purity: 97.5,
    weight: 33.5,
    size: 'a4',
    is_listed: true,
    roles: ['manager'],
    tags: ['His', 'Avi'],
  });
});

test('action: an empty field → null where the body may be null, nothing where it is optional, and empty where it is required', () => {
  const form = { name: '', note: '', lot: '', price_cents: '', purity: '', weight: '', size: '' };
  assert.deepEqual(readBody(action, form), {
    name: '',
    note: null,
    purity: null,
    weight: null,
    is_listed: false,
    roles: [],
  });
});

test('action: a number or an amount that is none → stays as it was typed, so that the operation names it', () => {
  const body = readBody(action, { name: 'x', price_cents: 'much', purity: 'pure' });
  assert.deepEqual([body.price_cents, body.purity], ['much', 'pure']);
});

test('action: names on lines of their own, and JSON → a list whose names may hold a semicolon, and the value', () => {
  const form = { name: 'x', names: 'one; more\r\n\r\n two ', settings: '{"drift": "none"}' };
  const { names, settings } = readBody(action, form);
  assert.deepEqual([names, settings], [['one; more', 'two'], { drift: 'none' }]);
  assert.equal(readBody(action, { ...form, settings: '' }).settings, undefined);
});

test('invalid_request: text that is no JSON → a problem of its field', () => {
  assert.throws(
    () => readBody(action, { name: 'x', settings: '{' }),
    (error: unknown) => {
      assert.ok(error instanceof Failure);
      assert.equal(error.code, 'invalid_request');
      assert.deepEqual(error.problems, [{ path: 'settings', message: 'is not valid JSON' }]);
      return true;
    },
  );
});

test('action: fields that the form does not have, or that the action does not name → not in the body', () => {
  const body = readBody(action, { name: 'x', organization_id: 'other', __proto__: 'x' });
  assert.deepEqual(body, { name: 'x', is_listed: false, roles: [] });
});

test('action: two deeds of a page whose addresses end in the same word → a sentence of its own for each', () => {
  const page = '/things';
  const deeds = ['members', 'invitations'].map((kind) => ({
    path: `/things/${kind}/:id/remove`,
    page,
    done: `${kind} removed`,
  }));
  assert.deepEqual(
    deeds.map((deed) => writeNext(deed, {})),
    ['/things?done=members-remove', '/things?done=invitations-remove'],
  );
});
