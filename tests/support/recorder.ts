/**
 * Watches what a test provokes. Every answer is held against the published document as it passes: a status, a failure
 * code, a media type or a field that the document does not declare fails the test that caused it. At the end of a
 * file, whatever its operations declare and nothing provoked is listed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getFailureStatus, isFailureCode, type FailureCode } from '#core/failures.ts';
import type { Operation } from '#core/operation.ts';
import { runAtOnce } from '#core/slices.ts';
import type { Binding } from '#features/binding.ts';
import { listDeclaredFailures } from '#transports/declared-failures.ts';
import { buildOpenapiDocument } from '#transports/openapi/document.ts';
import { bindings } from '#transports/operations.ts';
import { DeclaredAnswers } from './declared-answers.ts';
import {
  testService,
  getText,
  type Ask,
  type TestAnswer,
  type TestService,
  type TestServiceParts,
} from './service.ts';

const declared = new DeclaredAnswers(runAtOnce(buildOpenapiDocument(bindings)));

/** By operation id: statuses of success as text, and failure codes. */
type Provoked = Map<string, Set<string>>;

/** By test file, because files share a process and each answers for itself. */
const provokedByFile = new Map<string, Provoked>();

function findProvoked(): Provoked {
  const file = process.env['ASSAYER_TEST_FILE'] ?? '';
  const provoked = provokedByFile.get(file) ?? new Map<string, Set<string>>();
  provokedByFile.set(file, provoked);
  return provoked;
}

/** A service whose every answer is recorded and checked. */
export async function createRecordedService(
  variables?: Readonly<Record<string, string>>,
  parts?: TestServiceParts,
): Promise<TestService> {
  const service = await testService(variables, parts);
  return { ...service, ask: recordAnswers(service.ask) };
}

type Asker = TestService['ask'];

function recordAnswers(ask: Asker): Asker {
  return async (method: string, path: string, options?: Ask) => {
    const answer = await ask(method, path, options);
    record(method, path, answer);
    return answer;
  };
}

/** By method and number of parts, because every answer is looked up; a literal part is closer than a parameter. */
const bindingsByShape = Map.groupBy(
  bindings
    .map((binding) => ({ binding, parts: binding.operation.path.split('/') }))
    .toSorted((a, b) => countParameters(a.binding.operation) - countParameters(b.binding.operation)),
  ({ binding, parts }) => `${binding.operation.method} ${parts.length}`,
);

function findBinding(method: string, path: string): Binding | undefined {
  const [plain = ''] = path.split('?');
  const segments = plain.split('/');
  const found = bindingsByShape
    .get(`${method} ${segments.length}`)
    ?.find(({ parts }) => parts.every((part, index) => part.startsWith('{') || part === segments[index]));
  return found?.binding;
}

function countParameters({ path }: Operation): number {
  return path.split('{').length - 1;
}

function record(method: string, path: string, answer: TestAnswer): void {
  const binding = path.startsWith('//') ? undefined : findBinding(method, path);
  const requestId = answer.headers['x-request-id'];
  assert.match(requestId ?? '', /^req_[0-9a-f-]{36}$/, `${method} ${path} has no request id`);
  if (binding === undefined) return;
  const isAlternative = binding.operation.alternatives?.[answer.status] !== undefined;
  if (answer.status >= 400 && !isAlternative) recordFailure(binding, answer, requestId);
  else recordSuccess(binding, answer);
}

function recordFailure(binding: Binding, answer: TestAnswer, requestId: string | undefined): void {
  const { id } = binding.operation;
  const code = getText(answer.body.code);
  assert.equal(answer.body.request_id, requestId, `${id} ${code}: the body names another request`);
  assert.ok(isFailureCode(code), `${id} answered ${answer.status} with the unknown code ${code}`);
  assert.equal(answer.status, getFailureStatus(code), `${id} ${code}`);
  assert.ok(
    listDeclaredFailures(binding).includes(code),
    `${id} answered ${code}, which it does not declare`,
  );
  assert.doesNotMatch(answer.text, /\{\w+\}|undefined|\[object|select |insert into|relation "/, answer.text);
  validate(binding.operation, answer);
  addProvoked(id, code);
}

function recordSuccess({ operation }: Binding, answer: TestAnswer): void {
  const promised = [operation.success ?? 200, ...Object.keys(operation.alternatives ?? {}).map(Number)];
  assert.ok(
    promised.includes(answer.status),
    `${operation.id} answered ${answer.status}, which it does not declare: ${answer.text}`,
  );
  if (answer.status === 307)
    assert.ok(URL.canParse(answer.headers.location ?? ''), 'a redirect says where to');
  if (answer.status === 204 || (answer.status === 307 && operation.media === undefined))
    assert.equal(answer.text, '');
  else validate(operation, answer);
  addProvoked(operation.id, String(answer.status));
}

function validate(operation: Operation, answer: TestAnswer): void {
  const [type = ''] = (answer.headers['content-type'] ?? '').split(';');
  const { status, text } = answer;
  const place = `${operation.id} ${status}`;
  assert.ok(declared.listMedia(operation, status).includes(type), `${place} declares no ${type}: ${text}`);
  const check = declared.getValidator(operation, status, type);
  const isJson = type === 'application/json' || type === 'application/problem+json';
  const fits = check(isJson ? answer.body : text);
  assert.ok(fits, `${place} differs from its schema: ${declared.describeProblems(check)}\n${text}`);
}

function addProvoked(operationId: string, what: string): void {
  const provoked = findProvoked();
  const seen = provoked.get(operationId) ?? new Set();
  provoked.set(operationId, seen.add(what));
}

/** What an operation itself promises: its success, its alternatives, its own failures. The door's are in the matrix. */
function listOwnPromises({ operation }: Binding): string[] {
  const statuses = [operation.success ?? 200, ...Object.keys(operation.alternatives ?? {})].map(String);
  return [...statuses, ...operation.failures];
}

/** The last test of a file of `tests/operations`: everything the operations of its tag promise was provoked. */
export function proveCoverage(tag: string): void {
  test(`coverage: everything that the operations of "${tag}" declare → was provoked`, () => {
    const own = bindings.filter(({ operation }) => operation.tag === tag);
    assert.ok(own.length > 0, `there is no operation with the tag ${tag}`);
    proveProvoked(own.flatMap((binding) => listOwnPromises(binding).map((what) => [binding, what] as const)));
  });
}

/** The failures the door raises by itself: every declared one that is not an operation's own. */
export function listDoorPromises(): [Binding, FailureCode][] {
  return bindings.flatMap((binding) =>
    listDeclaredFailures(binding)
      .filter((code) => !binding.operation.failures.includes(code))
      .map((code): [Binding, FailureCode] => [binding, code]),
  );
}

export function proveProvoked(promises: readonly (readonly [Binding, string])[]): void {
  const provoked = findProvoked();
  const missing = promises
    .filter(([{ operation }, what]) => provoked.get(operation.id)?.has(what) !== true)
    .map(([{ operation }, what]) => `${operation.id} ${what}`);
  assert.deepEqual(missing, [], 'declared and never provoked');
}
