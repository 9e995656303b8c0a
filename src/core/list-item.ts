/**
 * Items of lists, declared once: of each member its schema, the SQL that reads it and a sample; how lists filter and
 * sort by it follows from the schema. For example
 *
 *     const quotes = defineList({ name: 'quotes', key: 'id', defaultSort: '-created_at' }, {
 *       id: defineMember(Id, 'q.id', '01980000-0000-7000-8000-0000000000c1'),
 *       number: defineMember(Type.String({ description: 'on the document' }), 'q.number', 'Q-1', { search: true }),
 *       created_at: defineMember(CreatedAt, 'q.created_at', '2026-01-20T09:10:00.000Z'),
 *       url: defineMember(QuoteUrl, `$2::text || '/quotes/' || q.id`, 'https://lab.example/quotes/1', false),
 *     });
 *     quotes.item; // the schema of an item
 *     quotes.fields; // what `filter`, `sort` and `search` know: id, number and created_at
 *     quotes.columns; // the select list of an item
 *     quotes.sample; // an item, for examples
 */
import { listFields, type FieldDeclaration, type ListDeclaration } from './filter/index.ts';
import { writeWireTime } from './list-page.ts';
import type { UnknownRecord } from './records.ts';
import { readNullable, Type, type Static, type TSchema } from './schema.ts';

interface Member<Schema extends TSchema = TSchema> {
  readonly schema: Schema;
  readonly sql: string;
  readonly sample: Static<Schema>;
  /** What differs from what the schema says; false where no list compares it. */
  readonly compared: Partial<FieldDeclaration> | false;
}

type Members = Readonly<Record<string, Member>>;

/** `sql` is an expression over the statement of the list; an instant is read as it is stored. */
export function defineMember<Schema extends TSchema>(
  schema: Schema,
  sql: string,
  sample: Static<Schema>,
  compared: Partial<FieldDeclaration> | false = {},
): Member<Schema> {
  return { schema, sql, sample, compared };
}

type Properties<M extends Members> = { readonly [Name in keyof M]: M[Name]['schema'] };
type Sample<M extends Members> = { readonly [Name in keyof M]: M[Name]['sample'] };

/** `others` are fields that lists compare and items do not have. */
export function defineList<const M extends Members>(
  list: Omit<ListDeclaration, 'fields'>,
  members: M,
  others: ListDeclaration['fields'] = {},
) {
  const entries = Object.entries<Member>(members);
  const compared = entries.flatMap(([name, { schema, sql, compared: stated }]) =>
    stated === false ? [] : [[name, { ...describeField(schema, sql), ...stated }] as const],
  );
  const properties = Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]));
  const sample = Object.fromEntries(entries.map(([name, { sample: value }]) => [name, value]));
  return {
    members,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each member gives its own schema
    item: Type.Object(properties as Properties<M>),
    fields: listFields({ ...list, fields: { ...Object.fromEntries(compared), ...others } }),
    columns: entries.map(([name, { schema, sql }]) => writeColumn(name, schema, sql)).join(', '),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each member gives its own sample
    sample: sample as Sample<M>,
  };
}

function describeField(schema: TSchema, sql: string): FieldDeclaration {
  const { base, isNullable } = readNullable(schema);
  const values = Array.isArray(base.enum) ? base.enum.filter((value) => typeof value === 'string') : [];
  return {
    kind: values.length > 0 ? 'enum' : findKind(base),
    sql,
    ...(isNullable ? { nullable: true } : {}),
    ...(values.length > 0 ? { values } : {}),
  };
}

function findKind({ type, format }: UnknownRecord): FieldDeclaration['kind'] {
  if (type === 'integer') return 'int';
  if (type === 'number') return 'float';
  if (type === 'boolean') return 'bool';
  if (type === 'object' || type === 'array') return 'json';
  if (format === 'date-time') return 'timestamp';
  return format === 'uuid' || format === 'date' ? format : 'text';
}

function writeColumn(name: string, schema: TSchema, sql: string): string {
  const isTime = readNullable(schema).base.format === 'date-time';
  const isPlain = !isTime && sql.endsWith(`.${name}`);
  return isPlain ? sql : `${isTime ? writeWireTime(sql) : sql} as ${name}`;
}
