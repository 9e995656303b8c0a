/** Says where a field belongs that a request has at the wrong level: clients often leave out a wrapper, or add one. */
import { toRecord } from '#core/records.ts';
import type { Problem } from '#core/failures.ts';

const UNKNOWN = 'is not a known field';

type Schema = Readonly<Record<string, unknown>>;

/** `given` is the object that holds the field, `schema` that object's schema, `root` the schema of the whole request. */
export function describeUnknownField(name: string, value: unknown, schema: unknown, root?: unknown): string {
  if (root !== undefined && root !== schema && listFields(root).has(name))
    return `${UNKNOWN} here; put this at the top level of the request`;
  const wrapper = findWrapper(name, value, schema);
  if (wrapper !== undefined) return `${UNKNOWN} here; put this under ${wrapper}`;
  const fields = listFields(schema);
  const record = toRecord(value);
  const innerNames = Object.hasOwn(record, name) ? Object.keys(toRecord(record[name])) : [];
  if (innerNames.length > 0 && innerNames.every((field) => fields.has(field)))
    return `${UNKNOWN}; put what it holds in its place, without ${name}`;
  return UNKNOWN;
}

/** A field that is missing or wrong comes first: the sender has to mend it, and often an unknown one is it, misnamed. */
export function putUnknownLast(problems: readonly Problem[]): Problem[] {
  const isUnknown = ({ message }: Problem): boolean => message.startsWith(UNKNOWN);
  return [...problems.filter((problem) => !isUnknown(problem)), ...problems.filter(isUnknown)];
}

/** The fields of an object that belong under a field which it lacks. */
export function listUnwrapped(wrapper: string, value: unknown, schema: unknown): string[] {
  const knownFields = listFields(schema);
  const within = listFields(knownFields.get(wrapper));
  return Object.keys(toRecord(value)).filter((name) => within.has(name) && !knownFields.has(name));
}

/** The only field of the object whose own fields include this one; of several the only one that it must have and lacks. */
function findWrapper(name: string, value: unknown, schema: unknown): string | undefined {
  const wrappers = [...listFields(schema)].filter(([, field]) => listFields(field).has(name));
  const names = wrappers.map(([wrapper]) => wrapper);
  if (names.length <= 1) return names[0];
  const { required } = toRecord(schema);
  const missing = names.filter(
    (wrapper) =>
      Array.isArray(required) && required.includes(wrapper) && !Object.hasOwn(toRecord(value), wrapper),
  );
  return missing.length === 1 ? missing[0] : undefined;
}

const fieldsBySchema = new WeakMap<Schema, ReadonlyMap<string, unknown>>();

/** The fields of an object; of a union those of all its objects. Kept for each schema, because many problems ask. */
function listFields(schema: unknown): ReadonlyMap<string, unknown> {
  const record = toRecord(schema);
  const cached = fieldsBySchema.get(record);
  if (cached !== undefined) return cached;
  const { properties, anyOf } = record;
  const forms = Array.isArray(anyOf) ? anyOf.flatMap((form: unknown) => [...listFields(form)]) : [];
  const fields = new Map([...Object.entries(toRecord(properties)), ...forms]);
  fieldsBySchema.set(record, fields);
  return fields;
}
