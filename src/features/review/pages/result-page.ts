/** `/lab/experiments/{id or code}/results/{id}`: one result of any version, as the client will see it, and its curves to judge. */
import type { FastifyReply } from 'fastify';
import { formatCount } from '#core/words.ts';
import { Failure } from '#core/failures.ts';
import { formatWholePower, writeMinusSigns } from '#core/number-words.ts';
import type { Output } from '#core/operation.ts';
import type { ResultInfo } from '../../results/contract.ts';
import {
  diffLabResults,
  getLabPlot,
  getLabResult,
  getLabResultCurves,
  getLabResultPlot,
  listLabResults,
} from '../../results/lab-contract.ts';
import { decideReplicates, getLabReview } from '../contract.ts';
import { getAssayView } from '#assays/views.ts';
import { renderDone } from '#ui/action.ts';
import type { PortalContext } from '#ui/context.ts';
import { CSV_TEXT, getPathParameter, JSON_TEXT, queryParameter, sendAttachment } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { followAll } from '../../updates/pages/live.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderGradeChip, renderResultChip } from '../../results/pages/chips.ts';
import {
  PLOT_VIEWS,
  renderExclusions,
  renderFailedPlate,
  renderFlagList,
  renderHeadline,
  renderQuantityTable,
  renderResultFigure,
  toText,
} from '../../results/pages/result.ts';
import { PICTURE_HEADERS } from '../../results/pages/thumbnail.ts';
import { canCall } from '#ui/session.ts';
import { createFormsView, type FormsView } from '#ui/form.ts';
import { renderLabHead } from '#ui/lab-pieces.ts';
import type { Remark } from '#ui/screen.ts';
import { renderDecisionForm } from './decision-form.ts';
import { listCurveRows, listReplicateRows, type Curves, type Review } from './decision-rows.ts';
import { renderFollow, reviewDeeds } from './review-page.ts';

/** `resultId` is given where the page stands for a refused form. */
export async function loadLabResultPage(
  context: PortalContext,
  remark?: Remark,
  resultId = getPathParameter(context.request, 'result'),
): Promise<PageContent> {
  const { api, request } = context;
  const params = { experiment_id: getPathParameter(request, 'experiment_id'), result_id: resultId };
  const [result, review, { curves }] = await Promise.all([
    api.call(getLabResult, { params }),
    api.call(getLabReview, { params: { experiment_id: params.experiment_id } }),
    api.call(getLabResultCurves, { params }),
  ]);
  const changes = await findChanges(context, params);
  const isPresent = result.version === review.version;
  const newest = isPresent ? undefined : await findNewest(context, result);
  const view = getAssayView(result.experiment_type);
  const forms = createFormsView(context, remark);
  const lab = `/lab/experiments/${review.experiment_code}`;
  const base = `${lab}/results/${result.id}`;
  const body = markup`${renderLabHead(markup`<bdi>${result.sequence_name}</bdi>`, {
    above: [`${lab}/review`, `Review of ${review.experiment_code}`],
    over: markup`Version ${result.version}, ${result.status}`,
    side: markup`${renderGradeChip(result.assessment)} ${renderResultChip(result)}`,
  })}
${renderDone(context, reviewDeeds)}
${!isPresent && renderNewer(newest, lab)}
${renderFollow(review)}
${renderHeadline(result, view)}
<div class="stack">
${renderFailedPlate(result)}
${renderResultFigure(result, base)}
${renderReader(result, base, curves)}
${isPresent && renderDecisions(forms, { review, result, curves })}
${renderFlagList(result)}
${renderExclusions(result)}
${changes !== null && renderChanges(changes)}
${renderQuantityTable(result)}
${view.renderReplicates(result)}
</div>`;
  const title = `${result.sequence_name}, review of ${review.experiment_code}`;
  return {
    title,
    body,
    scripts: ['review', 'curve-reader'],
    live: followAll(context, { experiments: [review.experiment_id] }),
  };
}

