/** `/results/{id}`: one sequence with its curves, values and flags. */
import { renderFlagLink } from './flag-links.ts';
import { writeMinusSigns, formatConcentration } from '#core/number-words.ts';
import { writeBody } from '#core/reply.ts';
import {
  getResultCurves,
  getResultInfo,
  diffResults,
  getResultNeighbors,
  getResultPlot,
  listResultVersions,
  type Quantity,
  type ResultInfo,
  getExperimentPlot,
} from '../contract.ts';
import type { Output } from '#core/operation.ts';
import { getExperiment } from '../../experiments/contract.ts';
import type { FastifyReply } from 'fastify';
import type { PortalContext } from '#ui/context.ts';
import { CSV_TEXT, getPathParameter, JSON_TEXT, queryParameter, sendAttachment } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { toSentenceCase, renderTime } from '#ui/words.ts';
import { toQuantityReading, formatUnit } from './readings.ts';
import type { AssayView } from '#assays/cells.ts';
import { findShownAssay } from '#assays/shown.ts';
import { hasFailedPlate, listPlateFailures } from '../words/failed-plate.ts';
import { formatReplicates } from '../words/replicates.ts';
import { getAssayView } from '#assays/views.ts';
import { renderWideFigure } from '#ui/pieces.ts';
import { renderAssessment, renderGradeChip, renderResultChip } from './chips.ts';
import { PICTURE_HEADERS } from './thumbnail.ts';
import { canCall } from '#ui/session.ts';
import { createShare } from '../../shares/contract.ts';
import { createFormsView } from '#ui/form.ts';
import { renderQuestion } from '../../messages/pages/talk.ts';
import { renderCitation, renderOrigin } from './origin.ts';
import {
  buildViewQuery,
  isFiltered,
  listParameters,
  readView,
  writeView,
  type ExplorerView,
} from './explorer-view.ts';
import { listOrdered, renderSequenceCard } from './sequence-card.ts';
import { renderChanges, renderReplaced, renderVersions, type Changes, type Versions } from './versions.ts';

