/**
 * The routes of the portal. Pages read, and forms act, through operations.
 * This folder: experiments, quotes, invoices, targets and results for clients. Not here: the rules of them.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { fail, Failure } from '#core/failures.ts';
import { getDataPackage } from '#domain/data-package/contract.ts';
import { cancelExperiment, getExperiment, submitExperiment } from '#domain/experiments/contract.ts';
import { getInvoiceMetadata, getInvoicePdf } from '#domain/invoices/contract.ts';
import { confirmQuote, getQuoteInfo, getQuotePdf, rejectQuote } from '#domain/quotes/contract.ts';
import { portalForm, portalPage, type FormContext, type PortalContext } from '../context.ts';
import { field, pathParameter, seeOther } from '../http.ts';
import type { PagesParts } from '../parts.ts';
import { IDEMPOTENCY_FIELD } from './actions.ts';
import { experimentListPage } from './experiment-list.ts';
import { experimentPage } from './experiment.ts';
import { addNewExperiment } from './new-experiment.ts';
import { invoiceListPage } from './invoices.ts';
import { quotePage } from './quote.ts';
import { experimentPlot, fileName, resultCurvesCsv, resultJson, resultPage, resultPlot } from './result.ts';
import { resultThumbnail } from './thumbnail.ts';
import { targetListPage, targetPage } from './targets.ts';

export function addPortal(app: FastifyInstance, parts: PagesParts): void {
  portalPage(app, parts, '/', experimentListPage);
  addNewExperiment(app, parts);
  portalPage(app, parts, '/experiments', experimentListPage);
  portalPage(app, parts, '/experiments/:id', experimentPage);
  portalPage(app, parts, '/experiments/:id/sequences.fasta', sequencesFasta);
  portalPage(app, parts, '/experiments/:id/plot.svg', experimentPlot);
  portalPage(app, parts, '/experiments/:id/data-package', toDataPackage);
  portalPage(app, parts, '/experiments/:id/quote.pdf', toQuotePdf);
  portalPage(app, parts, '/experiments/:id/invoice.pdf', toInvoicePdf);
  portalForm(app, parts, '/experiments/:id/submit', submit);
  portalForm(app, parts, '/experiments/:id/cancel', cancel);
  portalPage(app, parts, '/quotes/:id', quotePage);
  portalForm(app, parts, '/quotes/:id/accept', accept);
  portalForm(app, parts, '/quotes/:id/reject', reject);
  portalPage(app, parts, '/invoices', invoiceListPage);
  portalPage(app, parts, '/invoices/:id/invoice.pdf', toOwnInvoicePdf);
  portalPage(app, parts, '/results/:id', resultPage);
  portalPage(app, parts, '/results/:id/plot.svg', resultPlot);
  portalPage(app, parts, '/results/:id/thumbnail.svg', resultThumbnail);
  portalPage(app, parts, '/results/:id/curves.csv', resultCurvesCsv);
  portalPage(app, parts, '/results/:id/record.json', resultJson);
  portalPage(app, parts, '/targets', targetListPage);
  portalPage(app, parts, '/targets/:id', targetPage);
}

async function sequencesFasta({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { experiment_id: pathParameter(request, 'id') };
  const { code, sequences } = await api.call(getExperiment, { params });
  return reply
    .headers({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': `attachment; filename="${fileName(code)}.fasta"`,
    })
    .send(`${sequences.map(({ fasta }) => fasta).join('\n')}\n`);
}

/** Redirects to the signed link, which the browser follows by itself. */
async function toDataPackage({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { experiment_id: pathParameter(request, 'id') };
  const { headers } = await api.reply(getDataPackage, { params });
  return seeOther(reply, headers.location ?? '/');
}

async function toQuotePdf({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { experiment_id: pathParameter(request, 'id') };
  const { headers } = await api.reply(getQuotePdf, { params });
  return seeOther(reply, headers.location ?? '/');
}

async function toInvoicePdf({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { experiment_id: pathParameter(request, 'id') };
  const { invoice_id: invoiceId } = await api.call(getInvoiceMetadata, { params });
  if (typeof invoiceId !== 'string') throw fail('invoice_not_found');
  return toPdfOf(invoiceId, api, reply);
}

function toOwnInvoicePdf({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  return toPdfOf(pathParameter(request, 'id'), api, reply);
}

async function toPdfOf(
  invoiceId: string,
  api: PortalContext['api'],
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { headers } = await api.reply(getInvoicePdf, { params: { invoice_id: invoiceId } });
  return seeOther(reply, headers.location ?? '/');
}

function keyOf({ form }: FormContext): string | undefined {
  const key = field(form, IDEMPOTENCY_FIELD);
  return key === '' ? undefined : key;
}

async function submit(context: FormContext): Promise<string> {
  const id = pathParameter(context.request, 'id');
  const input = { params: { experiment_id: id }, body: {}, idempotencyKey: keyOf(context) };
  await context.api.reply(submitExperiment, input);
  return `/experiments/${encodeURIComponent(id)}`;
}

async function cancel(context: FormContext): Promise<string> {
  const id = pathParameter(context.request, 'id');
  const reason = field(context.form, 'reason');
  await context.api.reply(cancelExperiment, {
    params: { experiment_id: id },
    body: reason === '' ? {} : { reason },
    idempotencyKey: keyOf(context),
  });
  return `/experiments/${encodeURIComponent(id)}`;
}

async function accept(context: FormContext): Promise<string> {
  const { api, form, request } = context;
  const params = { quote_id: pathParameter(request, 'id') };
  const quote = await api.call(getQuoteInfo, { params });
  const order = field(form, 'purchase_order_number');
  const body = order === '' ? {} : { purchase_order_number: order };
  try {
    await api.reply(confirmQuote, { params, body, idempotencyKey: keyOf(context) });
  } catch (error) {
    // Somebody accepted first, perhaps in another tab: the wish is fulfilled, and the experiment shows it.
    if (!(error instanceof Failure) || error.code !== 'quote_already_accepted') throw error;
  }
  return `/experiments/${quote.experiment_code}`;
}

async function reject(context: FormContext): Promise<string> {
  const { api, form, request } = context;
  const params = { quote_id: pathParameter(request, 'id') };
  const quote = await api.call(getQuoteInfo, { params });
  const feedback = field(form, 'feedback');
  const body = { reason: field(form, 'reason'), ...(feedback === '' ? {} : { feedback }) };
  await api.reply(rejectQuote, { params, body, idempotencyKey: keyOf(context) });
  return `/experiments/${quote.experiment_code}`;
}
