/** The addresses of a review, and the forms that act on it. */
import {
  getLabDataPackage,
  getLabPlot,
  getLabResult,
  getLabResultCurves,
  getLabResultPlot,
  listLabResults,
} from '../../results/lab-contract.ts';
import { decideReplicates, getLabReview } from '../contract.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { getField, getPathParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { readKey } from '#ui/form.ts';
import type { LabRoutes, Remark } from '#ui/screen.ts';
import { readDecisions } from './decision-form.ts';
import {
  loadLabResultPage,
  sendLabCurves,
  sendLabPlot,
  sendLabRecord,
  sendLabResultPlot,
} from './result-page.ts';
import { decision, loadReviewPage, reviewActions } from './review-page.ts';
import type { FastifyReply } from 'fastify';
import { labScope } from '#core/scope.ts';
import { loadPackagePage, openPackage, type PackagePage } from '../../results/pages/package-page.ts';

const PATH = '/lab/experiments/:experiment_id';

export function addReview(routes: LabRoutes): void {
  routes.addPage(`${PATH}/review`, (context) => loadReviewPage(context), listLabResults);
  routes.addPage(`${PATH}/plot.svg`, sendLabPlot, getLabPlot);
  routes.addPage(`${PATH}/data-package`, openReviewPackage, getLabDataPackage);
  routes.addPage(`${PATH}/data-package/progress`, loadReviewPackageProgress, getLabDataPackage);
  routes.addPage(`${PATH}/results/:result`, (context) => loadLabResultPage(context), getLabResult);
  routes.addPage(`${PATH}/results/:result/plot.svg`, sendLabResultPlot, getLabResultPlot);
  routes.addPage(`${PATH}/results/:result/curves.json`, sendLabCurves, getLabResultCurves);
  routes.addPage(`${PATH}/results/:result/curves.csv`, sendLabCurves, getLabResultCurves);
  routes.addPage(`${PATH}/results/:result/record.json`, sendLabRecord, getLabResult);
  routes.addForm(decision.path, decideReplicates, decide, loadRefused);
  routes.addActions(reviewActions, loadReviewPage);
}

/** Goes back to the page on which the decisions were made. */
async function decide({ api, form, request }: FormContext): Promise<string> {
  const params = { experiment_id: getPathParameter(request, 'experiment_id') };
  const { decisions: held } = await api.call(getLabReview, { params });
  const body = { decisions: readDecisions(form, held) };
  await api.reply(decideReplicates, { params, body, idempotencyKey: readKey(form) });
  const page = getField(form, 'page');
  const below = page === '' ? 'review' : `results/${encodeURIComponent(page)}`;
  return `/lab/experiments/${encodeURIComponent(params.experiment_id)}/${below}?done=decisions`;
}

function loadRefused(context: PortalContext, remark: Remark): Promise<PageContent> {
  const page = remark.typed['page'] ?? '';
  return page === '' ? loadReviewPage(context, remark) : loadLabResultPage(context, remark, page);
}

/** The operation records that somebody reads the results. */
async function openReviewPackage(context: PortalContext): Promise<FastifyReply> {
  const page = getPage(context);
  const { headers } = await context.api.reply(getLabDataPackage, {
    params: { experiment_id: page.experimentId },
  });
  return openPackage(context, { ...page, link: headers.location ?? '/lab' });
}

/** This page is read again and again and shows no result, so only its link is recorded. */
async function loadReviewPackageProgress(context: PortalContext): Promise<PageContent> {
  return loadPackagePage(context, getPage(context));
}

function getPage({ request }: PortalContext): PackagePage {
  const experimentId = getPathParameter(request, 'experiment_id');
  const base = `/lab/experiments/${encodeURIComponent(experimentId)}`;
  const link = `${base}/data-package`;
  return { scope: labScope, experimentId, link, path: `${link}/progress`, back: `${base}/review` };
}
