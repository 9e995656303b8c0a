/** Lists of the lab: a head with their number, filters in the address, pages, and what to do where nothing is listed. */
import type { FastifyRequest } from 'fastify';
import { formatCount } from '#core/words.ts';
import { queryParameter } from './http.ts';
import { markup, type Markup, type Part } from './markup.ts';
import { renderPager } from './pieces.ts';
import { renderLabHead } from './lab-pieces.ts';

/** Rows on a page of a list. */
export const LIST_SIZE = 25;
const FILTER_LENGTH_MAX = 200;

export interface ListFilter {
  /** Its name in the address. */
  readonly name: string;
  readonly label: string;
  /** The values to choose from; without them any text is taken. */
  readonly options?: readonly (readonly [value: string, label: string])[];
  /** What the list shows while none is chosen; `Any` unless stated. */
  readonly unset?: string;
  /** A day, written YYYY-MM-DD. */
  readonly isDay?: boolean;
  /** Chosen elsewhere on the page; the form only keeps it. */
  readonly isHidden?: boolean;
}

export type FilterValues = Readonly<Record<string, string>>;

/** Reads the filters of the address; a value that is not among the options counts as none. */
export function readFilters(request: FastifyRequest, filters: readonly ListFilter[]): FilterValues {
  return Object.fromEntries(
    filters.map((filter) => {
      const text = queryParameter(request, filter.name).trim().slice(0, FILTER_LENGTH_MAX);
      return [filter.name, allowsValue(filter, text) ? text : ''];
    }),
  );
}

function allowsValue({ options, isDay }: ListFilter, text: string): boolean {
  if (isDay === true) return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
  return options === undefined || options.some(([value]) => value === text);
}

/** Reads the number of rows before this page. */
export function readOffset(request: FastifyRequest): number {
  const offset = Number(queryParameter(request, 'offset'));
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0;
}

type StateCount = readonly [state: string, label: string, total: number];

/** Reads a page of a list and, at the same time, how many rows each state has with the other filters. */
export async function readByState<Page extends { readonly total: number }>(
  states: readonly (readonly [state: string, label: string, ...rest: unknown[]])[],
  { values, offset }: { readonly values: FilterValues; readonly offset: number },
  ask: (chosen: FilterValues, limit: number, offset: number) => Promise<Page>,
): Promise<{ readonly page: Page; readonly counts: readonly StateCount[] }> {
  const [page, counts] = await Promise.all([
    ask(values, LIST_SIZE, offset),
    Promise.all(
      states.map(async ([state, label]): Promise<StateCount> => {
        const { total } = await ask({ ...values, state }, 1, 0);
        return [state, label, total];
      }),
    ),
  ]);
  return { page, counts };
}

/** Joins conditions of the filter language; an empty object when there is none. */
export function joinConditions(conditions: readonly (string | false)[]): { readonly filter?: string } {
  const present = conditions.filter((condition) => condition !== false);
  if (present.length === 0) return {};
  return { filter: present.length === 1 ? (present[0] ?? '') : `and(${present.join(',')})` };
}

/** Builds the query of the page that the address asks for: its search, these conditions and its offset. */
export function buildListQuery(
  request: FastifyRequest,
  { search = '' }: FilterValues,
  conditions: readonly (string | false)[] = [],
) {
  return {
    limit: LIST_SIZE,
    offset: readOffset(request),
    ...joinConditions(conditions),
    ...(search === '' ? {} : { search }),
  };
}

export interface Column<Item> {
  readonly head: string;
  readonly isNumber?: boolean;
  readonly render: (item: Item) => Part;
}

export interface ListView<Item> {
  readonly path: string;
  readonly label: string;
  /** As it is counted, such as `order`. */
  readonly noun: string;
  readonly filters: readonly ListFilter[];
  readonly values: FilterValues;
  readonly page: {
    readonly items: readonly Item[];
    readonly count: number;
    readonly offset: number;
    readonly total: number;
  };
  /** The first one heads its row. */
  readonly columns: readonly Column<Item>[];
  /** What to say where no filter hides anything: why the list is empty, and what to do. */
  readonly empty: Markup;
}

