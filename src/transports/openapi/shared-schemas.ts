/** Schemas that repeat in the document are written once, and referred to wherever they stand. */
import { isRecord } from '#core/records.ts';
import type { Steps } from '#core/slices.ts';

type Json = Record<string, unknown>;

/** A shorter schema is easier to read in its place. */
const SHARED_LENGTH_MIN = 160;
/** A schema or null is two alternatives, and is read in its place. */
const ALTERNATIVES_MIN = 3;
const SCHEMA_REFERENCE = '#/components/schemas/';

interface Found {
  readonly schema: Json;
  /** Where it stands first, which names it. */
  readonly place: Place;
  count: number;
}

interface Parts {
  readonly paths: Json;
  readonly schemas: Json;
}

/** Returns the same document with every repeated schema as a component; the given components keep their names. */
export function* shareSchemas({ paths, schemas }: Parts): Steps<Parts> {
  const named = Object.entries(schemas).map(([name, schema]) => [writeKey(schema), name] as const);
  const names = new Map([
    ...named,
    ...chooseNames(yield* findRepeated({ paths, schemas }), Object.keys(schemas)),
  ]);
  const shared: Json = { ...schemas };
  const replaceRepeated = (value: unknown): unknown => {
    const name = isShareable(value) ? names.get(writeKey(value)) : undefined;
    if (name === undefined || !isRecord(value)) return mapInside(value, replaceRepeated);
    const { description, ...bare } = value;
    if (!Object.hasOwn(shared, name)) shared[name] = mapInside(bare, replaceRepeated);
    const reference = { $ref: SCHEMA_REFERENCE + name };
    return description === undefined ? reference : { ...reference, description };
  };
  const operations: Json = {};
  for (const [path, methods] of Object.entries(paths)) {
    operations[path] = replaceRepeated(methods);
    yield;
  }
  for (const [name, schema] of Object.entries(schemas)) {
    shared[name] = mapInside(schema, replaceRepeated);
    yield;
  }
  const sorted = Object.entries(shared).sort(([a], [b]) => (a < b ? -1 : 1));
  return { paths: operations, schemas: Object.fromEntries(sorted) };
}

/** Counts each schema once for all copies of a larger one that holds it. */
function* findRepeated({ paths, schemas }: Parts): Steps<Found[]> {
  const found = new Map<string, Found>();
  const named = new Set(Object.values(schemas).map((schema) => writeKey(schema)));
  const count = (value: unknown, place: Place): void => {
    if (isShareable(value)) {
      const key = writeKey(value);
      const known = found.get(key);
      if (known !== undefined) {
        known.count += 1;
        return;
      }
      if (named.has(key)) return;
      found.set(key, { schema: value, place, count: 1 });
    }
    countInside(value, place, count);
  };
  for (const [name, schema] of Object.entries(schemas)) {
    countInside(schema, { owner: name, field: 'Part' }, count);
    yield;
  }
  for (const [path, methods] of Object.entries(paths)) {
    countInside({ [path]: methods }, { owner: '', field: '' }, count);
    yield;
  }
  return [...found.values()].filter((one) => one.count > 1);
}

/** Where a schema stands: the operation or component, and the nearest field. */
interface Place {
  readonly owner: string;
  readonly field: string;
}

function countInside(value: unknown, place: Place, count: (value: unknown, place: Place) => void): void {
  if (Array.isArray(value)) for (const item of value) count(item, place);
  if (!isRecord(value)) return;
  const { operationId } = value;
  const own = typeof operationId === 'string' ? { owner: toPascalCase(operationId), field: 'Answer' } : place;
  for (const [key, member] of Object.entries(value)) {
    if (key === 'example') continue;
    if (key === 'properties' && isRecord(member))
      for (const [name, schema] of Object.entries(member)) count(schema, { ...own, field: name });
    else count(member, { ...own, field: renameField(key, own.field) });
  }
}

/** The items of `plates` are named after one of them. */
function renameField(key: string, field: string): string {
  if (key === 'requestBody') return 'Request';
  return key === 'items' ? field.replace(/ies$/, 'y').replace(/(?<!s)s$/, '') : field;
}

/** Generated clients write a schema as a type, so no two names may differ in case alone. */
function chooseNames(found: readonly Found[], reserved: readonly string[]): [string, string][] {
  const used = new Set(reserved.map((name) => name.toLowerCase()));
  return found.map(({ schema, place: { owner, field } }) => {
    const stem = owner + toPascalCase(field);
    let name = stem;
    for (let number = 2; used.has(name.toLowerCase()); number++) name = `${stem}${number}`;
    used.add(name.toLowerCase());
    return [writeKey(schema), name];
  });
}

function toPascalCase(name: string): string {
  return name.replaceAll(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9])/g, (_whole, letter: string) =>
    letter.toUpperCase(),
  );
}

/** The same schema means something else in each place, so its description there does not count. */
function writeKey(schema: unknown): string {
  if (!isRecord(schema)) return JSON.stringify(schema);
  const { description: _, ...bare } = schema;
  return JSON.stringify(bare);
}

/** Records, long enumerations and choices; an array repeats by its items. */
function isShareable(value: unknown): value is Json {
  if (!isRecord(value)) return false;
  const isRecordSchema = value.type === 'object' && isRecord(value.properties);
  const isChoice = Array.isArray(value.anyOf) && value.anyOf.length >= ALTERNATIVES_MIN;
  if (!isRecordSchema && !isChoice && !Array.isArray(value.enum)) return false;
  return writeKey(value).length >= SHARED_LENGTH_MIN;
}

function mapInside(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => change(item));
  return isRecord(value) ? mapRecord(value, change) : value;
}

function mapRecord(record: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(
    Object.entries(record).map(([key, member]) => [key, key === 'example' ? member : change(member)]),
  );
}
