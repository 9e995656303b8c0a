import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { hasBody } from '#core/operation.ts';
import { staffRoles } from '#core/permissions.ts';
import type { TSchema } from '#core/schema.ts';
import { runAtOnce } from '#core/slices.ts';
import { groupFailuresByStatus } from '#transports/declared-failures.ts';
import { buildOpenapiDocument } from '#transports/openapi/document.ts';
import { writeFor } from '#transports/openapi/route.ts';
import { bindings } from '#transports/operations.ts';
import { audiences } from '#transports/permissions.ts';
import { DeclaredAnswers } from '#testing/declared-answers.ts';
import { testService } from '#testing/service.ts';
import { IS_WHOLE } from '#testing/turns.ts';
import { contract, notServed } from './contract.ts';

const PROBLEM_MEDIA = 'application/problem+json';
const ROOT = join(import.meta.dirname, '..', '..');
const published = runAtOnce(writeFor(bindings, new Set(['everyone'])));
const generated = runAtOnce(writeFor(bindings, new Set(['everyone', 'staff'])));
const { ask, issueToken, token: founderToken } = await testService();

test('openapi: the generated and the committed document → the same but for indentation; the served one lacks what clients do not see', async () => {
  const indented = `${JSON.stringify(JSON.parse(generated), null, 2)}\n`;
  assert.equal(readFileSync(join(ROOT, 'openapi.json'), 'utf8'), indented, 'run "npm run openapi"');
  const served = await ask('GET', '/openapi.json', { token: null });
  assert.equal(served.status, 200);
  assert.equal(served.text, published);
  assert.ok(!published.includes('/lab/') && !/"lab:|x-audience/.test(published));
  assert.ok(generated.includes('"x-audience": "staff"') || generated.includes('"x-audience":"staff"'));
});

test('openapi: operations for partners or staff alone → only they see their description', async () => {
  const read = async (token: string | null) => (await ask('GET', '/openapi.json', { token })).text;
  const client = await issueToken({ role: 'admin' });
  // The rights of staff are in admin tokens alone.
  const member = await issueToken({ role: 'member', isStaff: true });
  for (const token of [null, 'asy_test_nonsense', client, member]) assert.equal(await read(token), published);
  for (const role of staffRoles)
    assert.equal(await read(await issueToken({ staffRoles: [role] })), generated);
  const partner = await read(await issueToken({ isPartner: true }));
  assert.equal(partner, runAtOnce(writeFor(bindings, new Set(['everyone', 'partner']))));
  const whole = await ask('GET', '/openapi.json', { token: founderToken });
  assert.equal(whole.text, runAtOnce(writeFor(bindings, new Set(audiences))));
  assert.ok(whole.text.includes('/partners/mint-token'));
  assert.ok(!generated.includes('partner:mint_token'));
  const byKey = { token: null, headers: { 'x-service-api-key': founderToken } };
  assert.equal((await ask('GET', '/openapi.json', byKey)).text, whole.text);
});

test('openapi: the document → names its version and the version of OpenAPI', () => {
  const { openapi, info } = runAtOnce(buildOpenapiDocument(bindings));
  assert.equal(openapi, '3.1.0');
  assert.deepEqual(Object.entries(info ?? {}).find(([key]) => key === 'version')?.[1], '0.0.2');
});

test('openapi: the tag of every operation → has a description in the document', () => {
  const whole = runAtOnce(writeFor(bindings, new Set(audiences)));
  const { tags }: { tags: readonly { name: string }[] } = JSON.parse(whole);
  const described = new Set(tags.map(({ name }) => name));
  const used = [...new Set(bindings.map(({ operation }) => operation.tag))];
  assert.deepEqual(
    used.filter((tag) => !described.has(tag)),
    [],
  );
  assert.ok(used.length > 30);
});

test('openapi: a refusal as application/problem+json → declared for its status, and fits its schema', async () => {
  const declared = new DeclaredAnswers(runAtOnce(buildOpenapiDocument(bindings)));
  for (const { operation } of bindings) {
    const { id, method, path, permission } = operation;
    const headers = { accept: PROBLEM_MEDIA };
    // Public operations have no credential to refuse; an address that cannot be stored is refused by all.
    const query = permission === 'public' ? '?x=%00' : '';
    const answer = await ask(method, path.replaceAll(/[{}]/g, '') + query, { token: null, headers });
    assert.equal(answer.status, permission === 'public' ? 400 : 401, `${id} ${answer.text}`);
    assert.match(answer.headers['content-type'] ?? '', /^application\/problem\+json/);
    assert.deepEqual(declared.listMedia(operation, answer.status), ['application/json', PROBLEM_MEDIA], id);
    const isValid = declared.getValidator(operation, answer.status, PROBLEM_MEDIA);
    assert.ok(isValid(answer.body), `${id}: ${declared.describeProblems(isValid)}`);
  }
});

/** Checks the schemas themselves too; each judges one example, so it is not worth optimizing. */
const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
addFormats.default(ajv, ['uuid', 'date-time', 'uri']);

function assertFits(schema: TSchema | undefined, example: unknown, what: string): void {
  if (schema === undefined || example === undefined) return;
  const validate = ajv.compile(schema);
  assert.ok(validate(example), `${what}: ${ajv.errorsText(validate.errors)}`);
}

for (const { operation } of bindings) {
  test(`openapi: the examples of ${operation.id} → fit their schemas`, () => {
    const { id, params, query, body, output, example } = operation;
    assertFits(params, example.params, `${id} params`);
    assertFits(query, example.query, `${id} query`);
    assertFits(body, example.body, `${id} body`);
    assertFits(output, example.output, `${id} output`);
    assert.equal(params === undefined, example.params === undefined, `${id} has an example of its path`);
    if (operation.bodyMode === 'required') assert.ok(example.body !== undefined, `${id} has no example body`);
    const hasAnswer =
      hasBody(operation) && (operation.media ?? ['application/json']).includes('application/json');
    if (hasAnswer) assert.ok(example.output !== undefined, `${id} has no example answer`);
  });
}

function listStatuses(operationId: string): number[] {
  const binding = bindings.find(({ operation }) => operation.id === operationId);
  assert.ok(binding !== undefined, `there is no operation ${operationId}`);
  const { success, alternatives } = binding.operation;
  return [
    success ?? 200,
    ...Object.keys(alternatives ?? {}).map(Number),
    ...groupFailuresByStatus(binding).keys(),
  ];
}

for (const [id, { method, path, statuses }] of contract) {
  test(`contract: ${id} → is served at the path of the contract with its statuses`, () => {
    const operation = bindings.find((binding) => binding.operation.id === id)?.operation;
    assert.equal(operation?.method, method);
    assert.equal(operation?.path, path);
    const declared = listStatuses(id);
    assert.deepEqual(
      statuses.filter((status) => !declared.includes(status)),
      [],
    );
  });
}

test('contract: a status that is not served → is not declared', () => {
  for (const [id, status] of notServed) assert.ok(!listStatuses(id).includes(status), `${id} ${status}`);
});

test('openapi: every operation → has an id, a method and a path of its own', () => {
  const ids = bindings.map(({ operation }) => operation.id);
  assert.equal(new Set(ids).size, ids.length);
  const places = bindings.map(
    ({ operation }) => `${operation.method} ${operation.path.replaceAll(/\{\w+\}/g, '{}')}`,
  );
  assert.equal(new Set(places).size, places.length);
  for (const id of ids) assert.match(id, /^[a-z]+(_[a-z]+)*$/);
});

/** Runs a linter of the project; a finding is an exit code that is not zero. */
async function lint(tool: string, ...given: string[]): Promise<void> {
  const environment = {
    ...process.env,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    CI: 'true',
  };
  const program = join(ROOT, 'node_modules', '.bin', tool);
  await promisify(execFile)(process.execPath, [program, ...given], { cwd: ROOT, env: environment }).catch(
    (error: unknown) => assert.fail(JSON.stringify(error)),
  );
}

test('openapi: Redocly lints the document → no finding', () =>
  lint('redocly', 'lint', 'openapi.json', '--max-problems', '50'));

test('openapi: Spectral lints the document → no finding', () => {
  // The examples of each operation are held to their schemas above; Spectral compiles them all again at night.
  const ruleset = IS_WHOLE ? '.spectral.yaml' : 'tests/conformance/spectral-by-day.yaml';
  return lint('spectral', 'lint', 'openapi.json', '--fail-severity=hint', '--ruleset', ruleset);
});
