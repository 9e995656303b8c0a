/**
 * Records declared once. A noun says of each field what it holds and means; types, schemas, what is stored, cells of a
 * file, problems and changes follow. For example
 *
 *     const material = defineRecord({
 *       name: RequiredText('usual name', { label: 'Name' }),
 *       tags: TextList('tags of the construct, such as His', { label: 'Tags' }),
 *       purity: OptionalNumber('percent, as the vendor states it', { minimum: 0, maximum: 100 }),
 *     });
 *     type Material = RecordOf<typeof material>; // { name: string; tags: readonly string[]; purity: number | null }
 *     material.empty; // { name: '', tags: [], purity: null }
 */
import { parseTexts, writeTexts } from './csv.ts';
import type { Problem } from './failures.ts';
import { findLineProblem } from './one-line.ts';
import type { TNull, TOptional, TUnion } from 'typebox';
import { Nullable, Type, type TSchema } from './schema.ts';
import { isBlank, parseDecimal } from './texts.ts';

const SEPARATOR = ';';
const TEXT_LENGTH_MAX = 200;
const LONG_TEXT_LENGTH_MAX = 20_000;
const LIST_LENGTH_MAX = 100;

export interface FieldOptions<Value> {
  /** Beside the field of a form; people do not type a field without one. */
  readonly label?: string;
  readonly hint?: string;
  /** Title of the group of fields in a form. */
  readonly group?: string;
  /** Up to 20,000 characters in place of 200, in a larger box; it is one line, which a form makes of pasted ones. */
  readonly isLong?: boolean;
  /** Where it is stored; a column of its own unless stated. */
  readonly place?: 'column' | 'details' | 'both' | 'elsewhere';
  /** Lists filter and sort by its column. */
  readonly isListed?: boolean;
  /** What a value must fulfill, and the sentence of one that does not. */
  readonly rule?: readonly [holds: (value: NonNullable<Value>) => boolean, sentence: string];
}

/** How values of one kind are read and written. Methods, because a list of fields holds fields of every kind. */
interface FieldKind<Value, Schema extends TSchema, IsRequired extends boolean, Answer extends TSchema> {
  readonly empty: Value;
  readonly isRequired: IsRequired;
  /** In a body. */
  readonly schema: Schema;
  /** In an answer, which repeats no limit. */
  readonly answer: Answer;
  /** How lists compare it; undefined where none can. */
  readonly compared?: 'text' | 'float' | 'bool';
  /** Reads what is stored; a value of another kind counts as none. */
  parse(stored: unknown): Value;
  /** Writes the cell of a file. */
  write(value: Value): string;
  /** Reads a cell; undefined when it is not valid. */
  read(cell: string): Value | undefined;
  /** What a valid cell is. */
  readonly expected: string;
}

export interface Field<
  Value = unknown,
  Schema extends TSchema = TSchema,
  IsRequired extends boolean = boolean,
  Answer extends TSchema = TSchema,
> extends FieldKind<Value, Schema, IsRequired, Answer> {
  readonly options: Omit<FieldOptions<never>, 'rule'>;
  findRuleProblem(value: Value): string | undefined;
}

/** Declares a field of a kind of its own. */
export function defineField<Value, Schema extends TSchema, Answer extends TSchema>(
  kind: Omit<FieldKind<Value, Schema, false, Answer>, 'isRequired'>,
  options?: FieldOptions<Value>,
): Field<Value, Schema, false, Answer> {
  return complete({ ...kind, isRequired: false }, options);
}

function complete<Value, Schema extends TSchema, IsRequired extends boolean, Answer extends TSchema>(
  kind: FieldKind<Value, Schema, IsRequired, Answer>,
  { rule, ...options }: FieldOptions<Value> = {},
): Field<Value, Schema, IsRequired, Answer> {
  return {
    ...kind,
    options,
    findRuleProblem: (value) =>
      rule === undefined || value === null || value === undefined || rule[0](value) ? undefined : rule[1],
  };
}

export const RequiredText = (meaning: string, options?: FieldOptions<string>) =>
  complete(
    {
      empty: '',
      isRequired: true,
      schema: Type.String({ minLength: 1, description: meaning }),
      answer: Type.String({ description: meaning }),
      compared: 'text',
      parse: (stored) => (typeof stored === 'string' && !isBlank(stored) ? stored : ''),
      write: (value) => value,
      read: (cell) => cell,
      expected: 'a text',
    },
    options,
  );

