/** The OpenAPI document is light: what repeats is written once, and nothing is lost by that. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runAtOnce } from '#core/slices.ts';
import { shareSchemas } from '#transports/openapi/shared-schemas.ts';
import { buildOpenapiDocument } from '#transports/openapi/document.ts';
import { writeFor } from '#transports/openapi/route.ts';
import { bindings } from '#transports/operations.ts';
import manifest from '../../package.json' with { type: 'json' };

const LENGTH_MAX = 1_000_000;

const point = {
  type: 'object',
  required: ['x', 'y'],
  properties: {
    x: { type: 'number', description: 'place from the left border of the plate in mm' },
    y: { type: 'number', description: 'place from the upper border of the plate in mm' },
  },
};
const small = { type: 'object', properties: { x: { type: 'number' } } };

function createPaths(schema: object, other: object = schema): Record<string, unknown> {
  const describe = (operationId: string, answer: object): object => ({
    operationId,
    responses: { 200: { content: { 'application/json': { schema: answer, example: schema } } } },
  });
  return { '/a': { get: describe('get_a', schema) }, '/b': { get: describe('get_b', other) } };
}

function createAnswer(schema: object, description: string): object {
  return { type: 'object', properties: { points: { type: 'array', items: { ...schema, description } } } };
}

test('shared schemas: the same record in two answers → one component, two references with their own descriptions', () => {
  const paths = createPaths(createAnswer(point, 'of the first'), createAnswer(point, 'of the second'));
  const shared = runAtOnce(shareSchemas({ paths, schemas: {} }));
  assert.deepEqual(shared.schemas, { GetAPoint: point });
  const text = JSON.stringify(shared.paths);
  for (const description of ['of the first', 'of the second'])
    assert.ok(text.includes(JSON.stringify({ $ref: '#/components/schemas/GetAPoint', description })));
});

test('shared schemas: a record that is short, or stands once → stays in its place', () => {
  const short = { paths: createPaths(small), schemas: {} };
  assert.deepEqual(runAtOnce(shareSchemas(short)), short);
  const once = { paths: createPaths(point, small), schemas: {} };
  assert.deepEqual(runAtOnce(shareSchemas(once)), once);
});

test('shared schemas: a record like a component, and a name that is taken → the component, and a number', () => {
  const like = runAtOnce(shareSchemas({ paths: createPaths(point), schemas: { Point: point } }));
  assert.deepEqual(like.schemas, { Point: point });
  assert.ok(JSON.stringify(like.paths).includes('#/components/schemas/Point"'));
  const shared = runAtOnce(shareSchemas({ paths: createPaths(point), schemas: { GETAANSWER: small } }));
  assert.deepEqual(Object.keys(shared.schemas), ['GETAANSWER', 'GetAAnswer2']);
});

test('shared schemas: an example that looks like a schema → stays as it is', () => {
  const shared = runAtOnce(shareSchemas({ paths: createPaths(point), schemas: {} }));
  assert.ok(JSON.stringify(shared.paths).includes(`"example":${JSON.stringify(point)}`));
});

test('openapi: the whole document → every reference has its component, and it stays light', () => {
  const text = runAtOnce(writeFor(bindings, new Set(['everyone', 'staff', 'partner'])));
  const { components } = runAtOnce(buildOpenapiDocument(bindings));
  assert.ok(typeof components === 'object' && components !== null);
  const references = new Set(
    [...text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g)].map(([, ...place]) => place.join('/')),
  );
  const known = new Set(
    Object.entries(components).flatMap(([kind, all]) =>
      Object.keys(Object(all)).map((name) => `${kind}/${name}`),
    ),
  );
  assert.deepEqual(
    [...references].filter((reference) => !known.has(reference)),
    [],
  );
  assert.ok(references.size > 100, `${references.size} references`);
  assert.ok(text.length < LENGTH_MAX, `${text.length} characters`);
});

test('openapi: the served document → no indentation; its info names the version of the contract and of the software', () => {
  const text = runAtOnce(writeFor(bindings, new Set(['everyone'])));
  assert.ok(!text.trimEnd().includes('\n'));
  const { info }: { info: Record<string, unknown> } = JSON.parse(text);
  assert.deepEqual([info.version, info['x-software-version']], ['0.0.2', manifest.version]);
});
