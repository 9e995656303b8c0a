import { limits } from './limits.ts';
import { parseSort } from './parse-sort.ts';
import type { SortColumn } from './tree.ts';

export type FieldKind = 'text' | 'uuid' | 'int' | 'float' | 'bool' | 'timestamp' | 'date' | 'enum' | 'json';

/** One field of a list, as its store declares it. `sql` is trusted text from code, never from a request. */
export interface FieldDeclaration {
  readonly kind: FieldKind;
  /** Expression over the list's statement: a column, or anything of the type given by `kind`. */
  readonly sql: string;
  /** For kind `json`: the expression to read instead where a path begins with one of these members. */
  readonly members?: Readonly<Record<string, string>>;
  /** Whether the expression can be NULL; false by default. It decides NULLS LAST and how a page is continued. */
  readonly nullable?: boolean;
  /** Whether the field may be used in `filter` and as a query parameter; true by default. */
  readonly filter?: boolean;
  /** Whether the field may be used in `sort`; true by default. */
  readonly sort?: boolean;
  /** Whether `search` reads the field (text only); false by default. */
  readonly search?: boolean;
  /**
   * The text is stored in capitals only, so the search string is capitalized and the text of the rows is not folded.
   */
  readonly capitals?: boolean;
  /** The stored spellings, for kind `enum`. */
  readonly values?: readonly string[];
  /** By what the values sort, if not by their text: for kind `enum` a whole number, for kind `text` another text. */
  readonly order?: string;
  /** The text field with the readable code of what this id names; equality takes a value of its form as well. */
  readonly code?: { readonly field: string; readonly pattern: RegExp };
}

export interface ListDeclaration {
  /** Noun in the plural, as in the path. */
  readonly name: string;
  readonly fields: Readonly<Record<string, FieldDeclaration>>;
  /** A field that is unique and never NULL; every order ends in it. */
  readonly key: string;
  /** The default order in the syntax of the `sort` parameter. */
  readonly defaultSort: string;
}

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly sql: string;
  readonly members: ReadonlyMap<string, string>;
  readonly nullable: boolean;
  readonly filter: boolean;
  readonly sort: boolean;
  readonly search: boolean;
  readonly capitals: boolean;
  readonly values: readonly string[];
  /** Maps every accepted spelling of an enum value, folded, to the stored one. */
  readonly spellings: ReadonlyMap<string, string>;
  readonly order: string | undefined;
  readonly code: FieldDeclaration['code'];
}

export interface ListFields {
  readonly name: string;
  readonly fields: ReadonlyMap<string, Field>;
  readonly key: Field;
  readonly defaultSort: readonly SortColumn[];
  readonly filterable: readonly string[];
  readonly sortable: readonly string[];
  readonly searchable: readonly Field[];
}

/** Folds an enum value: `QuoteSent`, `quote_sent` and `QUOTE-SENT` are one spelling. */
export function foldEnumValue(value: string): string {
  return value.replaceAll('_', '').replaceAll('-', '').toLowerCase();
}

function resolveField(name: string, declaration: FieldDeclaration): Field {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error(`field ${name}: names are snake_case`);
  const { kind, sql, values = [] } = declaration;
  if ((kind === 'enum') !== values.length > 0) throw new Error(`field ${name}: values belong to kind enum`);
  const spellings = new Map(values.map((value) => [foldEnumValue(value), value]));
  if (spellings.size !== values.length) throw new Error(`field ${name}: two values fold to one spelling`);
  const search = declaration.search ?? false;
  if (search && kind !== 'text') throw new Error(`field ${name}: only text can be searched`);
  return {
    name,
    kind,
    sql,
    members: new Map(Object.entries(declaration.members ?? {})),
    nullable: declaration.nullable ?? false,
    filter: declaration.filter ?? true,
    sort: declaration.sort ?? true,
    search,
    capitals: declaration.capitals ?? false,
    values,
    spellings,
    order: declaration.order,
    code: declaration.code,
  };
}

