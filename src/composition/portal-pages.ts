/**
 * The routes of the portal. Pages read, and forms act, through operations.
 */
import type { FastifyReply } from 'fastify';
import { createInvalidFieldsFailure, fail, Failure } from '#core/failures.ts';
import { cloneExperiment } from '#features/experiments/clone-contract.ts';
import {
  cancelExperiment,
  getExperiment,
  modifyExperiment,
  submitExperiment,
} from '#features/experiments/contract.ts';
import { getInvoiceMetadata, getInvoicePdf } from '#features/invoices/contract.ts';
import { confirmQuote, getQuoteInfo, getQuotePdf, rejectQuote } from '#features/quotes/contract.ts';
import { addPortalForm, addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { getField, getPathParameter, redirectAfterForm } from '#ui/http.ts';
import type { PagesParts } from '#ui/parts.ts';
import { IDEMPOTENCY_FIELD } from '#ui/form-field.ts';
import { loadExperimentListPage } from '#features/experiments/pages/experiment-list.ts';
import { loadExperimentPage } from '#features/experiments/pages/experiment.ts';
import {
  loadDataPackageProgress,
  openDataPackage,
  PACKAGE_PATH,
} from '#features/results/pages/data-package.ts';
import { addNewExperiment } from '#features/experiments/pages/new-experiment.ts';
import { loadInvoiceListPage } from '#features/invoices/pages/invoices.ts';
import { loadQuotePage } from '#features/quotes/pages/quote.ts';
import {
  sendExperimentPlot,
  formatFileName,
  sendResultCurvesCsv,
  sendResultJson,
  loadResultPage,
  sendResultPlot,
} from '#features/results/pages/result.ts';
import { sendResultThumbnail } from '#features/results/pages/thumbnail.ts';
import { addTargetRequestForm } from '#features/targets/pages/target-request-form.ts';
import { loadTargetRequestListPage, loadTargetRequestPage } from '#features/targets/pages/target-requests.ts';
import { loadTargetListPage, loadTargetPage } from '#features/targets/pages/targets.ts';
import type { Routes } from '#ui/routes.ts';

export function addPortal(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, '/', loadExperimentListPage);
  addNewExperiment(routes, parts);
  addPortalPage(routes, parts, '/experiments', loadExperimentListPage);
  addPortalPage(routes, parts, '/experiments/:id', loadExperimentPage);
  addPortalPage(routes, parts, '/experiments/:id/sequences.fasta', sendSequencesFasta);
  addPortalPage(routes, parts, '/experiments/:id/plot.svg', sendExperimentPlot);
  addPortalPage(routes, parts, PACKAGE_PATH, openDataPackage);
  addPortalPage(routes, parts, `${PACKAGE_PATH}/progress`, loadDataPackageProgress);
  addPortalPage(routes, parts, '/experiments/:id/quote.pdf', redirectToQuotePdf);
  addPortalPage(routes, parts, '/experiments/:id/invoice.pdf', redirectToInvoicePdf);
  addPortalForm(routes, parts, '/experiments/:id/submit', submit);
  addPortalForm(routes, parts, '/experiments/:id/target', chooseTarget);
  addPortalForm(routes, parts, '/experiments/:id/cancel', cancel);
  addPortalForm(routes, parts, '/experiments/:id/clone', clone);
  addPortalPage(routes, parts, '/quotes/:id', loadQuotePage);
  addPortalForm(routes, parts, '/quotes/:id/accept', accept);
  addPortalForm(routes, parts, '/quotes/:id/reject', reject);
  addPortalPage(routes, parts, '/invoices', loadInvoiceListPage);
  addPortalPage(routes, parts, '/invoices/:id/invoice.pdf', redirectToOwnInvoicePdf);
  addPortalPage(routes, parts, '/results/:id', loadResultPage);
  addPortalPage(routes, parts, '/results/:id/plot.svg', sendResultPlot);
  addPortalPage(routes, parts, '/results/:id/thumbnail.svg', sendResultThumbnail);
  addPortalPage(routes, parts, '/results/:id/curves.csv', sendResultCurvesCsv);
  addPortalPage(routes, parts, '/results/:id/record.json', sendResultJson);
  addPortalPage(routes, parts, '/targets', loadTargetListPage);
  addPortalPage(routes, parts, '/targets/:id', loadTargetPage);
  addPortalPage(routes, parts, '/target-requests', loadTargetRequestListPage);
  addTargetRequestForm(routes, parts);
  addPortalPage(routes, parts, '/target-requests/:id', loadTargetRequestPage);
}