export function OptionalText(meaning: string, options?: FieldOptions<string | null>) {
  const schema = Nullable(Type.String(), { description: `${meaning}; null: none` });
  return defineField<string | null, typeof schema, typeof schema>(
    {
      empty: null,
      schema,
      answer: schema,
      compared: 'text',
      parse: (stored) => (typeof stored === 'string' && !isBlank(stored) ? stored : null),
      write: (value) => value ?? '',
      read: (cell) => (isBlank(cell) ? null : cell),
      expected: 'a text',
    },
    options,
  );
}

export function TextList(meaning: string, options?: FieldOptions<readonly string[]>) {
  const schema = Type.Array(Type.String(), { description: meaning });
  return defineField<readonly string[], typeof schema, typeof schema>(
    {
      empty: [],
      schema,
      answer: schema,
      parse: (stored) =>
        Array.isArray(stored) ? stored.filter((item) => typeof item === 'string' && !isBlank(item)) : [],
      write: (value) => writeTexts(value, SEPARATOR),
      read: (cell) => parseTexts(cell, SEPARATOR),
      expected: 'texts separated by ";", each in quotes that holds one',
    },
    options,
  );
}

interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

export function OptionalNumber(meaning: string, bounds: Bounds = {}, options?: FieldOptions<number | null>) {
  const description = `${meaning}; null: not known`;
  const schema = Nullable(Type.Number({ ...bounds }), { description });
  return defineField<number | null, typeof schema, typeof schema>(
    {
      empty: null,
      schema,
      answer: Nullable(Type.Number(), { description }),
      compared: 'float',
      parse: (stored) => (typeof stored === 'number' ? stored : null),
      write: (value) => (value === null ? '' : String(value)),
      read: (cell) => {
        if (isBlank(cell)) return null;
        return parseDecimal(cell);
      },
      expected: 'a number with a decimal point',
    },
    options,
  );
}

const TRUE = new Set(['true', 'yes', '1']);
const FALSE = new Set(['', 'false', 'no', '0']);

/** The meaning is that of `true`. */
export function Flag(meaning: string, options?: FieldOptions<boolean>) {
  const schema = Type.Boolean({ description: `true: ${meaning}` });
  return defineField<boolean, typeof schema, typeof schema>(
    {
      empty: false,
      schema,
      answer: schema,
      compared: 'bool',
      parse: (stored) => stored === true,
      write: String,
      read: (cell) => {
        const word = cell.trim().toLowerCase();
        return TRUE.has(word) ? true : FALSE.has(word) ? false : undefined;
      },
      expected: 'true or false',
    },
    options,
  );
}

type Fields = Readonly<Record<string, Field>>;
export type ValuesOf<F extends Fields> = { readonly [Name in keyof F]: F[Name]['empty'] };
type Properties<F extends Fields> = {
  readonly [Name in keyof F]: F[Name]['isRequired'] extends true
    ? F[Name]['schema']
    : TOptional<F[Name]['schema']>;
};
type Answers<F extends Fields> = {
  readonly [Name in keyof F]: F[Name]['answer'];
};
type Details<F extends Fields> = {
  readonly [Name in keyof F]: TOptional<
    F[Name]['empty'] extends readonly unknown[] ? TUnion<[F[Name]['answer'], TNull]> : F[Name]['answer']
  >;
};
export type RecordOf<R extends { readonly empty: unknown }> = R['empty'];

export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface Declaration {
  readonly fields: Fields;
}

