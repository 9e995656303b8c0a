/** Where the document of an invoice is. */
import type { FastifyReply } from 'fastify';
import { fail } from '#core/failures.ts';
import type { PortalContext } from '#ui/context.ts';
import { getPathParameter, redirectAfterForm } from '#ui/http.ts';
import { getInvoiceMetadata, getInvoicePdf } from '../contract.ts';

export async function redirectToInvoicePdf({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { experiment_id: getPathParameter(request, 'id') };
  const { invoice_id: invoiceId } = await api.call(getInvoiceMetadata, { params });
  if (typeof invoiceId !== 'string') throw fail('invoice_not_found');
  return redirectToPdf(invoiceId, api, reply);
}

export function redirectToOwnInvoicePdf({ api, request, reply }: PortalContext): Promise<FastifyReply> {
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