/** Declares the fields of one list. A mistake in the declaration stops the start of the service. */
export function listFields(declaration: ListDeclaration): ListFields {
  const fields = new Map(
    Object.entries(declaration.fields).map(([name, field]) => [name, resolveField(name, field)]),
  );
  const key = fields.get(declaration.key);
  if (key === undefined || key.nullable || key.kind === 'json') {
    throw new Error(`list ${declaration.name}: the key must be a declared field that is never NULL`);
  }
  const defaultSort = parseSort(declaration.defaultSort);
  for (const { operand } of defaultSort) {
    if (operand.kind === 'field' && fields.get(operand.name)?.sort !== true) {
      throw new Error(
        `list ${declaration.name}: its default order names ${operand.name}, which is not sortable`,
      );
    }
  }
  const all = [...fields.values()];
  return {
    name: declaration.name,
    fields,
    key,
    defaultSort,
    filterable: all.filter((field) => field.filter).map((field) => field.name),
    sortable: all.filter((field) => field.sort).map((field) => field.name),
    searchable: all.filter((field) => field.search),
  };
}

const operations: Readonly<Record<FieldKind, string>> = {
  text: 'eq neq in contains gt gte lt lte between',
  uuid: 'eq neq in gt gte lt lte between',
  int: 'eq neq in gt gte lt lte between',
  float: 'eq neq in gt gte lt lte between',
  timestamp: 'eq neq in gt gte lt lte between',
  date: 'eq neq in gt gte lt lte between',
  bool: 'eq neq in',
  enum: 'eq neq in',
  json: 'through at(field,key)',
};

/** The forms of a condition on fields F and values V, with what they mean. */
export const FILTER_FORMS: readonly (readonly [form: string, meaning: string])[] = [
  ['eq(F,V), neq(F,V)', 'the field is the value, or is not'],
  ['in(F,V,W…)', 'it is one of the values'],
  ['gt, gte, lt, lte(F,V)', 'greater, at least, less, at most; also times such as 2026-01-31'],
  ['between(F,V,W)', 'from the one to the other'],
  ['contains(F,V)', 'the text has the part, in any case'],
  ['is_null(F), is_not_null(F)', 'the field is empty, or is not'],
  ['and(…), or(…), not(…)', 'of conditions'],
  ['at(F,KEY)', 'in place of a field: a value within one that holds JSON'],
];

function describeField(field: Field): string {
  const values = field.kind === 'enum' ? ` (${field.values.join(', ')})` : '';
  const code = field.code === undefined ? '' : `; eq, neq and in also take the ${field.code.field}`;
  return `- \`${field.name}\`: ${field.kind}${values}; ${operations[field.kind]}${code}`;
}

/** A filter that this list takes, for descriptions and messages. */
export function writeExampleFilter(list: ListFields): string {
  const filterable = [...list.fields.values()].filter((field) => field.filter);
  const choose = (kind: FieldKind): Field | undefined => filterable.find((field) => field.kind === kind);
  const subject = choose('enum') ?? choose('bool') ?? choose('text');
  const time = choose('timestamp');
  const parts = [
    ...(subject === undefined ? [] : [writeExampleComparison(subject)]),
    ...(time === undefined ? [] : [`gte(${time.name},2026-01-01)`]),
  ];
  const [only = `is_not_null(${list.key.name})`] = parts;
  return parts.length > 1 ? `and(${parts.join(',')})` : only;
}

function writeExampleComparison({ kind, name, values: [value = ''] }: Field): string {
  if (kind === 'enum') return `eq(${name},${value})`;
  return kind === 'bool' ? `eq(${name},true)` : `contains(${name},a)`;
}

/** Returns Markdown for the descriptions of a list operation's query parameters. */
export function describeList(list: ListFields): { filter: string; sort: string; search: string | undefined } {
  const filterable = [...list.fields.values()].filter((field) => field.filter);
  const filter = [
    `Condition over the items, such as \`${writeExampleFilter(list)}\`. Fields:`,
    '',
    ...filterable.map((field) => describeField(field)),
    '',
    'Every field also takes is_null and is_not_null; conditions combine with and, or, not.',
  ].join('\n');
  const sort = `Up to ${limits.sortColumns} columns: \`desc(field)\`, \`-field\` or \`field:desc\`; default \`${list.defaultSort
    .map(
      (column) =>
        `${column.descending ? '-' : ''}${column.operand.kind === 'field' ? column.operand.name : '…'}`,
    )
    .join(',')}\`. Fields: ${list.sortable.join(', ')}. NULL comes last either way.`;
  const search =
    list.searchable.length === 0
      ? undefined
      : `Substring, any case, of ${list.searchable.map((field) => field.name).join(' or ')}.`;
  return { filter, sort, search };
}
