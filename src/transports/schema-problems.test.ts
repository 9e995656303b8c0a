import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Nullable, OneOf, strict, Type, type TSchema } from '#core/schema.ts';
import { collectProblems } from './schema-problems.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true });

/** Lists every problem as `path: message`. */
function listProblems(schema: TSchema, value: unknown): string[] {
  const validate = ajv.compile(schema);
  assert.equal(validate(value), false);
  return collectProblems(validate.errors ?? []).map(({ path, message }) => `${path}: ${message}`);
}

const sequence = Type.Union([
  Type.String(),
  Type.Object({ aa_string: Type.String(), control: Type.Optional(Type.Boolean()) }, strict),
]);
const pricing = Type.Union([
  Type.Object({ type: Type.Literal('per_sequence'), cents: Type.Integer({ minimum: 1 }) }, strict),
  Type.Object({ type: Type.Literal('per_lot'), lots: Type.Array(Type.Integer()) }, strict),
]);
const order = Type.Object({
  sequences: Type.Record(Type.String(), sequence),
  method: Type.Optional(Nullable(OneOf(['bli', 'spr']))),
  pricing: Type.Optional(Nullable(pricing)),
});
const checkOne = (value: unknown, more: object = {}) =>
  listProblems(order, { sequences: { 'a/1': value }, ...more });

test('union: a value of no allowed kind → the message lists the forms', () => {
  assert.deepEqual(checkOne(7), ['sequences.a/1: must be a string or an object with aa_string']);
  assert.deepEqual(checkOne('A', { method: 7 }), ['method: must be one of bli, spr or null']);
  assert.deepEqual(checkOne('A', { pricing: 7 }), [
    'pricing: must be an object with type "per_sequence" or an object with type "per_lot" or null',
  ]);
});

test('union: a value of one allowed kind → only what is wrong with that form', () => {
  assert.deepEqual(checkOne({ aa_string: 'A', color: 1 }), ['sequences.a/1.color: is not a known field']);
  assert.deepEqual(checkOne({ control: 'yes' }), [
    'sequences.a/1.aa_string: is required',
    'sequences.a/1.control: must be boolean',
  ]);
  assert.deepEqual(checkOne('A', { method: 'elisa' }), ['method: must be one of bli, spr']);
});

test('union: objects with a constant → problems of the form that was meant', () => {
  assert.deepEqual(checkOne('A', { pricing: { type: 'per_sequence', cents: 0 } }), [
    'pricing.cents: must be at least 1',
  ]);
  assert.deepEqual(checkOne('A', { pricing: { type: 'per_lot', lots: ['x'] } }), [
    'pricing.lots.0: must be integer',
  ]);
});

test('union: no form was meant → the forms, and what the closest of them lacks', () => {
  assert.deepEqual(checkOne('A', { pricing: { type: 'per_lott', cents: 5 } }), [
    'pricing: must be an object with type "per_sequence" or an object with type "per_lot"; for an object with type "per_sequence", type must be "per_sequence"',
  ]);
  const address = Type.Union([
    Type.Object({ street: Type.String(), town: Type.String() }),
    Type.Object({ box: Type.Integer() }),
  ]);
  assert.deepEqual(listProblems(Type.Object({ to: address }), { to: {} }), [
    'to: must be an object with street and town or an object with box; for an object with box, box is required',
  ]);
});

test('union: 50 wrong values → each is named by its path', () => {
  const sequences = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`s${n}`, n % 2 === 0 ? n : {}]));
  const problems = listProblems(order, { sequences });
  assert.equal(problems.length, 50);
  assert.equal(problems[0], 'sequences.s0: must be a string or an object with aa_string');
  assert.equal(problems[1], 'sequences.s1.aa_string: is required');
});

test('pattern: a text that does not match → what is not allowed or what the field is, never the pattern', () => {
  const line = Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]*$' });
  const lines = Type.String({ pattern: '^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f]*$' });
  const name = Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f/\\\\]+$' });
  const country = Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2, such as DE' });
  const form = Type.Object({ line, lines, name, country });
  const input = { line: 'a\nb', lines: 'a\tb', name: '../a', country: 'de' };
  assert.deepEqual(listProblems(form, input), [
    'line: must not have control characters, such as line breaks',
    'lines: must not have control characters other than line feeds',
    'name: must not have control characters, such as line breaks, nor / or \\',
    'country: must be ISO 3166-1 alpha-2, such as DE',
  ]);
});

test('limits: too few, too many, too small, too large → the limit in words', () => {
  const limits = Type.Object({
    name: Type.String({ minLength: 1 }),
    email: Type.String({ minLength: 3 }),
    note: Type.String({ maxLength: 2 }),
    roles: Type.Array(Type.String(), { minItems: 1 }),
    tags: Type.Array(Type.String(), { maxItems: 1 }),
    days: Type.Integer({ minimum: 1 }),
    purity: Type.Number({ maximum: 100 }),
    kd_m: Type.Number({ exclusiveMinimum: 0 }),
    part: Type.Number({ exclusiveMaximum: 1 }),
  });
  const value = { name: '', email: 'a', note: 'abc', roles: [], tags: ['a', 'b'], days: 0, purity: 101 };
  assert.deepEqual(listProblems(limits, { ...value, kd_m: 0, part: 1 }), [
    'name: must not be empty',
    'email: must have at least 3 characters',
    'note: must have at most 2 characters',
    'roles: must have at least 1 item',
    'tags: must have at most 1 item',
    'days: must be at least 1',
    'purity: must be at most 100',
    'kd_m: must be more than 0',
    'part: must be less than 1',
  ]);
});
