/** The request of a command, from its arguments. */
import { basename } from 'node:path';
import { Failure } from '#core/failures.ts';
import type { Operation } from '#core/operation.ts';
import { toRecord, type UnknownRecord } from '#core/records.ts';
import { createValidator } from '#transports/validate.ts';
import type { ListForm } from './answers.ts';
import { CommandError } from './command-error.ts';
import type { ConnectionOptions } from './connection.ts';
import { openFile, readJsonRecord, readTextFile } from './files.ts';
import { listOperands, type Flag, type Request } from './kit-flags.ts';
import { nameProblem } from './name-problems.ts';
import type { Resolve } from './kit-values.ts';
import { fillMembers, type TypedMembers } from './typed-members.ts';

export interface Given extends ConnectionOptions, Pick<ListForm, 'json' | 'csv' | 'limit' | 'all' | 'watch'> {
  readonly words: string;
  readonly fields?: string;
  readonly body?: string;
  readonly yes?: boolean;
  readonly output?: string;
  readonly force?: boolean;
  readonly idempotencyKey?: string;
  readonly dataDir?: string;
}

/** What the arguments are read with. */
export interface Reader {
  readonly typed: TypedMembers;
  readonly resolve: Resolve;
  readonly findOperand: (name: string, text: string, params: UnknownRecord) => Promise<string>;
}

export async function readRequest(
  operation: Operation,
  { typed, resolve, findOperand }: Reader,
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
  const query = toRecord(await resolve(operation.query, await fillMembers(typed, 'query', {}), params));
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
  const typedBody = await fillMembers(typed, 'body', whole);
  const body = toRecord(await resolve(operation.body, typedBody, params));
  return { params, query, body: { ...text, ...own, ...body }, typedBody };
}

/** Checks what the schemas say, before anything is sent; names every mistake by its flag. */
export async function checkRequest(
  operation: Operation,
  flags: readonly Flag[],
  request: Request,
): Promise<void> {
  const { params, query, body } = request;
  const validator = await createValidator(operation);
  try {
    await validator.check({ params: { ...params }, query: { ...query }, body, headers: {} }, 0);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const mistakes = error.problems.map((problem) => nameProblem(flags, problem, request));
    throw new CommandError(mistakes.join('\n'), 2);
  }
}
