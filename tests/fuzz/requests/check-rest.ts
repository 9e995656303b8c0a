/** Holds an answer of the API to the document that the service serves. */
import type { Binding } from '#features/binding.ts';
import { listDeclaredFailures } from '#transports/declared-failures.ts';
import { bindings } from '#transports/operations.ts';
import { isFailureCode } from '#core/failures.ts';
import type { DeclaredAnswers } from '#testing/declared-answers.ts';
import { checkErrorForm, getCode, type CheckParts } from './check-answer.ts';
import type { Answer, Shot } from './shot.ts';

const API = '/api/v1';

/** By method and route, as the router knows it. */
const byRoute: ReadonlyMap<string, Binding> = new Map(
  bindings.map((binding) => {
    const { method, path } = binding.operation;
    return [`${method} ${API}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`, binding];
  }),
);

const codesOf: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  bindings.map((binding) => [binding.operation.id, new Set<string>(listDeclaredFailures(binding))]),
);

export function findBinding(method: string, route: string | null | undefined): Binding | undefined {
  return route === null || route === undefined ? undefined : byRoute.get(`${method} ${route}`);
}

/** Where no operation is served: nothing there, another method, or what no route takes. */
const UNROUTED: ReadonlySet<number> = new Set([400, 404, 405, 414, 415, 431]);

export function checkUnrouted(parts: CheckParts, where: string, shot: Shot, answer: Answer): void {
  const { status, headers } = answer;
  if (!UNROUTED.has(status))
    parts.findings.add(
      'declared statuses and codes',
      where,
      `${status} where nothing is served`,
      shot,
      answer,
    );
  if (status === 405 && headers.allow === undefined)
    parts.findings.add('error form', where, '405 without Allow', shot, answer);
  if (shot.method !== 'HEAD') checkErrorForm(parts, where, shot, answer);
}

export function checkRest(
  parts: CheckParts,
  declared: DeclaredAnswers,
  { operation }: Binding,
  shot: Shot,
  answer: Answer,
): void {
  const { findings } = parts;
  const { id } = operation;
  const { status } = answer;
  if (!declared.listStatuses(operation).includes(status)) {
    const what = `${status} ${getCode(answer.json) ?? ''} is no declared status`;
    return findings.add('declared statuses and codes', id, what, shot, answer);
  }
  const isRefusal = status >= 400 && operation.alternatives?.[status] === undefined;
  if (isRefusal) {
    checkErrorForm(parts, id, shot, answer);
    const code = getCode(answer.json) ?? '';
    if (isFailureCode(code) && codesOf.get(id)?.has(code) !== true)
      findings.add('declared statuses and codes', id, `${status} ${code} is no declared code`, shot, answer);
  }
  checkSchema(parts, declared, operation, shot, answer);
}

function checkSchema(
  { findings }: CheckParts,
  declared: DeclaredAnswers,
  operation: Binding['operation'],
  shot: Shot,
  answer: Answer,
): void {
  const { id } = operation;
  const { status, headers, bytes, text, json } = answer;
  const media = declared.listMedia(operation, status);
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const add = (what: string): void => findings.add('declared schemas', id, what, shot, answer);
  if (media.length === 0) {
    if (bytes.length > 0) add(`${status} declares no body and has one of ${type}`);
    return;
  }
  if (!media.includes(type))
    return add(`${status} declares no ${type === '' ? 'answer without a type' : type}`);
  const isJson = type === 'application/json' || type === 'application/problem+json';
  if (isJson && json === undefined) return add(`${status} is no JSON`);
  const validate = declared.getValidator(operation, status, type);
  if (!validate(isJson ? json : text))
    add(`${status} differs from its schema: ${declared.describeProblems(validate)}`);
}
