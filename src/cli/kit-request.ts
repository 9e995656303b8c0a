/** The request of a command, and what is printed or saved of its answer. */
import { basename } from 'node:path';
import { Failure } from '#core/failures.ts';
import { takesIdempotencyKey, type Operation } from '#core/operation.ts';
import { isRecord, toRecord, type UnknownRecord } from '#core/records.ts';
import { formatCount } from '#core/words.ts';
import { createValidator } from '#transports/validate.ts';
import { copyList, copyStream, printRecord, saveAnswer, type ListForm } from './answers.ts';
import { sendOnce, type Api } from './api.ts';
import { CommandError, RefusedError } from './command-error.ts';
import type { ConnectionOptions } from './connection.ts';
import { openFile, readJsonRecord, readTextFile } from './files.ts';
import { parseFields, requireFields } from './select-fields.ts';
import { createShapeError } from './requests.ts';
import { printNote } from './terminal.ts';
import { toText } from './words.ts';
import {
  fillMembers,
  listOperands,
  nameProblem,
  type Flag,
  type ReadValue,
  type Request,
} from './kit-flags.ts';

export interface Given extends ConnectionOptions, Pick<ListForm, 'csv' | 'limit' | 'all' | 'watch'> {
  readonly words: string;
  readonly json?: boolean;
  readonly fields?: string;
  readonly body?: string;
  readonly yes?: boolean;
  readonly output?: string;
  readonly force?: boolean;
  readonly idempotencyKey?: string;
  readonly dataDir?: string;
}

const OTHER_FORMS = new Set(['application/json', 'text/event-stream']);

/** Whether the answer is a document unless JSON is wanted; a list in several forms is a list. */
export function isDocument({ media = [], list, success }: Operation): boolean {
  return success === 307 || (list === undefined && media.some((type) => !OTHER_FORMS.has(type)));
}

/** What the arguments are read with. */
export interface Reader {
  readonly flags: readonly Flag[];
  readonly readValue: ReadValue;
  readonly findOperand: (name: string, text: string, params: UnknownRecord) => Promise<string>;
}

export async function readRequest(
  operation: Operation,
  { flags, readValue, findOperand }: Reader,
  operands: readonly string[],
  given: Given,
): Promise<Request> {
  const names = listOperands(operation);
  const file = operands[names.length];
  const params: Record<string, unknown> = {};
  for (const [index, name] of names.entries())
    params[name] = await findOperand(name, operands[index] ?? '', params);
  const { upload } = operation;
  // The file is stored under its own name.
  if (upload !== undefined && file !== undefined) params['name'] = basename(file);
  const query = await fillMembers(flags, 'query', given, { start: {}, readValue });
  if (operation.body === undefined) {
    const content = file === undefined ? undefined : await openFile(file, upload?.bytesMax);
    return { params, query, file, content };
  }
  const whole = given.body === undefined ? {} : await readJsonRecord(given.body);
  const { properties } = toRecord(operation.body);
  // An operation that wants a token wants the one in use.
  const own = toRecord(properties)['token'] === undefined ? {} : { token: given.token };
  const { member } = operation.text ?? {};
  const text = member === undefined ? {} : { [member]: await readTextFile(file ?? '-') };
  const body = await fillMembers(flags, 'body', given, { start: whole, readValue });
  return { params, query, body: { ...text, ...own, ...body } };
}

/** Checks what the schemas say, before anything is sent; names every mistake by its flag. */
export async function checkRequest(
  operation: Operation,
  flags: readonly Flag[],
  { params, query, body }: Request,
): Promise<void> {
  const validator = await createValidator(operation);
  try {
    await validator.check({ params: { ...params }, query: { ...query }, body, headers: {} }, 0);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const mistakes = error.problems.map((problem) => nameProblem(flags, problem));
    throw new CommandError(mistakes.join('\n'), 2);
  }
}

async function answer(api: Api, operation: Operation, request: Request, given: Given): Promise<void> {
  const { media = [], method, list, output, path } = operation;
  const address = `${fillPath(path, request.params)}${formatQuery(request.query ?? {})}`;
  if (media.includes('text/event-stream'))
    return copyStream(api, address, { json: given.json, fields: parseFields(given.fields) });
  const hasJson = !isDocument(operation) || media.includes('application/json');
  if (!(given.json === true && hasJson) && (given.output !== undefined || isDocument(operation)))
    return saveAnswer(api, address, media, given);
  const form = { ...given, fields: parseFields(given.fields) };
  if (list !== undefined) return copyList(api, address, operation, form);
  const { properties } = toRecord(output);
  // Before anything is sent: a change that ends with a complaint about its answer is made twice.
  if (isRecord(properties)) requireFields(properties, form.fields);
  const body = request.content ?? request.body;
  const ask = { method, path: address, body, key: given.idempotencyKey };
  const answered = (await (takesIdempotencyKey(operation) ? sendOnce(api, ask) : api.get(address))) ?? {};
  if (operation.success === 204 && given.json !== true) printNote('Done.');
  else if (properties !== undefined && !isRecord(answered))
    throw createShapeError(api.connection, 'an answer of this API');
  else printRecord(operation, answered, form);
  if (operation.effect === 'read') refuseProblems(answered);
}

/** A check that finds errors ends with 1, for scripts. */
function refuseProblems(answered: unknown): void {
  const { problems } = toRecord(answered);
  const errors = Array.isArray(problems)
    ? problems.filter((problem) => (toRecord(problem)['severity'] ?? 'error') === 'error')
    : [];
  if (errors.length > 0) throw new CommandError(`${formatCount(errors.length, 'problem')} found.`);
}

/** Sends each file; one that is refused does not stop the others. */
export async function answerEach(
  api: Api,
  operation: Operation,
  requests: readonly Request[],
  given: Given,
): Promise<void> {
  let refused = 0;
  for (const request of requests)
    try {
      await answer(api, operation, request, given);
    } catch (error) {
      if (requests.length === 1 || !(error instanceof RefusedError)) throw error;
      refused += 1;
      printNote(error.message);
    }
  if (refused > 0) throw new CommandError(`${formatCount(refused, 'file')} of ${requests.length} refused.`);
}

/** The address with the operands in their places. */
export function fillPath(path: string, params: UnknownRecord = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodePart(name, params[name]));
}

/** Refuses what the URL standard would read as another path. */
function encodePart(name: string, part: unknown): string {
  const text = toText(part);
  if (!/^\.{0,2}$/.test(text)) return encodeURIComponent(text);
  throw new CommandError(`${name.toUpperCase().replaceAll('_', '-')} must not be "${text}".`, 2);
}

function formatQuery(query: UnknownRecord): string {
  const parts = Object.entries(query).map(([name, value]): [string, string] => [name, toText(value)]);
  return parts.length === 0 ? '' : `?${new URLSearchParams(parts).toString()}`;
}