/** Finds the result of the same sequence in the newest version. */
async function findNewest({ api }: PortalContext, result: ResultInfo): Promise<ResultInfo | undefined> {
  const params = { experiment_id: result.experiment_code };
  const query = { filter: `eq(sequence_id,${result.sequence_id})`, limit: 1 };
  return (await api.call(listLabResults, { params, query })).items[0];
}

function renderNewer(newest: ResultInfo | undefined, lab: string): Markup {
  if (newest === undefined) return markup`<p class="note warn">This version was replaced.</p>`;
  return markup`<p class="note warn">This is not the newest version. <a href="${lab}/results/${newest.id}">Open version ${newest.version}</a></p>`;
}

/** The script draws curves whose values are read under the pointer or by the keys; without it the CSV has them. */
function renderReader(result: ResultInfo, base: string, curves: Curves): Markup | null {
  if (!curves.some(({ kind }) => kind === 'sensorgram' || kind === 'melt' || kind === 'capture')) return null;
  return markup`<section class="card curve-reader" data-live-keep aria-labelledby="reader" data-curves="${base}/curves.json" data-name="${result.sequence_name}" hidden><div class="card-head"><h2 id="reader">Read values</h2><p class="hint">Point at a curve, or use the slider</p></div></section>`;
}

interface Judged {
  readonly review: Review;
  readonly result: ResultInfo;
  readonly curves: Curves;
}

function renderDecisions(forms: FormsView, { review, result, curves }: Judged): Markup | null {
  const canDecide = review.status === 'in_review' || review.status === 'done';
  if (!canDecide || !canCall(forms.session, decideReplicates)) return null;
  const replicates = listReplicateRows(result, review.decisions);
  const decisions = review.decisions;
  const doses = listCurveRows(result, curves, { held: decisions, replicates });
  const doseKeys = new Set(doses.map(({ key }) => `${key.replicate} ${key.concentration_m}`));
  const rows = [
    ...replicates.filter(({ key }) => !doseKeys.has(`${key.replicate} ${key.concentration_m}`)),
    ...doses,
  ].toSorted((a, b) => a.key.replicate - b.key.replicate);
  const more = doses.length > 0 ? ', or on single concentrations of it' : '';
  return markup`<section class="card flush" aria-labelledby="decide"><div class="card-head"><h2 id="decide">Decisions</h2><p class="hint keys-hint"><kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>a</kbd> accept, <kbd>x</kbd> exclude, <kbd>r</kbd> repeat</p></div>
<p class="hint flush-hint">On a whole replicate${more}.</p>
${renderDecisionForm(forms, {
  action: `/lab/experiments/${review.experiment_code}/review/decisions`,
  page: result.id,
  id: 'decision',
  label: 'Decisions on replicates and curves',
  rows,
  mayRepeat: review.status === 'in_review',
})}</section>`;
}

type Changes = Output<typeof diffLabResults>;

/** Finds the differences from the version before; null for a first version. */
async function findChanges(
  { api }: PortalContext,
  params: Readonly<Record<string, string>>,
): Promise<Changes | null> {
  try {
    return await api.call(diffLabResults, { params });
  } catch (error) {
    if (error instanceof Failure && error.code === 'result_version_not_found') return null;
    throw error;
  }
}

const CHANGES_SHOWN = 60;
/** Rows and replicates repeat what the members of the result say, so they are folded. */
const DETAIL = /^(summary|details)\./;

