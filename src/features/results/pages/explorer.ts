/**
 * The results of an experiment as a table that the address sorts, searches, filters and narrows to columns. Links and a
 * form do all of it; the script `explorer` does the same without loading the page, and keeps only some of many rows.
 */
import { formatCount, joinWords } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import { writeWorkbook } from '#documents/workbook.ts';
import { findBindingRow } from '#assays/binding/row.ts';
import { hasTarget } from '#assays/registry.ts';
import { formatOutcome, getAssayView } from '#assays/views.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PortalContext } from '#ui/context.ts';
import { sendCsv, arrangeRows } from '#ui/csv-export.ts';
import { getPathParameter, queryList, queryParameter, sendAttachment, sendPage } from '#ui/http.ts';
import { joinConditions, readFilters, readOffset, type FilterValues, type ListFilter } from '#ui/list.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderPager } from '#ui/pieces.ts';
import { canCall } from '#ui/session.ts';
import { toSentenceCase } from '#ui/words.ts';
import { createShare } from '../../shares/contract.ts';
import { GRADES } from '../assessment.ts';
import {
  getExperimentResults,
  getResultsOverview,
  getResultThumbnails,
  type ResultInfo,
} from '../contract.ts';
import { outcomes } from '../outcomes.ts';
import { isOutcome, OUTCOME_WORDS, SHORT_GRADE_WORDS } from '../words/outcomes.ts';
import { formatExcluded, formatFlags } from '../words/results.ts';
import { outcomeWords, toKdReading } from './readings.ts';
import {
  listTableColumns,
  NAME,
  OPTIONAL_COLUMNS,
  renderRankedResults,
  type TableColumn,
} from './results-table.ts';

type Overview = Output<typeof getResultsOverview>;
type Page = Output<typeof getExperimentResults>;

/** Rows of a page; the script shows up to three pages at once. */
const EXPLORER_SIZE = 50;
const EXPORT_SIZE = 100;

/** What the address asks for. */
interface View {
  readonly values: FilterValues;
  readonly sort: string;
  /** Keys of the columns; empty for the usual ones. */
  readonly columns: readonly string[];
  readonly offset: number;
}

export interface Explorer {
  readonly view: View;
  readonly filters: readonly ListFilter[];
  readonly overview: Overview;
  readonly page: Page;
  readonly columns: readonly TableColumn[];
  readonly canShare: boolean;
}

type Reader = Pick<PortalContext, 'api' | 'request' | 'session'>;

/** Of the experiment that an id or a code names. */
export async function loadExplorer({ api, request, session }: Reader, experiment: string): Promise<Explorer> {
  const params = { experiment_id: experiment };
  const overview = await api.call(getResultsOverview, { params });
  const filters = listFilters(overview);
  const columns = listTableColumns(overview.experiment_type, overview);
  const view = readView(request, filters, columns);
  const query = { ...buildQuery(view, columns), limit: EXPLORER_SIZE, offset: view.offset };
  const page = await api.call(getExperimentResults, { params, query });
  return { view, filters, overview, columns, page, canShare: canCall(session, createShare) };
}

const ANY = '';

/** Those with more than one value to choose from. */
function listFilters(overview: Overview): ListFilter[] {
  const { experiment_type: experimentType } = overview;
  const binders = hasTarget(experimentType) ? 'Binders only' : 'Measured only';
  const filters: readonly ListFilter[] = [
    { name: 'search', label: 'Name' },
    choose('outcome', 'Outcome', overview.outcomes, outcomes, (name) => nameOutcome(name, experimentType)),
    choose('grade', 'Grade', overview.grades, GRADES, (name) =>
      toSentenceCase(Object.entries(SHORT_GRADE_WORDS).find(([grade]) => grade === name)?.[1] ?? name),
    ),
    choose('class', 'Class', overview.classes, CLASSES, toSentenceCase),
    choose('flag', 'Flag', overview.flags, Object.keys(overview.flags), (code) =>
      toSentenceCase(formatFlags([code])),
    ),
    {
      name: 'control',
      label: 'Controls',
      options: [
        ['no', `Without (${overview.total - overview.n_controls})`],
        ['only', `Only (${overview.n_controls})`],
      ],
    },
    { name: 'binders', label: binders, options: [['only', binders]] },
  ];
  return filters.filter(({ name, options }) => {
    if (name === 'search') return true;
    if (name === 'control') return overview.n_controls > 0;
    if (name === 'binders') return countFolded(overview) > 0 && (overview.outcomes['measured'] ?? 0) > 0;
    return (options?.length ?? 0) > (name === 'flag' ? 0 : 1);
  });
}

