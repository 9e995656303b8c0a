/** Says each repeated part of a schema once, because agents pay for every character of the list of tools. */
import { isRecord } from '#core/records.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** A shorter part costs less than the reference to it. */
const SHARED_LENGTH_MIN = 80;

export function shareRepeatedParts(schema: Schema): Schema {
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

export function mapValues(record: Schema, change: (value: unknown) => unknown): Schema {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
