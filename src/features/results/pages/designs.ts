/** `/designs`: every design of the organization with all its measurements, found by name, by part of it, or by likeness. */
import type { Output } from '#core/operation.ts';
import { formatCount } from '#core/words.ts';
import { getAssayView } from '#assays/views.ts';
import { findShownAssay } from '#assays/shown.ts';
import type { FastifyReply } from 'fastify';
import type { PortalContext } from '#ui/context.ts';
import { sendCsv, type ExportRecord } from '#ui/csv-export.ts';
import { queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { readOffset, renderTable, type Column } from '#ui/list.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { renderPager } from '#ui/pieces.ts';
import { renderDay, toSentenceCase } from '#ui/words.ts';
import { listDesigns } from '../designs/contract.ts';
import { DISTANCE_MAX } from '../designs/near.ts';
import { SHORT_GRADE_WORDS } from '../words/outcomes.ts';
import { formatExcluded } from '../words/results.ts';
import { outcomeWords } from './readings.ts';

type Designs = Output<typeof listDesigns>;
type Design = Designs['items'][number];
type Measurement = Design['measurements'][number];

const PATH = '/designs';
const PAGE_SIZE = 50;
const EXPORT_SIZE = 100;
/** A file with more would take a minute. */
const EXPORTED_MAX = 5_000;

const DISTANCES = [0, 1, 2, 3, 5, 10, DISTANCE_MAX] as const;
/** By name in the address, the order in the language of lists and its words. */
const ORDERS: Readonly<Record<string, readonly [sort: string, words: string]>> = {
  newest: ['desc(created_at)', 'Newest first'],
  name: ['asc(name)', 'By name'],
  kd: ['asc(kd_m),desc(created_at)', 'Smallest KD first'],
  tm: ['desc(tm_c),desc(created_at)', 'Highest Tm first'],
  measured: ['desc(measurement_count),desc(created_at)', 'Most measured first'],
  closest: ['asc(distance),desc(created_at)', 'Closest first'],
};

/** What the address asks for. */
interface View {
  readonly search: string;
  readonly sequence: string;
  readonly distance: string;
  readonly order: string;
}

function readView({ request }: Pick<PortalContext, 'request'>): View {
  const sequence = queryParameter(request, 'sequence').replaceAll(/\s+/g, '').toUpperCase().slice(0, 8_000);
  const distance = DISTANCES.find((each) => String(each) === queryParameter(request, 'distance'));
  const order = queryParameter(request, 'order');
  const isKnown = Object.hasOwn(ORDERS, order) && (order !== 'closest' || sequence !== '');
  return {
    search: queryParameter(request, 'search').trim().slice(0, 200),
    sequence,
    distance: sequence === '' || distance === undefined ? '' : String(distance),
    order: isKnown ? order : '',
  };
}

/** Only letters and colons are asked for; anything else the page says by itself. */
const isSequence = (text: string): boolean => /^[A-Z]+(?::[A-Z]+)*$/.test(text);

function buildQuery({ search, sequence, distance, order }: View): Record<string, string> {
  const usual = sequence === '' ? 'newest' : 'closest';
  return {
    ...(search !== '' && { search }),
    ...(sequence !== '' && { sequence, max_distance: distance === '' ? '0' : distance }),
    sort: ORDERS[order === '' ? usual : order]?.[0] ?? '',
  };
}

function writeAddress(path: string, view: Partial<View>): string {
  const query = new URLSearchParams(Object.entries(view).filter(([, value]) => value !== ''));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

const NOTHING: Designs = { items: [], count: 0, offset: 0, total: 0 };

export async function loadDesignsPage(context: PortalContext): Promise<PageContent> {
  const view = readView(context);
  const isWrong = view.sequence !== '' && !isSequence(view.sequence);
  const query = { ...buildQuery(view), limit: PAGE_SIZE, offset: readOffset(context.request) };
  const page = isWrong ? NOTHING : await context.api.call(listDesigns, { query });
  const isFiltered = view.search !== '' || view.sequence !== '';
  const count = isFiltered ? `${formatCount(page.total, 'design')} match` : formatCount(page.total, 'design');
  const file =
    page.total > 0 &&
    markup` · <a href="${writeAddress(`${PATH}.csv`, view)}" download>${page.total > EXPORTED_MAX ? `the first ${EXPORTED_MAX.toLocaleString('en-US')} as CSV` : 'as CSV'}</a>`;
  const body = markup`<div class="page-head"><div><h1>Designs</h1><p class="hint"><span role="status">${page.total === 1 ? count.replace(/match$/, 'matches') : count}</span>${file}</p></div></div>
${renderForm(view, isFiltered, isWrong)}
<section class="card flush" aria-label="Designs">${page.items.length === 0 ? renderNothing(isFiltered) : renderTable(buildColumns(view), page.items)}
${page.total > page.count && page.count > 0 && renderPager(PATH, { ...view }, page, PAGE_SIZE, 'design')}</section>`;
  return { title: 'Designs', body, section: 'designs' };
}

function renderNothing(isFiltered: boolean): Markup {
  return isFiltered
    ? markup`<div class="empty"><p>No design matches. <a href="${PATH}">Show all</a></p></div>`
    : markup`<div class="empty"><h2>No designs yet</h2><p class="muted">Every sequence that you order stands here, with what was measured of it in any experiment.</p></div>`;
}

function renderForm(view: View, isFiltered: boolean, isWrong: boolean): Markup {
  const nameDistance = (distance: number): string =>
    distance === 0 ? 'identical' : distance === 1 ? 'at most 1 change' : `at most ${distance} changes`;
  const distances = DISTANCES.map(
    (each) =>
      markup`<option value="${each}"${String(each) === (view.distance === '' ? '0' : view.distance) && markup` selected`}>${nameDistance(each)}</option>`,
  );
  const orders = Object.entries(ORDERS)
    .filter(([name]) => name !== 'closest' || view.sequence !== '')
    .map(
      ([name, [, words]]) =>
        markup`<option value="${name}"${name === (view.order === '' ? (view.sequence === '' ? 'newest' : 'closest') : view.order) && markup` selected`}>${words}</option>`,
    );
  const problem =
    isWrong &&
    markup`<p class="problem" id="sequence-problem">Paste amino acids in single letters, with “:” between chains.</p>`;
  return markup`<form class="filters designs-form" method="get" action="${PATH}" role="search" aria-label="Filters of designs">
<div class="field"><label for="design-search">Name or residues</label><input id="design-search" type="search" name="search" value="${view.search}" maxlength="200" autocomplete="off"></div>
<div class="field"><label for="design-sequence">Like this sequence</label><input id="design-sequence" class="mono" type="search" name="sequence" value="${view.sequence}" maxlength="8000" autocomplete="off" spellcheck="false"${isWrong && markup` aria-invalid="true" aria-describedby="sequence-problem"`}>${problem}</div>
<div class="field"><label for="design-distance">How alike</label><select id="design-distance" name="distance">${distances}</select></div>
<div class="field"><label for="design-order">Order</label><select id="design-order" name="order">${orders}</select></div>
<button>Show</button>${isFiltered && markup`<a class="button quiet-link" href="${PATH}">Clear</a>`}</form>`;
}

const PREVIEW_LETTERS = 24;
const SHOWN_MEASUREMENTS = 4;
const SIMILAR_DISTANCE = '5';

function buildColumns({ sequence }: View): readonly Column<Design>[] {
  const columns: Column<Design>[] = [
    { head: 'Design', render: renderName },
    { head: 'Measured', render: renderMeasurements },
    { head: 'Sequence', render: renderSequence },
  ];
  if (sequence !== '')
    columns.push({
      head: 'Changes',
      isNumber: true,
      render: ({ distance }) => (distance === 0 ? 'identical' : String(distance ?? '–')),
    });
  columns.push(
    { head: 'Experiments', isNumber: true, render: ({ experiment_count: count }) => String(count) },
    {
      head: 'First ordered',
      render: ({ created_at: at }) => markup`<span class="nowrap">${renderDay(at)}</span>`,
    },
  );
  return columns;
}

function renderName({ name, names, is_control: isControl }: Design): Part {
  const others = names.filter((each) => each !== name);
  return markup`<bdi>${name}</bdi>${isControl && markup` <span class="muted">control</span>`}${others.length > 0 && markup`<span class="sub">also <bdi>${others.slice(0, 3).join(', ')}</bdi>${others.length > 3 && ` and ${others.length - 3} more`}</span>`}`;
}

function renderSequence({ aa_string: aaString, length, distance }: Design): Part {
  const similar = writeAddress(PATH, { sequence: aaString, distance: SIMILAR_DISTANCE });
  return markup`<span class="mono" title="${aaString}">${aaString.slice(0, PREVIEW_LETTERS)}${aaString.length > PREVIEW_LETTERS && '…'}</span><span class="sub">${formatCount(length, 'residue')}${distance !== 0 && aaString.length <= 4_000 && markup` · <a href="${similar}">similar ones</a>`}</span>`;
}

function renderMeasurements({ measurements, measurement_count: count }: Design): Part {
  if (count === 0) return markup`<span class="muted">not yet</span>`;
  const shown = measurements.slice(0, SHOWN_MEASUREMENTS).map((each) => {
    const about = each.target_name ?? toSentenceCase(each.experiment_type);
    const grade = each.grade === null ? null : markup`, ${SHORT_GRADE_WORDS[each.grade]}`;
    return markup`<li><a href="/results/${each.result_id}"><bdi>${about}</bdi> <strong>${formatMeasured(each)}</strong></a> <span class="sub"><span class="mono">${each.experiment_code}</span>${each.target_name !== null && markup`, ${each.experiment_type}`}${grade}</span></li>`;
  });
  const rest = count - shown.length;
  return markup`<ul class="measured">${shown}</ul>${rest > 0 && markup`<span class="sub">and ${rest} more, in the CSV</span>`}`;
}

/** The quantity by which the assay compares results; undefined where there is none. */
function findCompared({ experiment_type: type, quantities, outcome, sequence_name }: Measurement) {
  const measure = findShownAssay(type)?.measure;
  const result = { sequence_name, is_control: false, outcome, place: null, quantities, summary: {} };
  const quantity = measure?.getQuantity(result);
  return measure === undefined || typeof quantity?.value !== 'number' ? undefined : { measure, quantity };
}

/** `6.6 nM (4.6–9.4)`, `no binding, KD > 19 µM`. */
function formatMeasured(measurement: Measurement): string {
  const { outcome, experiment_type: type, excluded_kd_m: excluded } = measurement;
  const compared = findCompared(measurement);
  if (outcome === 'measured' && compared !== undefined)
    return compared.measure.formatQuantity(compared.quantity) ?? '–';
  if (outcome === 'measured') return (getAssayView(type).measuredWord ?? outcomeWords.measured).toLowerCase();
  const limit = outcome === 'non_binder' ? formatExcluded(excluded) : undefined;
  const words = outcomeWords[outcome].toLowerCase();
  return limit === undefined ? words : `${words}, KD ${limit}`;
}

/** A line for each measurement, and one for each design without any. */
export async function sendDesignsCsv(context: PortalContext): Promise<FastifyReply> {
  const query = buildQuery(readView(context));
  const records: ExportRecord[] = [];
  for (let offset = 0; offset < EXPORTED_MAX; offset += EXPORT_SIZE) {
    const page = await context.api.call(listDesigns, { query: { ...query, limit: EXPORT_SIZE, offset } });
    records.push(...page.items.flatMap(listRecords));
    if (offset + page.count >= page.total || page.count === 0) break;
  }
  return sendCsv(context.reply, 'designs.csv', records);
}

function listRecords(design: Design): ExportRecord[] {
  const { name, names, aa_string, length, is_control: isControl, distance, created_at } = design;
  const own = {
    name,
    other_names: names.filter((each) => each !== name).join('; '),
    is_control: isControl ? 'yes' : 'no',
    length,
    distance: distance ?? null,
    first_ordered_at: created_at,
  };
  const measurements = design.measurements.map((each) => {
    const quantity = findCompared(each)?.quantity;
    return {
      experiment_code: each.experiment_code,
      assay: each.experiment_type,
      target: each.target_name,
      outcome: each.outcome,
      grade: each.grade,
      value: quantity?.value ?? null,
      relation: quantity?.relation ?? null,
      ci95_low: quantity?.ci95_low ?? null,
      ci95_high: quantity?.ci95_high ?? null,
      unit: quantity?.unit ?? null,
      excluded_kd_m: each.excluded_kd_m,
      result_id: each.result_id,
    };
  });
  return (measurements.length === 0 ? [{}] : measurements).map((each) => ({ ...own, ...each, aa_string }));
}