export interface ListPage<Item> extends ListView<Item> {
  readonly title: string;
  /** What can be done beside the list, such as add to it. */
  readonly side?: Part;
  /** What a form of the page has done. */
  readonly notice?: Part;
  /** What stands between head and list, such as the strip of states. */
  readonly lead?: Part;
}

/** Renders the page of a list: title, how many match, what a form has done, filters and rows. */
export function renderListPage<Item>({ title, side, notice, lead, ...view }: ListPage<Item>): Markup {
  const { noun, page, values } = view;
  const count = markup`${formatCount(page.total, noun)}${hasFilter(values) && ' with these filters'}`;
  return markup`${renderLabHead(title, { side, count })}
${notice}${lead}${renderList(view)}`;
}

const hasFilter = (values: FilterValues): boolean => Object.values(values).some((value) => value !== '');

function renderList<Item>(view: ListView<Item>): Markup {
  const { path, label, noun, values, page } = view;
  const isFiltered = hasFilter(values);
  const isWhole = page.offset === 0 && page.count === page.total;
  const nothing = isFiltered
    ? markup`<div class="empty"><p>Nothing matches these filters. <a href="${path}">Show all</a></p></div>`
    : markup`<div class="empty">${view.empty}</div>`;
  return markup`${(page.total > 0 || isFiltered) && renderFilters(view, isFiltered)}
<section class="card flush" aria-label="${label}">${
    page.items.length === 0
      ? nothing
      : markup`${renderTable(view.columns, page.items)}${!isWhole && renderPager(path, values, page, LIST_SIZE, noun)}`
  }</section>`;
}

function renderFilters<Item>({ path, filters, values }: ListView<Item>, isFiltered: boolean): Markup | null {
  if (filters.length === 0) return null;
  return markup`<form class="filters" method="get" action="${path}" role="search" aria-label="Filters">${filters.map((filter) => renderFilter(filter, values[filter.name] ?? ''))}
<button>Filter</button>${isFiltered && markup`<a class="button quiet-link" href="${path}">Clear</a>`}</form>`;
}

function renderFilter(filter: ListFilter, value: string): Markup | null {
  const { name, label, options, unset = 'Any', isDay, isHidden } = filter;
  if (isHidden === true)
    return value === '' ? null : markup`<input type="hidden" name="${name}" value="${value}">`;
  const id = `filter-${name}`;
  const control =
    options === undefined
      ? markup`<input id="${id}" type="${isDay === true ? 'date' : 'search'}" name="${name}" value="${value}" maxlength="${FILTER_LENGTH_MAX}">`
      : markup`<select id="${id}" name="${name}"><option value="">${unset}</option>${options.map(([key, words]) => markup`<option value="${key}"${key === value && markup` selected`}>${words}</option>`)}</select>`;
  return markup`<div class="field"><label for="${id}">${label}</label>${control}</div>`;
}

/** Renders the states of a list as a strip of links, each with its count; the one in `values` is marked. */
export function renderStates(path: string, values: FilterValues, counts: readonly StateCount[]): Markup {
  const links = counts.map(([state, label, total]) => {
    const query = new URLSearchParams(
      Object.entries({ ...values, state }).filter(([, value]) => value !== ''),
    ).toString();
    return markup`<a href="${query === '' ? path : `${path}?${query}`}"${state === values['state'] && markup` aria-current="page"`}>${label} <span class="count">${total.toLocaleString('en-US')}</span></a>`;
  });
  return markup`<nav class="states" aria-label="State">${links}</nav>`;
}

/** A table that becomes cards on a narrow screen. */
export function renderTable<Item>(columns: readonly Column<Item>[], items: readonly Item[]): Markup {
  const heads = columns.map(
    ({ head, isNumber }) =>
      markup`<th scope="col"${isNumber === true && markup` class="number"`}>${head}</th>`,
  );
  const rows = items.map(
    (item) =>
      markup`<tr>${columns.map(({ head, isNumber, render }, index) =>
        index === 0
          ? markup`<th scope="row">${render(item)}</th>`
          : markup`<td data-label="${head}"${isNumber === true && markup` class="number"`}><span>${render(item)}</span></td>`,
      )}</tr>`,
  );
  return markup`<table class="folding"><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table>`;
}