const CLASSES = ['strong', 'high', 'medium', 'weak', 'low', 'none', 'unknown'];

function choose(
  name: string,
  label: string,
  counts: Readonly<Record<string, number>>,
  order: readonly string[],
  write: (value: string) => string,
): ListFilter {
  const options = order
    .filter((value) => Object.hasOwn(counts, value))
    .map((value) => [value, `${write(value)} (${counts[value]})`] as const);
  return { name, label, options };
}

function nameOutcome(name: string, experimentType: string): string {
  if (!isOutcome(name)) return name;
  const { measuredWord = outcomeWords.measured } = getAssayView(experimentType);
  return name === 'measured' ? measuredWord : outcomeWords[name];
}

function countFolded({ total, outcomes: counts }: Overview): number {
  return total - (counts['measured'] ?? 0);
}

function readView(
  request: FastifyRequest,
  filters: readonly ListFilter[],
  columns: readonly TableColumn[],
): View {
  const known = new Set(columns.map(({ key }) => key));
  const sort = queryParameter(request, 'sort');
  const isSortable = [NAME, ...columns].some(
    ({ key, sort: by }) => key === sort.replace(/^-/, '') && by !== undefined,
  );
  return {
    values: readFilters(request, filters),
    sort: isSortable ? sort : '',
    columns: queryList(request, 'columns').filter((key) => known.has(key)),
    offset: readOffset(request),
  };
}

/** Writes the view in the language of lists, which the API takes as well. */
function buildQuery({ values, sort }: View, columns: readonly TableColumn[]): Record<string, string> {
  const { search = '', outcome = '', grade = '', class: strength = '', flag = '', control = '' } = values;
  const key = sort.replace(/^-/, '');
  const by = [NAME, ...columns].find((column) => column.key === key)?.sort;
  return {
    ...joinConditions([
      search !== ANY && `contains(sequence_name,${quote(search)})`,
      outcome !== ANY && `eq(outcome,${outcome})`,
      grade !== ANY && `eq(grade,${grade})`,
      strength !== ANY && `eq(class,${strength})`,
      flag !== ANY && `contains(flags,${quote(`"${flag}"`)})`,
      control !== ANY && `eq(is_control,${String(control === 'only')})`,
      values['binders'] === 'only' && 'eq(outcome,measured)',
    ]),
    sort: `${by === undefined ? '' : `${sort.startsWith('-') ? 'desc' : 'asc'}(${by}),`}${BEST_FIRST}`,
  };
}

