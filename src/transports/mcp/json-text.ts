/** Reads arguments that arrive as JSON text where an object or a list belongs: agents often send them so. */
import { setImmediate } from 'node:timers/promises';
import { fail, Failure } from '#core/failures.ts';
import { isRecord } from '#core/records.ts';
import { JsonReader } from '../bodies/json-reader.ts';
import type { BodyShape } from '../bodies/shape.ts';

interface Read {
  readonly value: unknown;
  /** Paths of the values that were text. */
  readonly paths: readonly string[];
}

type Schema = Readonly<Record<string, unknown>>;

const BLOCK_BYTES = 64 * 1024;
const OPENING = /^\s*[[{]/;

/** Only where the schema admits no text, so nothing that is meant as text is read as anything else. */
export async function readJsonText(
  value: unknown,
  schema: unknown,
  path: string,
  shape: BodyShape,
): Promise<Read> {
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
  const { anyOf, type } = toSchema(schema);
  if (Array.isArray(anyOf)) return anyOf.some((form: unknown) => isAdmitted(form, types));
  return Array.isArray(type) ? type.some((one: unknown) => types.has(one)) : types.has(type);
}

function listFields(schema: unknown): [string, unknown][] {
  const { anyOf, properties } = toSchema(schema);
  if (Array.isArray(anyOf)) return anyOf.flatMap((form: unknown) => listFields(form));
  return isRecord(properties) ? Object.entries(properties) : [];
}

function toSchema(value: unknown): Schema {
  return isRecord(value) ? value : {};
}
