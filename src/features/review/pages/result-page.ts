/** `/lab/experiments/{id or code}/results/{id}`: one result of any version, as the client will see it, and its curves to judge. */
import type { FastifyReply } from 'fastify';
import { Failure } from '#core/failures.ts';
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
  renderReader,
  renderResultFigure,
  toText,
} from '../../results/pages/result.ts';
import { renderChanges, type Changes } from '../../results/pages/versions.ts';
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
${curves.some(({ kind }) => READ_KINDS.has(kind)) && renderReader(result, base)}
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

const READ_KINDS: ReadonlySet<string> = new Set(['sensorgram', 'melt', 'capture', 'plate']);

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
