/**
 * The payment page of an invoice. Everybody who has its unguessable address may read and pay it without signing in.
 */
import type { FastifyRequest } from 'fastify';
import { fail } from '#core/failures.ts';
import { labScope } from '#core/scope.ts';
import { findProcessorInvoice } from '../processor-store.ts';
import { BUILTIN } from '../rules.ts';
import { isPaymentCollected } from '../store.ts';
import { requireInvoiceOfPage, payTestInvoice } from '../collect-payment.ts';
import { watchClient } from '#ui/client-signal.ts';
import { sendDocument } from '../../billing/link-document.ts';
import { getPathParameter, refuseForeignForm, redirectAfterForm } from '#ui/http.ts';
import type { PagesParts } from '#ui/parts.ts';
import { renderPayBody } from './pay-view.ts';
import { sendContent } from '#ui/send.ts';
import type { Routes } from '#ui/routes.ts';
import type { Documents, OutsideDocuments } from '#core/context.ts';

declare module '#ui/parts.ts' {
  interface PagesParts {
    readonly documents: Documents;
    readonly outsideDocuments: OutsideDocuments;
  }
}

const CONFIRMATION_REFRESH_SECONDS = 2;
/** Everybody with the address may open the page, so it polls instead of holding a connection open. */
const AWAITED = {
  refreshSeconds: CONFIRMATION_REFRESH_SECONDS,
  live: { everySeconds: CONFIRMATION_REFRESH_SECONDS },
};
const KEY = /^[\w-]{16,64}$/;

export function addPayPages(routes: Routes, parts: PagesParts): void {
  const { work, database } = parts;

  routes.get('/pay/:key', async (request, reply) => {
    const { environment } = work.site;
    const invoice = await requireInvoiceOfPage(database.read, getKey(request));
    const isCollected =
      invoice.status === 'open' && (await isPaymentCollected(labScope, database.read, invoice.id));
    const title = `Invoice ${invoice.invoice_number ?? ''}`;
    const processed = await findProcessorInvoice(labScope, database.read, invoice.id);
    const outsideInvoice = processed?.processor === BUILTIN ? undefined : processed;
    const body = renderPayBody({
      invoice,
      environment,
      seller: work.site.letterhead.seller,
      isCollected,
      outside: outsideInvoice,
      now: work.clock.now(),
    });
    const isAwaited = isCollected || (invoice.status === 'open' && outsideInvoice?.status === 'wanted');
    const frame = { site: work.site, visitor: null, isBare: true };
    return sendContent(reply, frame, { title, body, width: 'narrow', ...(isAwaited ? AWAITED : {}) });
  });

  routes.get('/pay/:key/invoice.pdf', async (request, reply) => {
    const invoice = await requireInvoiceOfPage(database.read, getKey(request));
    if (invoice.finalized_at === null) throw fail('invoice_is_draft');
    const address = await parts.outsideDocuments.getInvoiceAddress(invoice.id);
    if (address !== null) return reply.header('cache-control', 'no-store').redirect(address, 307);
    const document = await parts.documents.find('invoices', invoice.id, watchClient(reply));
    if (document === undefined) throw fail('invoice_is_draft');
    return sendDocument(reply, document);
  });

  routes.post('/pay/:key/test-payment', async (request, reply) => {
    refuseForeignForm(request, work.site.baseUrl);
    const key = getKey(request);
    const origin = { requestId: request.id, address: request.ip };
    await database.runTransaction((tx) => payTestInvoice(work, tx, key, origin));
    return redirectAfterForm(reply, `/pay/${key}`);
  });
}

function getKey(request: FastifyRequest): string {
  const key = getPathParameter(request, 'key');
  if (!KEY.test(key)) throw fail('invoice_not_found');
  return key;
}
