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
import type { FastifyReply } from 'fastify';
import type { PortalContext } from '#ui/context.ts';
import { sendCsv, arrangeRows } from '#ui/csv-export.ts';
import { getPathParameter, sendAttachment, sendPage } from '#ui/http.ts';
import type { ListFilter } from '#ui/list.ts';
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
import { outcomeWords } from './readings.ts';
import {
  buildViewQuery,
  CLASSES,
  isFiltered,
  listParameters,
  readView,
  writeView,
  type ExplorerView,
} from './explorer-view.ts';
import {
  listTableColumns,
  OPTIONAL_COLUMNS,
  renderRankedResults,
  type TableColumn,
} from './results-table.ts';

type Overview = Output<typeof getResultsOverview>;
type Page = Output<typeof getExperimentResults>;

/** Rows of a page; the script shows up to three pages at once. */
const EXPLORER_SIZE = 60;
const EXPORT_SIZE = 100;

export interface Explorer {
  readonly view: ExplorerView;
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
  const { experiment_type: type } = overview;
  const columns = listTableColumns(type, overview);
  const view = readView(request, type);
  const query = { ...buildViewQuery(view, type), limit: EXPLORER_SIZE, offset: view.offset };
  const page = await api.call(getExperimentResults, { params, query });
  return { view, filters, overview, columns, page, canShare: canCall(session, createShare) };
}

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
          query: writeView('', view),
          renderHead: (column) => renderSortHead(column, base, view),
        });
  const parameters = listParameters(view);
  const count = isFiltered(view)
    ? `${page.total.toLocaleString('en-US')} of ${formatCount(overview.total, 'result')}`
    : formatCount(overview.total, 'result');
  return markup`<div id="explorer" class="stack" data-live-keep data-total="${page.total}" data-offset="${page.offset}" data-size="${EXPLORER_SIZE}" data-part="${base}/explorer" data-thumbnails="${base}/thumbnails.json?v=${overview.version}">
<section class="card flush explorer" aria-labelledby="results"><div class="card-head"><h2 id="results">Results</h2><p class="hint"><span role="status">${count}</span>, ${view.sort === '' ? 'best first' : 'sorted'} · export <a id="export-csv" href="${writeView(`${base}/results.csv`, view)}" download>CSV</a> or <a id="export-xlsx" href="${writeView(`${base}/results.xlsx`, view)}" download>Excel</a> · <a href="${base}/data-package">Download everything</a> · <a href="/compare?experiments=${code}">Compare</a>${loaded.canShare && markup` · <a href="/organization/shares?experiment_id=${code}">Share</a>`}</p></div>
${state === 'partial' && MORE_TO_COME}${renderForm(base, loaded, shown)}
${table}${renderFold(base, loaded)}
${page.total > page.count && renderPager(base, parameters, page, EXPLORER_SIZE, 'result')}</section>
${renderThumbs(loaded)}</div>`;
}

const MORE_TO_COME = markup`<p class="note results-note">More results will follow; these are released already.</p>`;

function chooseColumns({ columns: keys }: ExplorerView, columns: readonly TableColumn[]): TableColumn[] {
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
  view: ExplorerView,
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
  const boxes = columns.map(
    ({ key, label }) =>
      markup`<label class="check"><input type="checkbox" id="column-${key}" name="columns" value="${key}"${!OPTIONAL_COLUMNS.has(key) && markup` data-usual`}${chosen.has(key) && markup` checked`}> ${label === '#' ? 'Place' : label}</label>`,
  );
  return markup`<form class="filters explorer-form" id="explorer-form" method="get" action="${base}#results" role="search" aria-label="Filters of results">
<input type="hidden" name="sort" value="${view.sort}">${filters.map((filter) => renderFilter(filter, view.values[filter.name] ?? ''))}
<details class="columns-choice" id="columns-choice"><summary>Columns</summary><fieldset><legend class="visually-hidden">Columns to show</legend>${boxes}</fieldset></details>
<button class="quiet apply">Apply</button>${isFiltered(view) && markup`<a class="button quiet quiet-link" href="${writeView(base, { ...view, values: {} })}#results">Clear</a>`}
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

/** Curves in sight at first; the others are folded. */
const PICTURES_OPEN = 18;

/** The curves of what was measured; the rest of the page is flat, and folded. */
function renderThumbs({ view, overview, page: { items } }: Explorer): Markup | null {
  const { picturesTitle: title } = getAssayView(overview.experiment_type);
  if (title === undefined || items.length === 0) return null;
  const measured = items.filter(({ outcome }) => outcome === 'measured');
  const drawn = measured.length > 0 ? measured : items;
  const rest = items.filter((item) => !drawn.includes(item));
  const query = writeView('', view);
  const topSignal = findTopSignal(items);
  const render = (some: readonly ResultInfo[]): Markup =>
    markup`<ul class="thumbs">${some.map((item) => renderThumb(item, { query, topSignal }))}</ul>`;
  const fold = (some: readonly ResultInfo[], words: string): Markup | null =>
    some.length === 0
      ? null
      : markup`<details class="more-thumbs" id="thumbs-${words.split(' ').at(-1)}"><summary>${some.length} ${words}</summary>${render(some)}</details>`;
  return markup`<section class="card pictures" aria-labelledby="pictures"><div class="card-head"><h2 id="pictures">${title}</h2><p class="hint">First replicate${topSignal === null ? '' : ', all on one scale'}</p></div>${render(drawn.slice(0, PICTURES_OPEN))}${fold(drawn.slice(PICTURES_OPEN), 'more')}${fold(rest, hasTarget(overview.experiment_type) ? 'without detected binding' : 'not measured')}</section>`;
}

/** The highest response, which is the end of the scale that all share; null where there are no responses. */
function findTopSignal(items: readonly ResultInfo[]): number | null {
  const rows = items.flatMap((item) => findBindingRow(item) ?? []);
  const responses = rows.flatMap(({ replicates }) => replicates.map(({ response }) => response ?? 0));
  return rows.length === 0 ? null : responses.reduce((most, response) => Math.max(most, response), 0);
}

/** Drawn by the script from one file; without scripts a sensorgram is a picture. */
function renderThumb(
  item: ResultInfo,
  { query, topSignal }: { readonly query: string; readonly topSignal: number | null },
): Markup {
  const headline = item.outcome === 'measured' ? getAssayView(item.experiment_type).getHeadline(item) : null;
  const caption = headline?.readings[0]?.value ?? formatOutcome(item);
  const scale = topSignal !== null && topSignal > 0 ? `?top=${(topSignal * 1.05).toPrecision(3)}` : '';
  const picture =
    topSignal !== null &&
    markup`<noscript><img src="/results/${item.id}/thumbnail.svg${scale}" alt="" loading="lazy" width="320" height="150"></noscript>`;
  return markup`<li><a class="thumb" href="/results/${item.id}${query}"><svg class="thumb-plot" viewBox="0 0 320 150" data-result="${item.id}" aria-hidden="true" focusable="false"></svg>${picture}<span class="thumb-name"><bdi>${item.sequence_name}</bdi> <span class="muted nowrap">${caption}</span></span></a></li>`;
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
  const view = readView(request, overview.experiment_type);
  const shown = chooseColumns(view, columns);
  const records: Record<string, string | number | null>[] = [];
  for (let offset = 0; ; offset += EXPORT_SIZE) {
    const query = { ...buildViewQuery(view, overview.experiment_type), limit: EXPORT_SIZE, offset };
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