export async function loadResultPage(context: PortalContext): Promise<PageContent> {
  const { api, request, parts } = context;
  const params = { result_id: getPathParameter(request, 'id') };
  const [result, { versions }] = await Promise.all([
    api.call(getResultInfo, { params }),
    api.call(listResultVersions, { params }),
  ]);
  const list = readView(request, result.experiment_type);
  const [neighbors, changes, ordered] = await Promise.all([
    api.call(getResultNeighbors, { params, query: buildViewQuery(list, result.experiment_type) }),
    findChanges(context, versions),
    findOrdered(context, result.experiment_id),
  ]);
  const { site } = parts.work;
  const path = `/results/${result.id}`;
  const view = getAssayView(result.experiment_type);
  const body = markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="/">Experiments</a> / <a href="${writeView(`/experiments/${result.experiment_code}`, list)}#results">${result.experiment_code}</a></nav>
<div class="page-head"><div><p class="over">${toSentenceCase(result.experiment_type)}${result.target_name && markup` against <bdi>${result.target_name}</bdi>`}</p><h1><bdi>${result.sequence_name}</bdi></h1></div><div>${renderGradeChip(result.assessment)} ${renderResultChip(result)}${canCall(context.session, createShare) && markup` <a class="button quiet" href="/organization/shares?result_id=${result.id}">Share</a>`}</div></div>
${renderNeighbors(neighbors, list)}
${renderReplaced(result.id, versions)}
${renderHeadline(result, view)}
<div class="stack">
${renderFailedPlate(result)}
${renderReader(result, path)}
${renderResultFigure(result, path, view.isReadWhole === true ? 'behind' : 'below')}
${renderFlagList(result)}
${renderExclusions(result)}
${renderQuantityTable(result)}
${view.renderReplicates(result)}
${ordered !== null && renderSequenceCard({ path, name: result.sequence_name, ordered, beside: queryParameter(request, 'beside'), kept: listParameters(list) })}
${renderVersions(result.id, versions, changes)}
${changes !== null && renderChanges(changes)}
${renderOrigin(result)}
<div class="columns equal">${renderFactsCard(result)}<div class="stack">${renderCitation(result, site.letterhead.seller.name, site.baseUrl)}${renderQuestion(createFormsView(context), result.experiment_code, result.id)}</div></div>
</div>`;
  return {
    title: `${result.sequence_name}, ${result.experiment_code}`,
    body,
    section: 'experiments',
    api: { path, id: result.id },
    scripts: ['curve-reader', 'copy'],
  };
}

/** Finds what differs from the version that the address names, or from the one before; null where neither is there. */
async function findChanges({ api, request }: PortalContext, versions: Versions): Promise<Changes | null> {
  const id = getPathParameter(request, 'id');
  const shown = versions.find((version) => version.id === id);
  const asked = versions.find(({ version }) => String(version) === queryParameter(request, 'against'));
  const before = asked ?? versions.find(({ version }) => version < (shown?.version ?? 0));
  if (before === undefined || before === shown) return null;
  return api.call(diffResults, { params: { result_id: id }, query: { against: String(before.version) } });
}

/** The sequences of the order, for those who may read it. */
async function findOrdered({ api, session }: PortalContext, experimentId: string) {
  if (!canCall(session, getExperiment)) return null;
  const { experiment_spec: spec } = await api.call(getExperiment, {
    params: { experiment_id: experimentId },
  });
  return listOrdered(spec);
}

/** In the list that the address names, which is the explorer that the reader came from. */
function renderNeighbors(
  { position, total, previous, next }: Output<typeof getResultNeighbors>,
  list: ExplorerView,
): Markup | null {
  if (total < 2 || position === null) return null;
  const link = (to: typeof next, rel: 'prev' | 'next'): Part =>
    to !== null &&
    markup`<a class="button quiet" rel="${rel}" href="${writeView(`/results/${to.id}`, list)}"><span>${rel === 'prev' ? 'Previous' : 'Next'}</span><bdi class="muted">${to.sequence_name}</bdi></a>`;
  return markup`<nav class="neighbors" aria-label="Results of the experiment">${link(previous, 'prev')}<span class="muted">${position} of ${total}${isFiltered(list) && ' in the list'}, ${list.sort === '' ? 'best first' : 'sorted'}</span>${link(next, 'next')}</nav>`;
}

/** The script draws curves that are read under the pointer or by the keys; without it the figure and the CSV have them. */
export function renderReader(result: ResultInfo, base: string): Markup {
  const { plotTitle: title, isReadByWell = false, listWells } = getAssayView(result.experiment_type);
  const wells = listWells?.(result) ?? [];
  return markup`<section class="card curve-reader${isReadByWell && ' wells'}" data-live-keep aria-labelledby="reader" data-curves="${base}/curves.json"${wells.length > 0 && markup` data-wells="${JSON.stringify(wells)}"`}><div class="card-head"><h2 id="reader">${title}</h2><p class="hint">${renderDownloads(result, base)}</p></div>
<p class="hint reader-wait">Loading the curves.</p></section>`;
}

function renderDownloads(result: ResultInfo, base: string): Markup {
  return markup`<a href="${base}/plot.svg" download="${result.experiment_code}-${result.id}.svg">Figure as SVG</a> · <a href="${base}/curves.csv" download>points as CSV</a> · <a href="${base}/record.json" download>record as JSON</a>`;
}

/**
 * Renders the curves of a result with its downloads, which `base` serves. A figure that stands `behind` a reader is for
 * print, and for browsers without scripts; one `below` it shows more.
 */
export function renderResultFigure(result: ResultInfo, base: string, place?: 'behind' | 'below'): Markup {
  const { plotTitle: title, getPlotHint } = getAssayView(result.experiment_type);
  const hint = getPlotHint(result);
  return renderWideFigure({
    name: `${title} as a figure`,
    source: `${base}/plot.svg`,
    alt: `${title} of ${result.sequence_name}`,
    caption: markup`${hint} ${renderDownloads(result, base)}`,
    ...(place !== undefined && { isLazy: true, isBehind: place === 'behind' }),
  });
}

export function renderHeadline(result: ResultInfo, view: AssayView): Markup | null {
  const shown = view.getHeadline(result);
  if (shown === null) return null;
  const readings = shown.readings.map(
    ({ value, interval, isOfOne, by }, index) =>
      markup`${index > 0 && markup` <span class="muted">or</span>`} <strong>${value}</strong>${interval !== null && markup` <span class="muted">95% CI ${interval}${isOfOne === true && ', one replicate, fit alone'}</span>`}${by !== undefined && markup` <span class="muted">${by}</span>`}`,
  );
  return markup`<p class="headline"><span class="label">${shown.label}</span>${readings}</p>`;
}

/** Renders which control failed, before any figure; nothing where all passed. */
export function renderFailedPlate({ qc }: ResultInfo): Markup | null {
  if (!hasFailedPlate(qc.flags)) return null;
  return markup`<p class="note warn failed-plate"><strong>A control of the plate failed: measure this sequence on another plate before you rely on the result.</strong> ${writeMinusSigns(listPlateFailures(qc.details).join(' '))}</p>`;
}

const SEVERITIES = { error: 'attention', warning: 'warn', info: 'plain' } as const;

/** Renders the flags in sentences; the codes are for programs. */
export function renderFlagList(result: ResultInfo): Markup {
  const details = (result.qc.details ?? []).flatMap((detail) => parseFlag(detail) ?? []);
  const detailed = new Set(details.map(({ code }) => code));
  const untold = result.qc.flags.filter((code) => !detailed.has(code));
  const items: Part = [
    ...details.map(
      ({ code, message, severity }) =>
        markup`<li class="${SEVERITIES[severity]}"><strong>${renderFlagLink(code)}</strong> <span>${writeMinusSigns(message)}</span></li>`,
    ),
    ...untold.map((code) => markup`<li class="warn"><strong>${renderFlagLink(code)}</strong></li>`),
  ];
  const isClean = details.length === 0 && untold.length === 0;
  return markup`<section class="card" aria-labelledby="quality"><div class="card-head"><h2 id="quality">Quality</h2><p class="hint">${formatReplicates(result)}</p></div>
${renderAssessment(result.assessment)}
${isClean ? markup`<p class="muted">No flags were raised.</p>` : markup`<ul class="flag-list">${items}</ul>`}</section>`;
}

/** Renders what the lab left out, with the reasons; nothing without any. */
export function renderExclusions({ excluded_replicates: excluded }: ResultInfo): Markup | null {
  if (excluded.length === 0) return null;
  const items = excluded.map(({ replicate, plate, well, concentration_m: dose, reason }) => {
    const place = [plate, well].filter((part) => part !== null).join(' ');
    const curve = typeof dose === 'number' ? ` at ${formatConcentration(dose)}` : '';
    return markup`<li><strong>Replicate ${replicate}${curve}</strong> <span class="muted">${place}</span> <span><bdi>${reason}</bdi></span></li>`;
  });
  return markup`<section class="card" aria-labelledby="left-out"><h2 id="left-out">Left out by the lab</h2><ul class="flag-list">${items}</ul></section>`;
}

interface ShownFlag {
  readonly code: string;
  readonly message: string;
  readonly severity: keyof typeof SEVERITIES;
}

function parseFlag(detail: unknown): ShownFlag | undefined {
  if (typeof detail !== 'object' || detail === null) return undefined;
  const fields = new Map<string, unknown>(Object.entries(detail));
  const [code, message, severity] = ['code', 'message', 'severity'].map((name) => fields.get(name));
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  return { code, message, severity: severity === 'error' || severity === 'warning' ? severity : 'info' };
}

const QUANTITY_WORDS: Readonly<Record<string, Markup>> = {
  kd: markup`K<sub>D</sub>`,
  kd_estimate: markup`K<sub>D</sub>, estimated`,
  kd_steady_state: markup`K<sub>D</sub> of the plateaus`,
  kon: markup`k<sub>on</sub>`,
  koff: markup`k<sub>off</sub>`,
  rmax: markup`R<sub>max</sub>`,
  tm: markup`T<sub>m</sub>`,
  tm_2: markup`T<sub>m</sub> of the second transition`,
  tm_3: markup`T<sub>m</sub> of the third transition`,
  tonset: markup`T<sub>onset</sub>`,
  tagg: markup`T<sub>agg</sub>`,
  delta_tm_vs_control: markup`ΔT<sub>m</sub> against the control`,
  dh: markup`ΔH`,
  yield_ng_per_ul: markup`Yield`,
  yield_ug: markup`Yield of one reaction`,
  molar_um: markup`Concentration`,
  normalized_to_control: markup`Relative intensity`,
  log2_fold: markup`log₂ fold`,
};

/** What the assay measures first, then what follows from it. */
function sortMainFirst({ experiment_type: type, quantities }: ResultInfo): [string, Quantity][] {
  const main = findShownAssay(type)?.mainQuantities ?? [];
  const rank = (name: string) => (main.includes(name) ? main.indexOf(name) : main.length);
  return Object.entries(quantities).toSorted(([a], [b]) => rank(a) - rank(b));
}

export function renderQuantityTable(result: ResultInfo): Markup | null {
  const entries = sortMainFirst(result);
  if (entries.length === 0) return null;
  const rows = entries.map(([name, quantity]) => {
    const shown = toQuantityReading(quantity);
    return markup`<tr><th scope="row">${QUANTITY_WORDS[name] ?? toSentenceCase(name)}</th><td class="nowrap">${shown?.value ?? '–'}</td><td class="nowrap">${shown?.interval ?? '–'}</td><td class="number">${quantity.n}</td><td class="mono nowrap">${formatFullValue(quantity)}</td></tr>`;
  });
  return markup`<section class="card flush" aria-labelledby="quantities"><div class="card-head"><h2 id="quantities">Quantities</h2></div><div class="scroll" role="region" aria-label="Table of quantities" tabindex="0"><table>
<thead><tr><th scope="col">Quantity</th><th scope="col">Value</th><th scope="col">95 % interval</th><th scope="col" class="number">n</th><th scope="col">Full value</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

function formatFullValue(quantity: Quantity): string {
  return quantity.value === null
    ? '–'
    : writeMinusSigns(`${quantity.value.toPrecision(6)} ${formatUnit(quantity.unit)}`);
}

function renderFactsCard(result: ResultInfo): Markup {
  return markup`<section class="card" aria-labelledby="facts"><h2 id="facts">Record</h2><dl class="facts">
<div><dt>Place</dt><dd>${result.place ?? '–'}</dd></div>
<div><dt>Version</dt><dd>${result.version}, ${result.status}</dd></div>
<div><dt>Instrument</dt><dd>${result.instrument ?? '–'}${result.method && markup` <span class="muted">ordered: ${result.method.toUpperCase()}</span>`}</dd></div>
${result.target_id && markup`<div><dt>Target</dt><dd><a href="/targets/${result.target_id}"><bdi>${result.target_name ?? result.target_id}</bdi></a></dd></div>`}
<div><dt>Released</dt><dd>${renderTime(result.updated_at)}</dd></div></dl></section>`;
}

/** The API's own figure, served for the session; only this browser may cache it. */
export async function sendResultPlot({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const plot = await api.reply(getResultPlot, { params: { result_id: getPathParameter(request, 'id') } });
  return reply.headers({ ...plot.headers, ...PICTURE_HEADERS }).send(toText(plot.body));
}

/** Pictures of a whole experiment. */
export const PLOT_VIEWS = ['ranking', 'plates', 'rates', 'melts'] as const;

export async function sendExperimentPlot({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { experiment_id: getPathParameter(request, 'id') };
  const viewName = queryParameter(request, 'view');
  const view = PLOT_VIEWS.find((known) => known === viewName) ?? 'ranking';
  const plot = await api.reply(getExperimentPlot, { params, query: { view } });
  return reply.headers({ ...plot.headers, ...PICTURE_HEADERS }).send(toText(plot.body));
}

/** The points for the reader of the page. */
export async function sendResultCurves({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const curves = await api.reply(getResultCurves, { params: { result_id: getPathParameter(request, 'id') } });
  return reply
    .headers({ 'content-type': JSON_TEXT, 'cache-control': PICTURE_HEADERS['cache-control'] })
    .send(toText(curves.body));
}

export async function sendResultCurvesCsv({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const id = getPathParameter(request, 'id');
  const csv = await api.reply(getResultCurves, {
    params: { result_id: id },
    headers: { accept: 'text/csv' },
  });
  return sendAttachment(reply.headers(csv.headers), {
    fileName: `curves-${id}.csv`,
    contentType: CSV_TEXT,
    content: toText(csv.body),
  });
}

export async function sendResultJson({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const id = getPathParameter(request, 'id');
  const record = await api.reply(getResultInfo, { params: { result_id: id } });
  return sendAttachment(reply, {
    fileName: `result-${id}.json`,
    contentType: JSON_TEXT,
    content: writeBody(record.body),
  });
}

export function toText(body: unknown): string {
  return typeof body === 'string' ? body : writeBody(body);
}
