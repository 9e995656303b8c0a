/** Splits the arguments of a tool into the path, query and body of its operation. */
import { type Problem, fail, Failure } from '#core/failures.ts';
import { writeExampleFilter } from '#core/filter/index.ts';
import type { AnyInput } from '#features/binding.ts';
import type { BodyShape } from '../bodies/shape.ts';
import { describeUnknownField } from '../misplaced.ts';
import type { Argument, OperationTool, Place } from './tools.ts';
import { setImmediate } from 'node:timers/promises';
import { isRecord, toRecord } from '#core/records.ts';
import { JsonReader } from '../bodies/json-reader.ts';

interface SplitArguments {
  readonly input: AnyInput;
  readonly idempotencyKey: string | undefined;
  /** Arguments that the tool does not know, and headers that are no text. */
  readonly problems: readonly Problem[];
}

interface ReadArguments {
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
  const problems = listUnknown(tool, args);
  const findText = (name: string, place: Place): string | undefined => {
    const value = listArgumentsAt(place)[0]?.[1];
    if (value === undefined || value === null || typeof value === 'string') return value ?? undefined;
    problems.push({ path: name, message: 'must be string' });
    return undefined;
  };
  const { operation } = tool.binding;
  return {
    input: {
      params: record('params'),
      query: record('query'),
      body: operation.body === undefined ? undefined : record('body', true),
      headers: {
        'payment-method': findText('payment_method', 'payment-method'),
        'payment-signature': findText('payment_signature', 'payment-signature'),
        'payment-authorization': findText('payment_authorization', 'payment-authorization'),
        accept: 'application/json',
      },
    },
    idempotencyKey: findText('idempotency_key', 'idempotency-key'),
    problems,
  };
}

function listUnknown(tool: OperationTool, args: Readonly<Record<string, unknown>>): Problem[] {
  const { list } = tool.binding.operation;
  const advice =
    list === undefined ? '' : `; compare fields with \`filter\`, such as ${writeExampleFilter(list)}`;
  return Object.keys(args)
    .filter((name) => !tool.arguments.has(name))
    .slice(0, PROBLEMS_MAX)
    .map((name) => {
      const path = toPrintableName(name);
      const message = describeUnknownField(path, args, tool.tool.inputSchema);
      return { path, message: message + advice + nameTakers(tool, name) };
    });
}

function nameTakers(tool: OperationTool, name: string): string {
  const takers = tool.listTakers(name);
  return takers.length === 0 ? '' : `; with it, call ${takers.join(' or ')}`;
}

function toPrintableName(name: string): string {
  const clean = name.replaceAll(/[^\x20-\x7e]/g, '?');
  return clean.length > SHOWN_NAME_MAX ? `${clean.slice(0, SHOWN_NAME_MAX)}…` : clean;
}

/** Reads arguments that arrive as JSON text where an object or a list belongs: agents often send them so. */

interface Read {
  readonly value: unknown;
  /** Paths of the values that were text. */
  readonly paths: readonly string[];
}

const BLOCK_BYTES = 64 * 1024;
const OPENING = /^\s*[[{]/;

/** Only where the schema admits no text, so nothing that is meant as text is read as anything else. */
async function readJsonText(value: unknown, schema: unknown, path: string, shape: BodyShape): Promise<Read> {
  if (typeof value === 'string') {
    if (!OPENING.test(value) || isAdmitted(schema, TEXT) || !isAdmitted(schema, STRUCTURE))
      return { value, paths: [] };
    const inner = await readJsonText(await parseText(value, path, shape), schema, path, shape);
    return { value: inner.value, paths: [path, ...inner.paths] };
  }
  if (!isRecord(value)) return { value, paths: [] };
  const paths: string[] = [];
  const changed: [string, unknown][] = [];
  for (const [name, field] of listFields(schema)) {
    if (!Object.hasOwn(value, name)) continue;
    const read = await readJsonText(value[name], field, `${path}.${name}`, shape);
    paths.push(...read.paths);
    if (read.paths.length > 0) changed.push([name, read.value]);
  }
  return { value: changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) }, paths };
}

/** In blocks, so that a long text does not hold up other requests. */
async function parseText(text: string, path: string, shape: BodyShape): Promise<unknown> {
  const bytes = Buffer.from(text);
  const reader = new JsonReader(shape);
  try {
    for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
      if (at > 0) await setImmediate();
      reader.write(bytes.subarray(at, at + BLOCK_BYTES));
    }
    return reader.finish();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = `must not be text, and the text is no JSON that can be read instead: ${error.message}`;
    throw fail('invalid_request', { reason: `${path}: ${message}` }, { problems: [{ path, message }] });
  }
}

const TEXT: ReadonlySet<unknown> = new Set(['string', undefined]);
const STRUCTURE: ReadonlySet<unknown> = new Set(['object', 'array']);

/** Whether the schema takes a value of one of these types; one that names no type takes any. */
function isAdmitted(schema: unknown, types: ReadonlySet<unknown>): boolean {
  const { anyOf, type } = toRecord(schema);
  if (Array.isArray(anyOf)) return anyOf.some((form: unknown) => isAdmitted(form, types));
  return Array.isArray(type) ? type.some((one: unknown) => types.has(one)) : types.has(type);
}

function listFields(schema: unknown): [string, unknown][] {
  const { anyOf, properties } = toRecord(schema);
  if (Array.isArray(anyOf)) return anyOf.flatMap((form: unknown) => listFields(form));
  return isRecord(properties) ? Object.entries(properties) : [];
}
