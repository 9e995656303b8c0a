/** What the forms of a quote do, and where its document is. */
import type { FastifyReply } from 'fastify';
import { Failure } from '#core/failures.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { findFormKey } from '#ui/form-field.ts';
import { getField, getPathParameter, redirectAfterForm } from '#ui/http.ts';
import { confirmQuote, getQuoteInfo, getQuotePdf, rejectQuote } from '../contract.ts';

export async function redirectToQuotePdf({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { experiment_id: getPathParameter(request, 'id') };
  const { headers } = await api.reply(getQuotePdf, { params });
  return redirectAfterForm(reply, headers.location ?? '/');
}

export async function acceptQuote(context: FormContext): Promise<string> {
  const { api, form, request } = context;
  const params = { quote_id: getPathParameter(request, 'id') };
  const quote = await api.call(getQuoteInfo, { params });
  const order = getField(form, 'purchase_order_number');
  const body = order === '' ? {} : { purchase_order_number: order };
  try {
    await api.reply(confirmQuote, { params, body, idempotencyKey: findFormKey(context) });
  } catch (error) {
    // A member accepted first, perhaps in another tab: the quote is accepted, and the experiment shows it.
    if (!(error instanceof Failure) || error.code !== 'quote_already_accepted') throw error;
  }
  return `/experiments/${quote.experiment_code}`;
}

export async function declineQuote(context: FormContext): Promise<string> {
  const { api, form, request } = context;
  const params = { quote_id: getPathParameter(request, 'id') };
  const quote = await api.call(getQuoteInfo, { params });
  const feedback = getField(form, 'feedback');
  const body = { reason: getField(form, 'reason'), ...(feedback === '' ? {} : { feedback }) };
  await api.reply(rejectQuote, { params, body, idempotencyKey: findFormKey(context) });
  return `/experiments/${quote.experiment_code}`;
}