/** What has no rank, or an equal one, by its name. */
const BEST_FIRST = 'rank_best,rank_worst,sequence_name';

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** The address of a view, without what is as usual. */
function writeView(path: string, view: View, changes: Readonly<Record<string, string>> = {}): string {
  const parameters = { ...listParameters(view), ...changes };
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

function listParameters({ values, sort, columns }: View): Record<string, string> {
  return { ...values, sort, columns: columns.join(',') };
}

/** The part of the page that the script replaces. */
export function renderExplorer(loaded: Explorer): Markup {
  const { view, overview, page, columns } = loaded;
  const { experiment_code: code, results_status: state } = overview;
  const base = `/experiments/${code}`;
  const shown = chooseColumns(view, columns);
  const table =
    page.items.length === 0
      ? markup`<div class="empty"><p>Nothing matches. <a href="${base}#results">Show all</a></p></div>`
      : renderRankedResults(page.items, {
          columns: shown,
          renderHead: (column) => renderSortHead(column, base, view),
        });
  const parameters = listParameters(view);
  const filtered = Object.values(view.values).some((value) => value !== '');
  const count = filtered
    ? `${page.total.toLocaleString('en-US')} of ${formatCount(overview.total, 'result')}`
    : formatCount(overview.total, 'result');
  return markup`<div id="explorer" class="stack" data-live-keep data-total="${page.total}" data-offset="${page.offset}" data-size="${EXPLORER_SIZE}" data-part="${base}/explorer" data-thumbnails="${base}/thumbnails.json?v=${overview.version}">
<section class="card flush explorer" aria-labelledby="results"><div class="card-head"><h2 id="results">Results</h2><p class="hint"><span role="status">${count}</span>, ${view.sort === '' ? 'best first' : 'sorted'} · export <a id="export-csv" href="${writeView(`${base}/results.csv`, view)}" download>CSV</a> or <a id="export-xlsx" href="${writeView(`${base}/results.xlsx`, view)}" download>Excel</a> · <a href="${base}/data-package">Download everything</a>${loaded.canShare && markup` · <a href="/organization/shares?experiment_id=${code}">Share</a>`}</p></div>
${state === 'partial' && MORE_TO_COME}${renderForm(base, loaded, shown)}
${table}${renderFold(base, loaded)}
${page.total > page.count && renderPager(base, parameters, page, EXPLORER_SIZE, 'result')}</section>
${page.items.some((item) => findBindingRow(item) !== undefined) && renderThumbs(page.items)}</div>`;
}

const MORE_TO_COME = markup`<p class="note results-note">More results will follow; these are released already.</p>`;

function chooseColumns({ columns: keys }: View, columns: readonly TableColumn[]): TableColumn[] {
  return columns.filter(({ key }) => (keys.length === 0 ? !OPTIONAL_COLUMNS.has(key) : keys.includes(key)));
}

/** A head is a link: the first press sorts best first, the next turns the order round. */
function renderSortHead(
  {
    key,
    label,
    head,
    className,
    sort,
    isLargeFirst = false,
  }: Partial<TableColumn> & Pick<TableColumn, 'key' | 'label'>,
  base: string,
  view: View,
): Markup {
  const content = head ?? label;
  const classes = className !== undefined && markup` class="${className}"`;
  if (sort === undefined) return markup`<th scope="col"${classes}>${content}</th>`;
  const first = isLargeFirst ? `-${key}` : key;
  const other = isLargeFirst ? key : `-${key}`;
  const isSorted = view.sort === key || view.sort === `-${key}`;
  const order = view.sort === key ? 'ascending' : 'descending';
  const next = view.sort === first ? other : first;
  return markup`<th scope="col"${classes}${isSorted && markup` aria-sort="${order}"`}><a class="sort" id="sort-${key}" href="${writeView(base, view, { sort: next })}#results">${content}${isSorted && markup`<span class="arrow" aria-hidden="true">${view.sort === key ? '↑' : '↓'}</span>`}</a></th>`;
}

function renderForm(
  base: string,
  { view, filters, columns }: Explorer,
  shown: readonly TableColumn[],
): Markup {
  const chosen = new Set(shown.map(({ key }) => key));
  const isFiltered = Object.values(view.values).some((value) => value !== '');
  const boxes = columns.map(
    ({ key, label }) =>
      markup`<label class="check"><input type="checkbox" id="column-${key}" name="columns" value="${key}"${!OPTIONAL_COLUMNS.has(key) && markup` data-usual`}${chosen.has(key) && markup` checked`}> ${label === '#' ? 'Place' : label}</label>`,
  );
  return markup`<form class="filters explorer-form" id="explorer-form" method="get" action="${base}#results" role="search" aria-label="Filters of results">
<input type="hidden" name="sort" value="${view.sort}">${filters.map((filter) => renderFilter(filter, view.values[filter.name] ?? ''))}
<details class="columns-choice" id="columns-choice"><summary>Columns</summary><fieldset><legend class="visually-hidden">Columns to show</legend>${boxes}</fieldset></details>
<button class="quiet apply">Apply</button>${isFiltered && markup`<a class="button quiet quiet-link" href="${writeView(base, { ...view, values: {} })}#results">Clear</a>`}
<p class="hint keys-hint"><kbd>j</kbd> <kbd>k</kbd> next and previous row, <kbd>Enter</kbd> open, <kbd>/</kbd> search</p></form>`;
}

function renderFilter({ name, label, options }: ListFilter, value: string): Markup {
  const id = `filter-${name}`;
  if (name === 'binders')
    return markup`<label class="check"><input type="checkbox" id="${id}" name="${name}" value="only"${value === 'only' && markup` checked`}> ${label}</label>`;
  const control =
    options === undefined
      ? markup`<input id="${id}" type="search" name="${name}" value="${value}" maxlength="200" autocomplete="off">`
      : markup`<select id="${id}" name="${name}"><option value="">Any</option>${options.map(([key, words]) => markup`<option value="${key}"${key === value && markup` selected`}>${words}</option>`)}</select>`;
  return markup`<div class="field"><label for="${id}">${label}</label>${control}</div>`;
}

/** One line in place of the rows that `Binders only` leaves out. */
function renderFold(base: string, { view, overview }: Explorer): Markup | null {
  if (view.values['binders'] !== 'only') return null;
  const parts = Object.entries(overview.outcomes).flatMap(([outcome, count]) => {
    if (outcome === 'measured') return [];
    if (outcome === 'non_binder')
      return [`${formatCount(count, 'non-binder')}${formatExcludedRange(overview)}`];
    return [`${count} ${isOutcome(outcome) ? OUTCOME_WORDS[outcome] : outcome}`];
  });
  const label = hasTarget(overview.experiment_type) ? 'Not among the binders' : 'Not measured';
  return markup`<p class="fold"><strong>${label}:</strong> ${joinWords(parts, 'and')}. <a href="${writeView(base, view, { binders: '' })}#results">Show them</a></p>`;
}

/** Such as ` (KD > 19 µM)`; the runs of an experiment may have seen different KDs. */
function formatExcludedRange({ excluded_kd_m: range }: Overview): string {
  const [low, high] = [formatExcluded(range?.low), formatExcluded(range?.high)];
  if (low === undefined || high === undefined) return '';
  return low === high ? ` (KD ${low})` : ` (KD ${low} to ${high})`;
}

/** All on one scale, drawn by the script from one file; without scripts each is a picture. */
function renderThumbs(items: readonly ResultInfo[]): Markup {
  const responses = items.flatMap((item) =>
    (findBindingRow(item)?.replicates ?? []).map(({ response }) => response ?? 0),
  );
  const top = responses.reduce((most, response) => Math.max(most, response), 0);
  const scale = top > 0 ? `?top=${(top * 1.05).toPrecision(3)}` : '';
  const figures = items.map((item) => {
    const kd = toKdReading(item.quantities.kd)?.value ?? formatOutcome(item);
    return markup`<li><a class="thumb" href="/results/${item.id}"><svg class="thumb-plot" viewBox="0 0 320 150" data-result="${item.id}" aria-hidden="true" focusable="false"></svg><noscript><img src="/results/${item.id}/thumbnail.svg${scale}" alt="" loading="lazy" width="320" height="150"></noscript><span class="thumb-name"><bdi>${item.sequence_name}</bdi> <span class="muted nowrap">${kd}</span></span></a></li>`;
  });
  return markup`<section class="card" aria-labelledby="sensorgrams"><div class="card-head"><h2 id="sensorgrams">Sensorgrams</h2><p class="hint">First replicate, all on one scale</p></div><ul class="thumbs">${figures}</ul></section>`;
}

/** The explorer alone, for its script. */
export async function sendExplorerPart(context: PortalContext): Promise<FastifyReply> {
  const explorer = await loadExplorer(context, getPathParameter(context.request, 'id'));
  return sendPage(context.reply, renderExplorer(explorer).text);
}

const THUMBNAILS_AGE_SECONDS = 86_400;

/** The small pictures of all results; the address changes with them. */
export async function sendThumbnails({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { experiment_id: getPathParameter(request, 'id') };
  const answer = await api.call(getResultThumbnails, { params });
  return reply.header('cache-control', `private, max-age=${THUMBNAILS_AGE_SECONDS}`).send(answer);
}

/** What is shown, in all its pages: the chosen rows in their order, and the chosen columns. */
async function loadExport({ api, request }: Reader) {
  const params = { experiment_id: getPathParameter(request, 'id') };
  const overview = await api.call(getResultsOverview, { params });
  const columns = listTableColumns(overview.experiment_type, overview);
  const view = readView(request, listFilters(overview), columns);
  const shown = chooseColumns(view, columns);
  const records: Record<string, string | number | null>[] = [];
  for (let offset = 0; ; offset += EXPORT_SIZE) {
    const query = { ...buildQuery(view, columns), limit: EXPORT_SIZE, offset };
    const page = await api.call(getExperimentResults, { params, query });
    for (const item of page.items)
      records.push(
        Object.assign(
          { sequence_name: item.sequence_name, is_control: item.is_control ? 'yes' : 'no' },
          ...shown.map(({ listValues }) => listValues?.(item) ?? {}),
          { result_id: item.id },
        ),
      );
    if (offset + page.count >= page.total || page.count === 0) break;
  }
  return { code: overview.experiment_code, records };
}

export async function sendResultsCsv(context: PortalContext): Promise<FastifyReply> {
  const { code, records } = await loadExport(context);
  return sendCsv(context.reply, `${code}-results.csv`, records);
}

const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

export async function sendResultsWorkbook(context: PortalContext): Promise<FastifyReply> {
  const { code, records } = await loadExport(context);
  return sendAttachment(context.reply, {
    fileName: `${code}-results.xlsx`,
    contentType: XLSX_TYPE,
    content: writeWorkbook(code, arrangeRows(records)),
  });
}
