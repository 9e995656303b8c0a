/**
 * `/shared/{secret}`: what whoever has a link reads without an account. Everything comes from operations, called with
 * the few rights of the link. No page names the experiment by its code, which begins with the name of its organization.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { getLabName } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { formatCount } from '#core/words.ts';
import type { AssayView } from '#assays/cells.ts';
import { hasTarget } from '#assays/registry.ts';
import { getAssayView } from '#assays/views.ts';
import { createCaller, type Caller } from '#ui/caller.ts';
import { sendCsv } from '#ui/csv-export.ts';
import { CSV_TEXT, getPathParameter, queryParameter, sendAttachment } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { readOffset } from '#ui/list.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { renderPager, renderWideFigure } from '#ui/pieces.ts';
import type { Routes } from '#ui/routes.ts';
import { sendContent } from '#ui/send.ts';
import { renderDay, toSentenceCase } from '#ui/words.ts';
import {
  getExperimentPlot,
  getExperimentResults,
  getResultCurves,
  getResultInfo,
  getResultPlot,
  type ResultInfo,
} from '../../results/contract.ts';
import { renderGradeChip, renderResultChip } from '../../results/pages/chips.ts';
import { renderFigures } from '../../results/pages/figures.ts';
import {
  PLOT_VIEWS,
  renderFailedPlate,
  renderFlagList,
  renderHeadline,
  renderQuantityTable,
  toText,
} from '../../results/pages/result.ts';
import { listTableColumns, renderRankedResults } from '../../results/pages/results-table.ts';
import { renderSequenceCard } from '../../results/pages/sequence-card.ts';
import { PICTURE_HEADERS } from '../../results/pages/thumbnail.ts';
import { getSequenceInfo } from '../../sequences/contract.ts';
import { createReader, openShare } from '../open-share.ts';
import { SHARED_PATH } from '../rules.ts';
import type { SharedRow } from '../store.ts';

const PATH = `${SHARED_PATH}/:secret`;
const PAGE_SIZE = 100;

/** A link that is open, with the operations that its reader may call. */
interface Opened {
  readonly parts: PagesParts;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly share: SharedRow;
  readonly api: Caller;
  /** The address of its first page. */
  readonly base: string;
}

export function addSharedPages(routes: Routes, parts: PagesParts): void {
  const add = (path: string, show: (opened: Opened) => Promise<PageContent | FastifyReply>): void => {
    routes.get(`${PATH}${path}`, async (request, reply) => {
      const opened = await open(parts, request, reply);
      if (!('share' in opened)) return opened;
      const shown = await show(opened);
      return 'title' in shown ? send(parts, reply, shown) : shown;
    });
  };
  add('', loadFirstPage);
  add('/plot.svg', sendSharedPlot);
  add('/results.csv', sendSharedCsv);
  add('/results/:id', loadSharedResult);
  add('/results/:id/plot.svg', sendSharedResultPlot);
  add('/results/:id/curves.json', sendSharedCurves);
  add('/results/:id/curves.csv', sendSharedCurvesCsv);
}

const send = ({ work }: PagesParts, reply: FastifyReply, page: PageContent): FastifyReply =>
  sendContent(reply, { site: work.site, visitor: null, isBare: true }, page);

