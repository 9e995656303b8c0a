/** The schema pieces that every contract is made of (JSON Schema 2020-12 through TypeBox). */
import type { TSchema, TUnion, TNull } from 'typebox';
import { isRecord, type UnknownRecord } from './records.ts';
import { Type } from './schema-builders.ts';

export { Type };
export type { Static, TSchema, TObject } from 'typebox';

export const Uuid = Type.String({ format: 'uuid' });
export const Timestamp = Type.String({ format: 'date-time' });

const originals = new WeakMap<object, TSchema>();

/**
 * Returns the schema with a description of its meaning in one place. A named record stays the same record in the
 * published document.
 */
export function describe<T extends TSchema>(schema: T, description: string): T {
  const described = Object.defineProperties({ ...schema, description }, getHiddenMembers(schema));
  originals.set(described, getOriginal(schema));
  return described;
}

/** TypeBox notes about a schema are not enumerable, so a spread would lose them. */
function getHiddenMembers(schema: TSchema): PropertyDescriptorMap {
  const members = Object.entries(Object.getOwnPropertyDescriptors(schema));
  return Object.fromEntries(members.filter(([, { enumerable }]) => enumerable !== true));
}

/** Returns the schema that `describe` was given, or the schema itself. */
export function getOriginal(schema: TSchema): TSchema {
  return originals.get(schema) ?? schema;
}

export function Nullable<T extends TSchema>(
  schema: T,
  options: { description?: string } = {},
): TUnion<[T, TNull]> {
  return Type.Union([schema, Type.Null()], options);
}

/** A closed set of strings as one `enum`, which reads better in the published document than a union of constants. */
export function OneOf<const Values extends readonly string[]>(
  values: Values,
  options: { description?: string; default?: Values[number] } = {},
) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options });
}

/** An object that refuses unknown keys: the default for everything a client sends. */
export const strict = { additionalProperties: false } as const;

interface NullableParts {
  /** What the schema says apart from null. */
  readonly base: UnknownRecord;
  readonly isNullable: boolean;
}

/** Reads a schema that may allow null, as one of its branches or as one of its types. */
export function readNullable(schema: object): NullableParts {
  const whole: UnknownRecord = { ...schema };
  const branches = Array.isArray(whole.anyOf) ? whole.anyOf.filter(isRecord) : [whole];
  const base = branches.find(({ type }) => type !== 'null') ?? whole;
  const types: readonly unknown[] = Array.isArray(base.type) ? base.type : [base.type];
  return {
    base: { ...base, type: types.find((type) => type !== 'null') },
    isNullable: types.includes('null') || branches.some(({ type }) => type === 'null'),
  };
}
