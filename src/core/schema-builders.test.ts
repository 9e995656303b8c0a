import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type as TypeBox } from 'typebox';
import { Type, type Builders } from './schema-builders.ts';

const described = { description: 'what it means' };

/** Every builder, with and without options, with optional and required properties. */
const createSchemas = (type: Builders): readonly object[] => [
  type.Array(type.String(), { minItems: 1 }),
  type.Array(type.Integer()),
  type.Boolean(described),
  type.Boolean(),
  type.Integer({ minimum: 1 }),
  type.Literal('screening', described),
  type.Literal(7),
  type.Literal(true),
  type.Null(described),
  type.Null(),
  type.Number({ exclusiveMinimum: 0 }),
  type.Object({}),
  type.Object(
    { a: type.String(), b: type.Optional(type.Integer(described)), c: type.Array(type.Number()) },
    { additionalProperties: false },
  ),
  type.Object({ a: type.Optional(type.String()) }),
  type.Optional(type.Object({ a: type.String() }, described)),
  type.Partial(type.Object({ a: type.String(), b: type.Optional(type.Null()) }), described),
  type.Record(type.String(), type.Number(), described),
  type.Record(type.String(), type.Object({ a: type.Optional(type.String()) })),
  type.String({ format: 'uuid', ...described }),
  type.String(),
  type.Union([type.String(), type.Null()], described),
  type.Union([type.Literal('a'), type.Literal('b')]),
  type.Unknown(described),
  type.Unknown(),
  type.Unsafe<'a'>({ type: 'string', enum: ['a'], ...described }),
  type.Object({ a: type.Optional(type.Unsafe<'a'>({ enum: ['a'] })) }),
];

test('schema builders: each with and without options → the same text as the schemas of TypeBox', () => {
  const own = createSchemas(Type).map((schema) => JSON.stringify(schema));
  assert.deepEqual(
    own,
    createSchemas(TypeBox).map((schema) => JSON.stringify(schema)),
  );
});

test('schema builders: a property is made optional → the schema that it was made from stays required', () => {
  const name = Type.String();
  Type.Optional(name);
  assert.deepEqual(Type.Object({ name }).required, ['name']);
});
