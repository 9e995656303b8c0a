/** What the address asks of the results of an experiment: filters, order, columns. A result keeps it for its neighbors. */
import type { FastifyRequest } from 'fastify';
import { queryList, queryParameter } from '#ui/http.ts';
import { joinConditions, readFilters, readOffset, type FilterValues, type ListFilter } from '#ui/list.ts';
import { GRADES } from '../assessment.ts';
import { outcomes } from '../outcomes.ts';
import { listTableColumns, NAME, type TableColumn } from './results-table.ts';

export const CLASSES = ['strong', 'high', 'medium', 'weak', 'low', 'none', 'unknown'];

export interface ExplorerView {
  readonly values: FilterValues;
  readonly sort: string;
  /** Keys of the columns; empty for the usual ones. */
  readonly columns: readonly string[];
  readonly offset: number;
}

const allow = (name: string, values?: readonly string[]): ListFilter => ({
  name,
  label: '',
  ...(values !== undefined && { options: values.map((value) => [value, value] as const) }),
});

const FILTERS: readonly ListFilter[] = [
  allow('search'),
  allow('outcome', outcomes),
  allow('grade', GRADES),
  allow('class', CLASSES),
  allow('flag'),
  allow('control', ['no', 'only']),
  allow('binders', ['only']),
];

/** Reads the view of the address; what it cannot ask for counts as not asked. */
export function readView(request: FastifyRequest, experimentType: string): ExplorerView {
  const columns = listTableColumns(experimentType, { kd_m: null });
  const sort = queryParameter(request, 'sort');
  const known = new Set(columns.map(({ key }) => key));
  const { flag = '', ...values } = readFilters(request, FILTERS);
  return {
    values: { ...values, flag: /^[A-Z][A-Z0-9_]*$/.test(flag) ? flag : '' },
    sort: findSort(sort, columns) === undefined ? '' : sort,
    columns: queryList(request, 'columns').filter((key) => known.has(key)),
    offset: readOffset(request),
  };
}

function findSort(sort: string, columns: readonly TableColumn[]): string | undefined {
  const key = sort.replace(/^-/, '');
  return [NAME, ...columns].find((column) => column.key === key)?.sort;
}

/** Writes filter and order of the view in the language of lists, which the API takes as well. */
export function buildViewQuery({ values, sort }: ExplorerView, experimentType: string) {
  const { search = '', outcome = '', grade = '', class: strength = '', flag = '', control = '' } = values;
  const by = findSort(sort, listTableColumns(experimentType, { kd_m: null }));
  return {
    ...joinConditions([
      search !== '' && `contains(sequence_name,${quote(search)})`,
      outcome !== '' && `eq(outcome,${outcome})`,
      grade !== '' && `eq(grade,${grade})`,
      strength !== '' && `eq(class,${strength})`,
      flag !== '' && `contains(flags,${quote(`"${flag}"`)})`,
      control !== '' && `eq(is_control,${String(control === 'only')})`,
      values['binders'] === 'only' && 'eq(outcome,measured)',
    ]),
    sort: `${by === undefined ? '' : `${sort.startsWith('-') ? 'desc' : 'asc'}(${by}),`}${BEST_FIRST}`,
  };
}

/** What has no rank, or an equal one, by its name. */
const BEST_FIRST = 'rank_best,rank_worst,sequence_name';

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** The address of a view, without what is as usual. */
export function writeView(
  path: string,
  view: ExplorerView,
  changes: Readonly<Record<string, string>> = {},
): string {
  const parameters = { ...listParameters(view), ...changes };
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

export function listParameters({ values, sort, columns }: ExplorerView): Record<string, string> {
  return { ...values, sort, columns: columns.join(',') };
}

export function isFiltered({ values }: ExplorerView): boolean {
  return Object.values(values).some((value) => value !== '');
}