/** Misses count together for each client, so that nobody can try many secrets; the readers of a link count apart. */
async function open(
  parts: PagesParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Opened | FastifyReply> {
  const secret = getPathParameter(request, 'secret');
  const share = await openShare(parts.work, parts.database, secret);
  parts.rateLimiter.take({ familyId: `${share?.id ?? 'no link'} ${request.ip}` });
  if (share?.status !== 'open') return send(parts, reply, renderEnded(share === undefined ? 404 : 410));
  const api = createCaller(parts, request, { principal: createReader(share) });
  return { parts, request, reply, share, api, base: `${SHARED_PATH}/${secret}` };
}

/** The same page for a link that was never made and for one that ended; the status tells them apart. */
function renderEnded(status: number): PageContent {
  const body = markup`<article class="card door" aria-labelledby="ended"><h1 id="ended">Nothing is shared here now</h1>
<p>The link has expired, was revoked, or was not copied in full. Ask whoever sent it for a new one.</p></article>`;
  return { title: 'Nothing is shared here now', body, width: 'narrow', status };
}

async function loadFirstPage(opened: Opened): Promise<PageContent> {
  const { share, api, request, base } = opened;
  if (share.sequence_id !== null) return renderResult(opened, await findPresent(opened, share.sequence_id));
  const page = await api.call(getExperimentResults, {
    params: { experiment_id: share.experiment_id },
    query: { limit: PAGE_SIZE, offset: readOffset(request) },
  });
  const [first] = page.items;
  const title = share.title ?? describeWhat(share.experiment_type, first?.target_name);
  const csv = share.allows_csv && markup` · <a href="${base}/results.csv" download>values as CSV</a>`;
  const table =
    first === undefined
      ? markup`<p>No results are released now.</p>`
      : renderRankedResults(page.items, { base: `${base}/results` });
  const body = markup`${renderHead(opened, title)}
<div class="stack">
<section class="card flush" aria-labelledby="results"><div class="card-head"><h2 id="results">Results</h2><p class="hint">${formatCount(page.total, 'result')}, best first${csv}</p></div>
${table}${page.total > page.count && renderPager(base, {}, page, PAGE_SIZE, 'result')}</section>
${first !== undefined && renderFigures(base, 'results', page.items)}</div>`;
  return { title, body };
}

/** Such as `Affinity against EGFR`. */
function describeWhat(type: string, target: string | null | undefined): string {
  const against = hasTarget(type) && typeof target === 'string' ? ` against ${target}` : '';
  return `${toSentenceCase(type)}${against}`;
}

function renderHead({ share, parts }: Opened, title: Part, chips: Part = null): Markup {
  const by =
    share.shared_by === null ? 'Measured by' : markup`Shared by <bdi>${share.shared_by}</bdi> · measured by`;
  const lab = getLabName(parts.work.site.letterhead.seller);
  return markup`<div class="page-head"><div><p class="over">Shared results, to read only</p><h1><bdi>${title}</bdi></h1>
<p class="hint">${by} <bdi>${lab}</bdi> · this link works until ${renderDay(share.expires_at)}</p></div>${chips !== null && markup`<div>${chips}</div>`}</div>`;
}

/** The present version of the result of a sequence. Throws `result_not_found`. */
async function findPresent({ api, share }: Opened, sequenceId: string): Promise<ResultInfo> {
  const { items } = await api.call(getExperimentResults, {
    params: { experiment_id: share.experiment_id },
    query: { filter: `eq(sequence_id,${sequenceId})`, limit: 1 },
  });
  const [result] = items;
  if (result === undefined) throw fail('result_not_found');
  return result;
}

/** Throws `result_not_found` for whatever the link does not share. */
async function findShared(opened: Opened): Promise<ResultInfo> {
  const { api, request, share } = opened;
  const params = { result_id: getPathParameter(request, 'id') };
  const named = await api.call(getResultInfo, { params }).catch(() => undefined);
  const isShared =
    named?.experiment_id === share.experiment_id &&
    (share.sequence_id === null || share.sequence_id === named.sequence_id);
  if (!isShared) throw fail('result_not_found');
  return findPresent(opened, named.sequence_id);
}

async function loadSharedResult(opened: Opened): Promise<PageContent> {
  return renderResult(opened, await findShared(opened));
}

/** Of one shared result, flags stand without their sentences, which may name other samples. */
function hideOthers(result: ResultInfo, { sequence_id: onlyOne }: SharedRow): ResultInfo {
  return onlyOne === null ? result : { ...result, qc: { ...result.qc, details: [] } };
}

async function renderResult(opened: Opened, whole: ResultInfo): Promise<PageContent> {
  const { share, base } = opened;
  const result = hideOthers(whole, share);
  const view = getAssayView(result.experiment_type);
  const path = `${base}/results/${result.id}`;
  const chips = markup`${renderGradeChip(result.assessment)} ${renderResultChip(result)}`;
  const what = describeWhat(result.experiment_type, result.target_name);
  const crumbs =
    share.sequence_id === null &&
    markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="${base}"><bdi>${share.title ?? what}</bdi></a></nav>`;
  const body = markup`${crumbs}
${renderHead(opened, (share.sequence_id !== null && share.title) || result.sequence_name, chips)}
${renderHeadline(result, view)}
<div class="stack">
${renderFailedPlate(result)}
${renderCurves(result, path, view, share.allows_csv)}
${renderFlagList(result)}
${renderQuantityTable(result)}
${view.renderReplicates(result)}
${await renderSequence(opened, result, path)}
${renderFacts(result, what)}</div>`;
  const title = share.sequence_id === null ? result.sequence_name : (share.title ?? result.sequence_name);
  return { title, body, scripts: ['curve-reader', 'copy'] };
}

function renderCurves(result: ResultInfo, path: string, view: AssayView, allowsCsv: boolean): Markup {
  const { plotTitle: title, isReadByWell = false, isReadWhole = false, getPlotHint } = view;
  const name = result.sequence_name.replaceAll(/[^\w.-]/g, '_');
  const saves = markup`<a href="${path}/plot.svg" download="${name}.svg">Figure as SVG</a>${allowsCsv && markup` · <a href="${path}/curves.csv" download>points as CSV</a>`}`;
  const figure = renderWideFigure({
    name: `${title} as a figure`,
    source: `${path}/plot.svg`,
    alt: `${title} of ${result.sequence_name}`,
    caption: markup`${getPlotHint(result)} ${saves}`,
    isLazy: true,
    isBehind: isReadWhole,
  });
  return markup`<section class="card curve-reader${isReadByWell && ' wells'}" aria-labelledby="reader" data-curves="${path}/curves.json"><div class="card-head"><h2 id="reader">${title}</h2><p class="hint">${saves}</p></div>
<p class="hint reader-wait">Loading the curves.</p></section>
${figure}`;
}

async function renderSequence(
  { api, share }: Opened,
  result: ResultInfo,
  path: string,
): Promise<Markup | null> {
  if (!share.shows_sequences) return null;
  const params = { sequence_id: result.sequence_id };
  const { aa_string: aaString } = await api.call(getSequenceInfo, { params });
  const { sequence_name: name, is_control: isControl } = result;
  const ordered = [{ name, aa_string: aaString ?? '', isControl }];
  return renderSequenceCard({ path, name, ordered, beside: '' });
}

function renderFacts(result: ResultInfo, what: string): Markup {
  return markup`<section class="card" aria-labelledby="facts"><h2 id="facts">Record</h2><dl class="facts">
<div><dt>Sample</dt><dd><bdi>${result.sequence_name}</bdi>${result.is_control && ', a control'}</dd></div>
<div><dt>Measured</dt><dd><bdi>${what}</bdi></dd></div>
${result.method !== null && markup`<div><dt>Method</dt><dd>${result.method?.toUpperCase()}</dd></div>`}
<div><dt>Instrument</dt><dd>${result.instrument ?? '–'}</dd></div>
<div><dt>Replicates</dt><dd>${result.n_replicates_passed} of ${result.n_replicates_ordered} support it</dd></div>
<div><dt>Version</dt><dd>${result.version}, released ${renderDay(result.updated_at)}</dd></div></dl></section>`;
}

/** The code of an experiment begins with the name of its organization, which only the sender may tell. */
function removeCode(text: string, code: string): string {
  return text
    .replaceAll(`, experiment ${code}`, '')
    .replaceAll(`Experiment ${code}`, 'Shared results')
    .replaceAll(code, 'the experiment');
}

/** What a link shows may end at any time, so that no browser keeps it. */
const UNKEPT_PICTURE = { ...PICTURE_HEADERS, 'cache-control': 'no-store' } as const;

async function sendSharedPlot({ api, share, request, reply }: Opened): Promise<FastifyReply> {
  if (share.sequence_id !== null) throw fail('result_not_found');
  const name = queryParameter(request, 'view');
  const view = PLOT_VIEWS.find((known) => known === name) ?? 'ranking';
  const params = { experiment_id: share.experiment_id };
  const plot = await api.reply(getExperimentPlot, { params, query: { view } });
  return reply.headers(UNKEPT_PICTURE).send(removeCode(toText(plot.body), share.experiment_code));
}

async function sendSharedResultPlot(opened: Opened): Promise<FastifyReply> {
  const { api, share, reply } = opened;
  const { id } = await findShared(opened);
  const plot = await api.reply(getResultPlot, { params: { result_id: id } });
  return reply.headers(UNKEPT_PICTURE).send(removeCode(toText(plot.body), share.experiment_code));
}

async function sendSharedCurves(opened: Opened): Promise<FastifyReply> {
  const { api, reply } = opened;
  const { id } = await findShared(opened);
  const {
    signal_unit: unit,
    curves,
    sequence_name: name,
  } = await api.call(getResultCurves, {
    params: { result_id: id },
  });
  return reply.send({ result_id: id, sequence_name: name, signal_unit: unit, curves });
}

async function sendSharedCurvesCsv(opened: Opened): Promise<FastifyReply> {
  const { api, share, reply } = opened;
  requireCsv(share);
  const { id, sequence_name: name } = await findShared(opened);
  const csv = await api.reply(getResultCurves, {
    params: { result_id: id },
    headers: { accept: 'text/csv' },
  });
  return sendAttachment(reply, {
    fileName: `${name}-curves.csv`,
    contentType: CSV_TEXT,
    content: toText(csv.body).replaceAll(share.experiment_code, ''),
  });
}

/** Throws `result_not_found` where the sender did not offer files. */
function requireCsv({ allows_csv: allowsCsv }: SharedRow): void {
  if (!allowsCsv) throw fail('result_not_found');
}

async function sendSharedCsv({ api, share, reply }: Opened): Promise<FastifyReply> {
  requireCsv(share);
  if (share.sequence_id !== null) throw fail('result_not_found');
  const columns = listTableColumns(share.experiment_type, { kd_m: null });
  const params = { experiment_id: share.experiment_id };
  const items: ResultInfo[] = [];
  for (;;) {
    const page = await api.call(getExperimentResults, {
      params,
      query: { limit: 100, offset: items.length },
    });
    items.push(...page.items);
    if (items.length >= page.total || page.count === 0) break;
  }
  const records = items.map((item) =>
    Object.assign(
      { sequence_name: item.sequence_name, is_control: item.is_control ? 'yes' : 'no' },
      ...columns.map(({ listValues }) => listValues?.(item) ?? {}),
    ),
  );
  return sendCsv(reply, 'results.csv', records);
}