export function defineRecord<const F extends Fields>(fields: F) {
  const entries = Object.entries<Field>(fields);
  const build = (getValue: (name: string, field: Field) => unknown) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each field gives a value of its own type
    Object.fromEntries(entries.map(([name, field]) => [name, getValue(name, field)])) as ValuesOf<F>;
  const select = (entry: object, places: readonly string[]) => {
    const values = new Map<string, unknown>(Object.entries(entry));
    const chosen = entries.filter(([, { options }]) => places.includes(options.place ?? 'column'));
    return Object.fromEntries(chosen.map(([name]) => [name, values.get(name)]));
  };
  return {
    fields,
    names: entries.map(([name]) => name),
    empty: build((_name, field) => field.empty),
    /** Schemas of the fields as they stand in a body, which may leave out all but the required ones. */
    properties: buildProperties(fields),
    /** Reads stored or typed values; a blank text is the same as none, in a list too. */
    parse: (values: Readonly<Record<string, unknown>>) => build((name, field) => field.parse(values[name])),
    findField: (name: string): Field | undefined => (Object.hasOwn(fields, name) ? fields[name] : undefined),
    /** Writes the cells of a file, by the name of the field. */
    writeCells(entry: ValuesOf<F>): Readonly<Record<string, string>> {
      const values = new Map<string, unknown>(Object.entries(entry));
      return Object.fromEntries(entries.map(([name, field]) => [name, field.write(values.get(name))]));
    },
    selectColumns: (entry: ValuesOf<F>) => select(entry, ['column', 'both']),
    selectDetails: (entry: ValuesOf<F>) => select(entry, ['details', 'both']),
    /** Finds every problem of a record; the path of each is the field. */
    findProblems(entry: ValuesOf<F>): Problem[] {
      const values = new Map<string, unknown>(Object.entries(entry));
      return entries.flatMap(([path, field]) => findFieldProblems(path, field, values.get(path)));
    },
  };
}

/** Builds the schemas of fields that every answer has. */
export function buildAnswers<const F extends Fields>(fields: F): Answers<F> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each field gives its own schema
  return mapFields(fields, ({ answer }) => answer) as Answers<F>;
}

/** Builds the schemas of fields that stand among the details of a record, where any of them may be missing. */
export function buildDetails<const F extends Fields>(fields: F): Details<F> {
  const details = mapFields(fields, ({ answer, empty }) => {
    if (!Array.isArray(empty)) return Type.Optional(answer);
    const { description }: { readonly description?: string } = answer;
    return Type.Optional(Nullable(answer, description === undefined ? {} : { description }));
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each field gives its own schema
  return details as Details<F>;
}

/** Builds the declarations of the fields by which lists filter and sort; `alias` is that of the table. */
export function buildListFields(fields: Fields, alias: string) {
  const listed = Object.entries(fields).flatMap(([name, { options, compared: kind, empty }]) =>
    options.isListed === true && kind !== undefined
      ? [[name, { kind, sql: `${alias}.${name}`, nullable: empty === null }] as const]
      : [],
  );
  return Object.fromEntries(listed);
}

/** Writes the columns of fields as a select list; `alias` is that of the table. */
export function writeColumns(fields: Fields, alias: string): string {
  return Object.keys(fields)
    .map((name) => `${alias}.${name}`)
    .join(', ');
}

function mapFields(fields: Fields, map: (field: Field) => TSchema): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, map(field)]));
}

function buildProperties<F extends Fields>(fields: F): Properties<F> {
  const properties = Object.entries<Field>(fields).map(([name, { schema, isRequired }]) => [
    name,
    isRequired ? schema : Type.Optional(schema),
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each field gives its own schema
  return Object.fromEntries(properties) as Properties<F>;
}

function findFieldProblems(path: string, field: Field, value: unknown): Problem[] {
  if (field.isRequired && value === '') return [{ path, message: 'must be given' }];
  const texts = listTexts(value);
  if (texts.length > LIST_LENGTH_MAX)
    return [{ path, message: `has ${texts.length} entries; at most ${LIST_LENGTH_MAX} are allowed` }];
  const lengthMax = field.options.isLong === true ? LONG_TEXT_LENGTH_MAX : TEXT_LENGTH_MAX;
  const messages = [...texts.map((text) => findTextProblem(text, lengthMax)), field.findRuleProblem(value)];
  return messages.flatMap((message) => (message === undefined ? [] : [{ path, message }]));
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function findTextProblem(text: string, lengthMax: number): string | undefined {
  return text.length > lengthMax ? `must not be longer than ${lengthMax} characters` : findLineProblem(text);
}

/** Lists the fields in which two records differ, in the order of their declaration. */
export function listChanges(before: object, after: object): FieldChange[] {
  const former = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after).flatMap(([field, value]: [string, unknown]) =>
    JSON.stringify(former.get(field)) === JSON.stringify(value)
      ? []
      : [{ field, before: former.get(field), after: value }],
  );
}
