/**
 * The builders of JSON schemas that contracts are made of, with the types of TypeBox but without its 373 modules: they
 * would be a fifth of the modules that a service loads.
 */
import type { Type as TypeBox } from 'typebox';

export type Builders = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Partial'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'
>;

interface Schema extends Readonly<Record<string, unknown>> {
  readonly properties?: Properties;
}
type Properties = Readonly<Record<string, Schema>>;

/** Marks a property that may be absent; not enumerable, so that no document shows it. */
const OPTIONAL = '~optional';

function markOptional(schema: Schema): Schema {
  const copy: Schema = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema));
  return Object.defineProperty(copy, OPTIONAL, { value: true, configurable: true, writable: true });
}

function createObject(properties: Properties, options?: Schema): Schema {
  const required = Object.entries(properties)
    .filter(([, schema]) => !Object.hasOwn(schema, OPTIONAL))
    .map(([name]) => name);
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options };
}

function createPartial({ properties = {} }: Schema, options?: Schema): Schema {
  const optional = Object.entries(properties).map(([name, schema]) => [name, markOptional(schema)] as const);
  return createObject(Object.fromEntries(optional), options);
}

const builders = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Schema) => ({ type: 'boolean', ...options }),
  Integer: (options?: Schema) => ({ type: 'integer', ...options }),
  Literal: (value: string | number | boolean, options?: Schema) => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Null: (options?: Schema) => ({ type: 'null', ...options }),
  Number: (options?: Schema) => ({ type: 'number', ...options }),
  Object: createObject,
  Optional: markOptional,
  Partial: createPartial,
  Record: (_key: Schema, value: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  String: (options?: Schema) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unknown: (options?: Schema) => ({ ...options }),
  Unsafe: (schema: Schema) => ({ ...schema }),
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- schema-builders.test.ts compares the schemas with those of TypeBox
export const Type = builders as unknown as Builders;