/** Differences below the digits that people read are counted, not listed. */
function renderChanges(found: Changes): Markup {
  const { changes, against_version: against } = found;
  const visibleChanges = changes.filter(({ before, after }) => formatValue(before) !== formatValue(after));
  const main = visibleChanges.filter(({ path }) => !DETAIL.test(path)).slice(0, CHANGES_SHOWN);
  const details = visibleChanges.filter(({ path }) => DETAIL.test(path)).slice(0, CHANGES_SHOWN);
  const rest = changes.length - main.length - details.length;
  return markup`<section class="card flush changed" aria-labelledby="changes"><div class="card-head"><h2 id="changes">Beside version ${against}</h2><p class="hint">${formatCount(changes.length, 'difference')}</p></div>
${main.length === 0 ? markup`<p class="muted flush-hint">The values of both versions are the same to four digits.</p>` : renderChangeTable(found, main, 'Differences')}
${details.length > 0 && markup`<details class="flush-hint"><summary>${formatCount(details.length, 'difference')} of rows and replicates</summary>${renderChangeTable(found, details, 'Differences of rows and replicates')}</details>`}
${rest > 0 && markup`<p class="hint flush-hint">${formatCount(rest, 'other difference')}, most of them below four digits; the API lists all.</p>`}</section>`;
}

function renderChangeTable(
  { version, against_version: against }: Changes,
  changes: Changes['changes'],
  label: string,
): Markup {
  const rows = changes.map(
    ({ path, before, after }) =>
      markup`<tr><th scope="row" class="mono">${path}</th><td data-label="Version ${against}"><span>${formatValue(before)}</span></td><td data-label="Version ${version}"><strong>${formatValue(after)}</strong></td></tr>`,
  );
  return markup`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table class="folding"><thead><tr><th scope="col">What</th><th scope="col">Version ${against}</th><th scope="col">Version ${version}</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** Numbers from this size on have no power of ten. */
const PLAIN_MIN = 1e-3;
const PLAIN_MAX = 1e6;
/** A whole member is cut here. */
const TEXT_MAX = 120;

function formatValue(value: unknown): string {
  if (value === undefined) return '–';
  if (typeof value !== 'number') {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '–');
    return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
  }
  const size = Math.abs(value);
  const isPlain = value === 0 || (size >= PLAIN_MIN && size < PLAIN_MAX);
  const rounded = Number(value.toPrecision(4));
  return isPlain ? writeMinusSigns(String(rounded)) : formatWholePower(rounded);
}

function readParams({ request }: PortalContext): Readonly<Record<string, string>> {
  return {
    experiment_id: getPathParameter(request, 'experiment_id'),
    result_id: getPathParameter(request, 'result'),
  };
}

export async function sendLabResultPlot(context: PortalContext): Promise<FastifyReply> {
  const plot = await context.api.reply(getLabResultPlot, { params: readParams(context) });
  return context.reply.headers({ ...plot.headers, ...PICTURE_HEADERS }).send(toText(plot.body));
}

export async function sendLabPlot({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { experiment_id: getPathParameter(request, 'experiment_id') };
  const viewName = queryParameter(request, 'view');
  const view = PLOT_VIEWS.find((known) => known === viewName) ?? 'ranking';
  const plot = await api.reply(getLabPlot, { params, query: { view } });
  return reply.headers({ ...plot.headers, ...PICTURE_HEADERS }).send(toText(plot.body));
}

export async function sendLabCurves(context: PortalContext): Promise<FastifyReply> {
  const params = readParams(context);
  const isCsv = context.request.url.includes('/curves.csv');
  const headers = { accept: isCsv ? 'text/csv' : 'application/json' };
  const reply = await context.api.reply(getLabResultCurves, { params, headers });
  return sendAttachment(context.reply.headers(reply.headers), {
    fileName: `curves-${params['result_id'] ?? ''}.${isCsv ? 'csv' : 'json'}`,
    contentType: isCsv ? CSV_TEXT : JSON_TEXT,
    content: toText(reply.body),
  });
}

export async function sendLabRecord(context: PortalContext): Promise<FastifyReply> {
  const params = readParams(context);
  const record = await context.api.reply(getLabResult, { params });
  return sendAttachment(context.reply, {
    fileName: `result-${params['result_id'] ?? ''}.json`,
    contentType: JSON_TEXT,
    content: toText(record.body),
  });
}
