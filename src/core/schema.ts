/** The small set of schema pieces that every contract is made of (JSON Schema 2020-12 through TypeBox). */
import Type, { type TSchema, type TUnion, type TNull } from 'typebox';

export { Type };
export type { Static, TSchema, TObject } from 'typebox';

export const Uuid = Type.String({ format: 'uuid' });
export const Timestamp = Type.String({ format: 'date-time', description: 'RFC 3339, UTC' });

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
