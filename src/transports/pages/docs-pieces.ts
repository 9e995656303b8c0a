/** Pieces of the pages of the documentation: tables of fields, sentences, the navigation. */
import type { TSchema } from '#core/schema.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { getFailureSentence, type FailureCode } from '#core/failures.ts';

/** Deeper than any schema of the contract is; it bounds one that contains itself. */
const DEPTH_MAX = 8;

interface Field {
  readonly name: string;
  readonly schema: unknown;
  readonly isRequired: boolean;
}

/** A table of the fields of an object, or of the objects in a list; null for a schema without fields. */
export function renderFieldTable(title: string, schemas: readonly (TSchema | undefined)[]): Markup | null {
  const fields = renderFields(schemas, 0);
  return fields === null ? null : markup`<div><h3>${title}</h3>${fields}</div>`;
}

/** Text with what stands between backticks as code. */
export function renderWithCode(text: string): Part {
  return text.split('`').map((piece, index) => (index % 2 === 1 ? markup`<code>${piece}</code>` : piece));
}

/** The names of all fields of a schema, for the search. */
export function listFieldNames(schema: unknown, depth = 0): readonly string[] {
  if (depth > DEPTH_MAX) return [];
  return listFields(schema).flatMap(({ name, schema: inner }) => [
    name,
    ...findObjects(inner).flatMap((object) => listFieldNames(object, depth + 1)),
  ]);
}

function renderFields(schemas: readonly unknown[], depth: number): Markup | null {
  const fields = schemas.flatMap((schema) => findObjects(schema).flatMap(listFields));
  if (fields.length === 0 || depth > DEPTH_MAX) return null;
  return markup`<dl class="parameters">${fields.map((field) => renderField(field, depth))}</dl>`;
}

function renderField({ name, schema, isRequired }: Field, depth: number): Markup {
  const description = readText(schema, 'description');
  const variants = findObjects(schema).map((object) => renderFields([object], depth + 1));
  const nested: Part = variants.map(
    (inner, index) =>
      inner !== null &&
      markup`<details class="nested"><summary>Fields of <code>${name}</code>${variants.length > 1 && markup`, form ${index + 1} of ${variants.length}`}</summary>${inner}</details>`,
  );
  return markup`<div><dt><code>${name}</code>${isRequired && markup` <span class="required">required</span>`}</dt><dd><span class="muted">${describeType(schema)}</span>${description !== '' && markup` ${renderWithCode(description)}`}${nested}</dd></div>`;
}

/** The objects with fields that a value may be: itself, an item of a list, a form of a union. */
function findObjects(schema: unknown): readonly unknown[] {
  const properties = readField(schema, 'properties');
  if (typeof properties === 'object' && properties !== null) return [schema];
  const union = readField(schema, 'anyOf');
  if (Array.isArray(union)) return union.flatMap(findObjects);
  return readText(schema, 'type') === 'array' ? findObjects(readField(schema, 'items')) : [];
}

function listFields(schema: unknown): readonly Field[] {
  const required = readField(schema, 'required');
  return Object.entries(readField(schema, 'properties') ?? {}).map(([name, inner]) => ({
    name,
    schema: inner,
    isRequired: Array.isArray(required) && required.includes(name),
  }));
}

function describeType(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return '';
  const choices = readField(schema, 'enum');
  if (Array.isArray(choices)) return choices.map(String).join(' | ');
  const constant = readField(schema, 'const');
  if (constant !== undefined) return JSON.stringify(constant).replaceAll('"', '');
  const union = readField(schema, 'anyOf');
  if (Array.isArray(union)) return [...new Set(union.map(describeType))].join(' or ');
  const type = readText(schema, 'type');
  if (type === 'array') return `list of ${describeType(readField(schema, 'items'))}`;
  return readText(schema, 'format') || type;
}

function readText(schema: unknown, name: string): string {
  const value = readField(schema, name);
  return typeof value === 'string' ? value : '';
}

function readField(schema: unknown, name: string): unknown {
  if (typeof schema !== 'object' || schema === null) return undefined;
  return new Map<string, unknown>(Object.entries(schema)).get(name);
}

/** The sentence of a failure of the catalog; what differs from case to case stands in ‹angle marks›. */
export function renderSentence(code: FailureCode): Part {
  return getFailureSentence(code)
    .replaceAll('{{}}', '{ }')
    .split(/\{(\w+)\}/)
    .map((piece, index) => (index % 2 === 1 ? markup`<var>‹${piece.replaceAll('_', ' ')}›</var>` : piece));
}

/** Below it each group of operations has a page. */
export const REFERENCE_PATH = '/docs/reference';

/** The parts of `/docs`, as every page of it names them. */

const PARTS = [
  ['reference', '/docs', 'API reference'],
  ['guides', '/docs/guide', 'Guides'],
  ['flags', '/docs/flags', 'Flags'],
  ['errors', '/docs/errors', 'Errors'],
] as const;

export function renderDocsNavigation(current: (typeof PARTS)[number][0]): Markup {
  const links: Part = PARTS.map(
    ([key, href, label]) =>
      markup`<li><a href="${href}"${key === current && markup` aria-current="true"`}>${label}</a></li>`,
  );
  return markup`<nav class="parts" aria-label="Documentation"><ul>${links}</ul></nav>`;
}
