/** Splits the arguments of a tool into the path, query and body of its operation. */
import { fail, type Failure } from '#core/failures.ts';
import { writeExampleFilter } from '#core/filter/index.ts';
import type { AnyInput } from '../binding.ts';
import type { BodyShape } from '../bodies/shape.ts';
import { describeUnknownField, listUnwrapped } from '../misplaced.ts';
import { readJsonText } from './json-text.ts';
import type { Argument, OperationTool, Place } from './tools.ts';

export interface SplitArguments {
  readonly input: AnyInput;
  readonly idempotencyKey: string | undefined;
}

export interface ReadArguments {
  readonly args: Readonly<Record<string, unknown>>;
  /** What was read otherwise than it was sent. */
  readonly notes: readonly string[];
}

/** Reads the JSON texts among the arguments of the body. */
export async function readArguments(
  tool: OperationTool,
  args: Readonly<Record<string, unknown>>,
  shape: BodyShape,
): Promise<ReadArguments> {
  const read = { ...args };
  const notes: string[] = [];
  for (const [name, { place }] of tool.arguments) {
    if (place !== 'body' || !Object.hasOwn(args, name)) continue;
    const { value, paths } = await readJsonText(
      args[name],
      tool.tool.inputSchema.properties?.[name],
      name,
      shape,
    );
    read[name] = value;
    for (const path of paths)
      notes.push(`Note: ${path} arrived as JSON text and was read as JSON; send the value itself.`);
  }
  return { args: read, notes };
}

const SHOWN_NAME_MAX = 64;
const PROBLEMS_MAX = 100;

export function splitArguments(tool: OperationTool, args: Readonly<Record<string, unknown>>): SplitArguments {
  refuseUnknown(tool, args);
  const listArgumentsAt = (place: Place): [Argument, unknown][] =>
    [...tool.arguments]
      .filter(([name, argument]) => argument.place === place && Object.hasOwn(args, name))
      .map(([name, argument]) => [argument, args[name]]);
  // Agents send null for omitted arguments; a path or a query has no null.
  const record = (place: Place, keepNull = false): Record<string, unknown> =>
    Object.fromEntries(
      listArgumentsAt(place)
        .filter(([, value]) => keepNull || value !== null)
        .map(([{ name }, value]) => [name, value]),
    );
  const { operation } = tool.binding;
  return {
    input: {
      params: record('params'),
      query: record('query'),
      body: operation.body === undefined ? undefined : record('body', true),
      headers: {
        'payment-method': findText('payment_method', listArgumentsAt('payment-method')),
        'payment-signature': findText('payment_signature', listArgumentsAt('payment-signature')),
        'payment-authorization': findText('payment_authorization', listArgumentsAt('payment-authorization')),
        accept: 'application/json',
      },
    },
    idempotencyKey: findText('idempotency_key', listArgumentsAt('idempotency-key')),
  };
}

function findText(name: string, [found]: readonly [Argument, unknown][]): string | undefined {
  const value = found?.[1];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw createRefusal([{ path: name, message: 'must be string' }]);
  return value;
}

function refuseUnknown(tool: OperationTool, args: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(args).filter((name) => !tool.arguments.has(name));
  if (unknown.length === 0) return;
  const { list } = tool.binding.operation;
  const advice =
    list === undefined ? '' : `; compare fields with \`filter\`, such as ${writeExampleFilter(list)}`;
  const { inputSchema } = tool.tool;
  const missing = (inputSchema.required ?? []).filter(
    (name) => !Object.hasOwn(args, name) && listUnwrapped(name, args, inputSchema).length === 0,
  );
  throw createRefusal([
    ...unknown.slice(0, PROBLEMS_MAX).map((name) => ({
      path: toPrintableName(name),
      message:
        describeUnknownField(toPrintableName(name), args, inputSchema) + advice + nameTakers(tool, name),
    })),
    // A required argument is often the one that was misnamed.
    ...missing.map((name) => ({ path: name, message: 'is required' })),
  ]);
}

function nameTakers(tool: OperationTool, name: string): string {
  const takers = tool.listTakers(name);
  return takers.length === 0 ? '' : `; with it, call ${takers.join(' or ')}`;
}

function createRefusal(problems: readonly { path: string; message: string }[]): Failure {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  const reason = `${first?.path ?? 'arguments'}: ${first?.message ?? 'not valid'}${more}.`;
  return fail('invalid_request', { reason }, { problems });
}

function toPrintableName(name: string): string {
  const clean = name.replaceAll(/[^\x20-\x7e]/g, '?');
  return clean.length > SHOWN_NAME_MAX ? `${clean.slice(0, SHOWN_NAME_MAX)}…` : clean;
}
