/**
 * The list of tools with each record of an answer told once: another tool that answers with the record names the tool
 * that tells it. A record is most of a list, and agents pay for every character.
 */
import type { Tool } from '@modelcontextprotocol/server';
import { isRecord } from '#core/records.ts';
import { runInSlices, type Steps } from '#core/slices.ts';

/** Says each repeated part of a schema once, because agents pay for every character of the list of tools. */
type Schema = Readonly<Record<string, unknown>>;

/** A shorter part costs less than the reference to it. */
const SHARED_LENGTH_MIN = 80;

function shareRepeatedParts(schema: Schema): Schema {
  const counts = new Map<string, number>();
  countParts(schema, counts);
  const definitions: Record<string, unknown> = {};
  const names = new Map<string, string>();
  const share = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(share);
    if (!isRecord(value)) return value;
    const text = JSON.stringify(value);
    if (!isSchema(value) || (counts.get(text) ?? 0) < 2 || text.length < SHARED_LENGTH_MIN)
      return mapValues(value, share);
    const known = names.get(text);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    const name = `d${names.size + 1}`;
    names.set(text, name);
    definitions[name] = mapValues(value, share);
    return { $ref: `#/$defs/${name}` };
  };
  const shared = mapValues(schema, share);
  return names.size === 0 ? shared : { ...shared, $defs: definitions };
}

/** Parts of a repeated part are counted in its first occurrence only: within a definition they stand once. */
function countParts(value: unknown, counts: Map<string, number>): void {
  if (Array.isArray(value)) return value.forEach((item) => countParts(item, counts));
  if (!isRecord(value)) return;
  if (isSchema(value)) {
    const text = JSON.stringify(value);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    if (count > 1) return;
  }
  for (const item of Object.values(value)) countParts(item, counts);
}

/** A map of properties is no schema, whatever the properties are called. */
function isSchema({ type, anyOf }: Schema): boolean {
  return typeof type === 'string' || Array.isArray(anyOf);
}

function mapValues(record: Schema, change: (value: unknown) => unknown): Schema {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

/** A shorter record costs about as much as the name of the tool that tells it. */
const TOLD_LENGTH_MIN = 300;

/** Name of the tool that tells a record, by the JSON of the record. */
type Tellers = Map<string, string>;

/** Callers differ in what they may call, but most are of a few roles. */
const LISTS_MAX = 16;

/** Shortens lists of the same tools, and keeps the last few, because a list costs some 60 ms. */
export function createListShortener(): (tools: readonly Tool[]) => Promise<readonly Tool[]> {
  const known = new Map<string, Promise<readonly Tool[]>>();
  return (tools) => {
    const key = tools.map(({ name }) => name).join(' ');
    const list = known.get(key) ?? runInSlices(tellRecordsOnce(tools));
    known.delete(key);
    known.set(key, list);
    const [oldest] = known.keys();
    if (known.size > LISTS_MAX && oldest !== undefined) known.delete(oldest);
    return list;
  };
}

export function* tellRecordsOnce(tools: readonly Tool[]): Steps<Tool[]> {
  const tellers = yield* chooseTellers(tools);
  const told: Tool[] = [];
  for (const tool of tools) {
    told.push(tellOnce(tool, tellers));
    yield;
  }
  return told;
}

function tellOnce(tool: Tool, tellers: Tellers): Tool {
  const { outputSchema } = tool;
  if (outputSchema === undefined) return tool;
  const shortened = mapParts(outputSchema, tool.name, tellers);
  return { ...tool, outputSchema: { ...shareRepeatedParts(shortened), type: 'object' } };
}

/** A tool that reads one record tells it before one that changes it, and both before a tool that lists it. */
function* chooseTellers(tools: readonly Tool[]): Steps<Tellers> {
  const tellers: Tellers = new Map();
  const reads = tools.filter(({ annotations }) => annotations?.readOnlyHint === true);
  for (const { name, outputSchema } of [...reads, ...tools]) {
    if (outputSchema !== undefined) claimRecord(outputSchema, name, tellers);
    yield;
  }
  for (const { name, outputSchema } of tools) {
    claimParts(outputSchema, name, tellers);
    yield;
  }
  return tellers;
}

function claimParts(value: unknown, name: string, tellers: Tellers): void {
  if (Array.isArray(value)) return value.forEach((item) => claimParts(item, name, tellers));
  if (!isRecord(value) || claimRecord(value, name, tellers) !== name) return;
  for (const item of Object.values(value)) claimParts(item, name, tellers);
}

/** Returns the tool that tells the record: this one unless another was first, or the record is too short to count. */
function claimRecord(value: Schema, name: string, tellers: Tellers): string {
  const text = writeRecord(value);
  if (text === undefined) return name;
  const teller = tellers.get(text) ?? name;
  tellers.set(text, teller);
  return teller;
}

function mapParts(schema: Schema, name: string, tellers: Tellers): Schema {
  const text = writeRecord(schema);
  const teller = (text === undefined ? undefined : tellers.get(text)) ?? name;
  if (teller !== name) return nameTeller(schema, teller);
  const change = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(change);
    return isRecord(value) ? mapParts(value, name, tellers) : value;
  };
  return mapValues(schema, change);
}

function nameTeller({ description }: Schema, teller: string): Schema {
  const own = typeof description === 'string' ? `${description}; ` : '';
  return { type: 'object', description: `${own}the same record as in the answer of \`${teller}\`` };
}

/** What the record says without its own description, which says what it means in this place. */
function writeRecord({ description: _description, ...record }: Schema): string | undefined {
  if (record.type !== 'object' || !isRecord(record.properties)) return undefined;
  const text = JSON.stringify(record);
  return text.length < TOLD_LENGTH_MIN ? undefined : text;
}
