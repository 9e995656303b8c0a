/** The addresses of a review, and the forms that act on it. */
import type { Operation } from '#core/operation.ts';
import { reanalyzeExperiment } from '../../runs/raw-files/contract.ts';
import { releaseResults, sendExperimentBack } from '../../runs/raw-files/run-contract.ts';
import {
  getLabDataPackage,
  getLabPlot,
  getLabResult,
  getLabResultCurves,
  getLabResultPlot,
  listLabResults,
} from '../../results/lab-contract.ts';
import { amendResults, decideReplicates, discardAmendment, getLabReview } from '../contract.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { getField, getPathParameter, type Form } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { readFilled, readKey, readSettings } from '#ui/form.ts';
import type { LabRoutes, Remark } from '#ui/screen.ts';
import { readDecisions } from './decision-form.ts';
import {
  loadLabResultPage,
  sendLabCurves,
  sendLabPlot,
  sendLabRecord,
  sendLabResultPlot,
} from './result-page.ts';
import { loadReviewPage } from './review-page.ts';
import type { FastifyReply } from 'fastify';
import { labScope } from '#core/scope.ts';
import { loadPackagePage, openPackage, type PackagePage } from '../../results/pages/package-page.ts';

interface Deed {
  readonly verb: string;
  readonly does: Operation;
  readonly read: (form: Form) => Readonly<Record<string, unknown>>;
}

const readReason = (form: Form): Readonly<Record<string, unknown>> => ({ reason: getField(form, 'reason') });
const readReanalysis = (form: Form): Readonly<Record<string, unknown>> => ({
  ...readReason(form),
  ...readSettings(form),
});

const DEEDS: readonly Deed[] = [
  { verb: 'release', does: releaseResults, read: (form) => readFilled(form, ['reason']) },
  { verb: 'release-part', does: releaseResults, read: readPart },
  { verb: 'reanalyze', does: reanalyzeExperiment, read: readReanalysis },
  { verb: 'send-back', does: sendExperimentBack, read: readReanalysis },
  { verb: 'amend', does: amendResults, read: readReason },
  { verb: 'discard', does: discardAmendment, read: readReason },
];

const PATH = '/lab/experiments/:id';

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
  routes.addForm(`${PATH}/review/decisions`, decideReplicates, decide, loadRefused);
  for (const { verb, does, read } of DEEDS)
    routes.addForm(
      `${PATH}/review/${verb}`,
      does,
      (context) => act(context, { verb, does, read }),
      loadReviewPage,
    );
}

function getReviewPath({ request }: PortalContext): string {
  return `/lab/experiments/${encodeURIComponent(getPathParameter(request, 'id'))}`;
}

async function act(context: FormContext, { verb, does, read }: Deed): Promise<string> {
  const { api, form, request } = context;
  const params = { experiment_id: getPathParameter(request, 'id') };
  await api.reply(does, { params, body: read(form), idempotencyKey: readKey(form) });
  return `${getReviewPath(context)}/review?done=${verb}`;
}

/** Goes back to the page on which the decisions were made. */
async function decide(context: FormContext): Promise<string> {
  const { api, form, request } = context;
  const params = { experiment_id: getPathParameter(request, 'id') };
  const { decisions: held } = await api.call(getLabReview, { params });
  const body = { decisions: readDecisions(form, held) };
  await api.reply(decideReplicates, { params, body, idempotencyKey: readKey(form) });
  const page = getField(form, 'page');
  const below = page === '' ? 'review' : `results/${encodeURIComponent(page)}`;
  return `${getReviewPath(context)}/${below}?done=decisions`;
}

function loadRefused(context: PortalContext, remark: Remark): Promise<PageContent> {
  const page = remark.typed['page'] ?? '';
  return page === '' ? loadReviewPage(context, remark) : loadLabResultPage(context, remark, page);
}

/** One name on each line. */
function readPart(form: Form): Readonly<Record<string, unknown>> {
  const names = getField(form, 'sequences')
    .split(/\r?\n/)
    .map((name) => name.trim());
  return { sequences: names.filter((name) => name !== '') };
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
  const experimentId = getPathParameter(request, 'id');
  const base = `/lab/experiments/${encodeURIComponent(experimentId)}`;
  const link = `${base}/data-package`;
  return { scope: labScope, experimentId, link, path: `${link}/progress`, back: `${base}/review` };
}
