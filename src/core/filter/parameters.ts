import { findNearest } from '../nearest.ts';
import { FilterError } from './errors.ts';
import type { ListFields } from './fields.ts';
import { limits } from './limits.ts';
import { isNumeric } from './literals.ts';
import { parseFilter, parseWholeOperand } from './parse.ts';
import { checkText, Scanner } from './scanner.ts';
import type { Comparison, Filter, Literal, Operand } from './tree.ts';

type Scalar = string | number | boolean;

/** Query parameters as the HTTP edge or a tool call passes them. */
export type RawQuery = Readonly<Record<string, Scalar | readonly Scalar[] | null | undefined>>;

/** The older comparison style: `geq(created_at)=2026-01-01`. */
const olderComparisons: ReadonlyMap<string, Comparison> = new Map([
  ['equ', 'eq'],
  ['neq', 'neq'],
  ['gtr', 'gt'],
  ['geq', 'gte'],
  ['lss', 'lt'],
  ['leq', 'lte'],
]);

const ownParameters = ['filter', 'sort', 'limit', 'offset'];
const longestShownName = 64;

function formatName(name: string): string {
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what this removes
  const clean = name.toWellFormed().replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '�');
  return clean.length > longestShownName ? `${clean.slice(0, longestShownName)}…` : clean;
}

export interface ParameterNames {
  readonly list: ListFields;
  /** Parameters that the operation reads itself. */
  readonly reserved: ReadonlySet<string>;
  readonly cursor: boolean;
}

function listKnownNames(names: ParameterNames): string[] {
  const search = names.list.searchable.length > 0 ? ['search'] : [];
  return [...ownParameters, ...search, ...(names.cursor ? ['cursor'] : []), ...names.reserved];
}

/** One filter with the parameter it came from, so that an error can name it. */
export interface ParameterFilter {
  readonly path: string;
  readonly filter: Filter;
}

export interface ListParameters {
  readonly filters: readonly ParameterFilter[];
  readonly sort: string | undefined;
  readonly search: string | undefined;
  readonly limit: string | undefined;
  readonly offset: string | undefined;
  readonly cursor: string | undefined;
}

/**
 * Returns the older spelling of a comparison with the newer name, such as `geq(created_at)` for `gte(created_at)`.
 */
function findNewerSpelling(name: string, filterable: readonly string[]): string | undefined {
  const open = name.indexOf('(');
  const operator = name.slice(0, open);
  for (const [older, newer] of olderComparisons) {
    if (newer === operator && name.length <= longestShownName) return older + formatName(name.slice(open));
  }
  const olderNames = [...olderComparisons.keys()];
  return findNearest(
    name,
    olderNames.flatMap((older) => filterable.map((field) => `${older}(${field})`)),
  );
}

function throwUnknownParameter(names: ParameterNames, name: string): never {
  const { filterable } = names.list;
  const allNames = [...listKnownNames(names), ...filterable];
  const suggestion = name.includes('(') ? findNewerSpelling(name, filterable) : findNearest(name, allNames);
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
  const message = `is not a parameter of this list.${hint} Allowed are ${allNames.join(', ')}, and comparisons such as geq(field).`;
  throw new FilterError({ code: 'unknown_parameter', path: formatName(name), message });
}

function toTexts(value: RawQuery[string]): string[] {
  if (value === undefined || value === null) return [];
  return (typeof value === 'object' ? value : [value]).map(String);
}

function createRawLiteral(text: string, path: string): Literal {
  checkText(text, path, 'filter_syntax');
  return { text, quoted: !isNumeric(text), cast: null, position: 0 };
}

interface Compared {
  readonly operator: Comparison;
  readonly operand: Operand;
  readonly path: string;
}

function parseOlderStyle(names: ParameterNames, name: string): Compared {
  const path = formatName(name);
  const scanner = new Scanner(name, path, 'filter_syntax');
  const operator = olderComparisons.get(scanner.readName());
  if (operator === undefined || !scanner.take('(')) return throwUnknownParameter(names, name);
  return { operator, operand: parseWholeOperand(scanner, ')'), path };
}

/** A repeated equality matches any of its values; any other repeated comparison must hold for all of them. */
function buildParameterFilters(compared: Compared, values: readonly string[]): ParameterFilter[] {
  const { operator, operand, path } = compared;
  const literals = values.map((value) => createRawLiteral(value, path));
  if (operator === 'eq' && literals.length > 1) {
    return [{ path, filter: { kind: 'in', operand, values: literals } }];
  }
  return literals.map((value) => ({ path, filter: { kind: 'compare', operator, operand, value } }));
}

const singleCodes = {
  filter: 'filter_syntax',
  sort: 'sort_syntax',
  search: 'search_invalid',
  limit: 'limit_out_of_range',
  offset: 'offset_out_of_range',
  cursor: 'cursor_invalid',
} as const;

function findSingle(query: RawQuery, name: keyof typeof singleCodes): string | undefined {
  const values = Object.hasOwn(query, name) ? toTexts(query[name]) : [];
  if (values.length > 1) {
    throw new FilterError({ code: singleCodes[name], path: name, message: 'may be given only once.' });
  }
  return values[0];
}

function toNonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** Sorts the parameters of a query into those of the list and comparisons over its fields; rejects all others. */
export function readParameters(names: ParameterNames, query: RawQuery): ListParameters {
  const knownNames = new Set(listKnownNames(names));
  const filters: ParameterFilter[] = [];
  const filter = toNonEmpty(findSingle(query, 'filter'));
  if (filter !== undefined) filters.push({ path: 'filter', filter: parseFilter(filter) });
  for (const [name, value] of Object.entries(query)) {
    if (knownNames.has(name)) continue;
    const values = toTexts(value);
    if (values.length === 0) continue;
    if (name.includes('(')) {
      filters.push(...buildParameterFilters(parseOlderStyle(names, name), values));
    } else if (names.list.fields.get(name)?.filter === true) {
      const operand: Operand = { kind: 'field', name, position: 0 };
      filters.push(...buildParameterFilters({ operator: 'eq', operand, path: name }, values));
    } else {
      throwUnknownParameter(names, name);
    }
    if (filters.length > limits.parameterConditions) {
      const message = `more than ${limits.parameterConditions} comparisons; combine them in one filter.`;
      throw new FilterError({ code: 'filter_too_long', path: formatName(name), message });
    }
  }
  return {
    filters,
    sort: toNonEmpty(findSingle(query, 'sort')),
    search: knownNames.has('search') ? findSingle(query, 'search') : undefined,
    limit: findSingle(query, 'limit'),
    offset: findSingle(query, 'offset'),
    cursor: names.cursor ? toNonEmpty(findSingle(query, 'cursor')) : undefined,
  };
}
