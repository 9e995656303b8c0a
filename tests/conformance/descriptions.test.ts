/** What clients, agents and the reference page read of each field. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runAtOnce } from '#core/slices.ts';
import { createTools } from '#transports/mcp/tools.ts';
import { buildOpenapiDocument } from '#transports/openapi/document.ts';
import { bindings } from '#transports/operations.ts';
import { collectFields, isNameRepeated } from '#testing/described-fields.ts';

const document = collectFields(runAtOnce(buildOpenapiDocument(bindings)));
const tools = [...runAtOnce(createTools(bindings)).values()].map(({ tool }) => tool);
const inputs = collectFields(tools.map(({ name, inputSchema }) => ({ name, inputSchema })));
const SENTENCE_LENGTH_MAX = 160;

test('descriptions: the walk over the OpenAPI document → finds fields of records, fields of inline bodies and parameters', () => {
  const places = new Set(document.map(({ place }) => place));
  for (const known of ['KineticInterval.ci_low', 'confirm_quote.quote_id', 'delete_exp.Idempotency-Key'])
    assert.ok(places.has(known), known);
  assert.ok(document.length > 1_000 && inputs.length > 500, `${document.length} and ${inputs.length} fields`);
});

test('descriptions: a field, parameter or argument without a description → named', () => {
  const bare = [...document, ...inputs].filter(({ description }) => description.trim() === '');
  assert.deepEqual([...new Set(bare.map(({ place }) => place))], []);
});

test('descriptions: a description that only repeats the name → named', () => {
  const repeating = [...document, ...inputs].filter(({ name, description }) =>
    isNameRepeated(name, description),
  );
  assert.deepEqual([...new Set(repeating.map(({ place, description }) => `${place}: ${description}`))], []);
});

test('descriptions: a description that is too long for a list → named', () => {
  // What a list can be asked about is told in its `filter` and `sort`, name by name.
  const fields = document.filter(({ name }) => name !== 'filter' && name !== 'sort');
  const long = fields.filter(({ description }) => description.length > SENTENCE_LENGTH_MAX);
  assert.deepEqual([...new Set(long.map(({ place }) => place))], []);
});

test('descriptions: the words of the name in another order, number or case → a repetition; one word more → none', () => {
  for (const [name, description] of [
    ['result_id', 'Id of the result.'],
    ['experiment_code', 'the code of an experiment'],
    ['expiresAt', 'at which it expires'],
    ['sequence_ids', 'ids of sequences'],
  ] as const)
    assert.ok(isNameRepeated(name, description), description);
  for (const [name, description] of [
    ['result_id', 'id of any version of the result'],
    ['expires_at', 'UTC; null: it does not expire'],
    ['kd', 'dissociation constant in M'],
  ] as const)
    assert.ok(!isNameRepeated(name, description), description);
});