async function sendSequencesFasta({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { experiment_id: getPathParameter(request, 'id') };
  const { code, sequences } = await api.call(getExperiment, { params });
  return reply
    .headers({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': `attachment; filename="${formatFileName(code)}.fasta"`,
    })
    .send(`${sequences.map(({ fasta }) => fasta).join('\n')}\n`);
}

async function redirectToQuotePdf({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { experiment_id: getPathParameter(request, 'id') };
  const { headers } = await api.reply(getQuotePdf, { params });
  return redirectAfterForm(reply, headers.location ?? '/');
}

async function redirectToInvoicePdf({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { experiment_id: getPathParameter(request, 'id') };
  const { invoice_id: invoiceId } = await api.call(getInvoiceMetadata, { params });
  if (typeof invoiceId !== 'string') throw fail('invoice_not_found');
  return redirectToPdf(invoiceId, api, reply);
}

function redirectToOwnInvoicePdf({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  return redirectToPdf(getPathParameter(request, 'id'), api, reply);
}

async function redirectToPdf(
  invoiceId: string,
  api: PortalContext['api'],
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { headers } = await api.reply(getInvoicePdf, { params: { invoice_id: invoiceId } });
  return redirectAfterForm(reply, headers.location ?? '/');
}

function findKey({ form }: FormContext): string | undefined {
  const key = getField(form, IDEMPOTENCY_FIELD);
  return key === '' ? undefined : key;
}

async function submit(context: FormContext): Promise<string> {
  const id = getPathParameter(context.request, 'id');
  const input = { params: { experiment_id: id }, body: {}, idempotencyKey: findKey(context) };
  await context.api.reply(submitExperiment, input);
  return `/experiments/${encodeURIComponent(id)}`;
}

async function chooseTarget(context: FormContext): Promise<string> {
  const id = getPathParameter(context.request, 'id');
  const targetId = getField(context.form, 'target_id');
  if (targetId === '') throw createInvalidFieldsFailure([{ path: 'target_id', message: 'is required' }]);
  await context.api.reply(modifyExperiment, {
    params: { experiment_id: id },
    body: { target_id: targetId },
    idempotencyKey: findKey(context),
  });
  return `/experiments/${encodeURIComponent(id)}`;
}

/** Shows the new draft. */
async function clone(context: FormContext): Promise<string> {
  const params = { experiment_id: getPathParameter(context.request, 'id') };
  const input = { params, body: {}, idempotencyKey: findKey(context) };
  const { experiment_code: code } = await context.api.call(cloneExperiment, input);
  return `/experiments/${code}`;
}

async function cancel(context: FormContext): Promise<string> {
  const id = getPathParameter(context.request, 'id');
  const reason = getField(context.form, 'reason');
  await context.api.reply(cancelExperiment, {
    params: { experiment_id: id },
    body: reason === '' ? {} : { reason },
    idempotencyKey: findKey(context),
  });
  return `/experiments/${encodeURIComponent(id)}`;
}

async function accept(context: FormContext): Promise<string> {
  const { api, form, request } = context;
  const params = { quote_id: getPathParameter(request, 'id') };
  const quote = await api.call(getQuoteInfo, { params });
  const order = getField(form, 'purchase_order_number');
  const body = order === '' ? {} : { purchase_order_number: order };
  try {
    await api.reply(confirmQuote, { params, body, idempotencyKey: findKey(context) });
  } catch (error) {
    // A member accepted first, perhaps in another tab: the quote is accepted, and the experiment shows it.
    if (!(error instanceof Failure) || error.code !== 'quote_already_accepted') throw error;
  }
  return `/experiments/${quote.experiment_code}`;
}

async function reject(context: FormContext): Promise<string> {
  const { api, form, request } = context;
  const params = { quote_id: getPathParameter(request, 'id') };
  const quote = await api.call(getQuoteInfo, { params });
  const feedback = getField(form, 'feedback');
  const body = { reason: getField(form, 'reason'), ...(feedback === '' ? {} : { feedback }) };
  await api.reply(rejectQuote, { params, body, idempotencyKey: findKey(context) });
  return `/experiments/${quote.experiment_code}`;
}
