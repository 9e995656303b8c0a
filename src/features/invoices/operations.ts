/** The operations of invoices, each with what carries it out. */
import { bindLabList, bindList, bindRead, bindWrite, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import * as refundsContract from './refunds/contract.ts';
import * as labContract from './lab-contract.ts';
import type { ReadContext, WriteContext } from '#core/context.ts';
import type { Input, Answer } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { listInvoicePage, findInvoice, findInvoiceOfExperiment } from './store.ts';
import { fail } from '#core/failures.ts';
import { buildInvoiceInfo, findHostedUrl, buildRefundInfo } from './wire.ts';
import {
  selectRefundsOfInvoice,
  findCreditNote,
  selectCreditedCents,
  listRefundPage,
} from './refunds/store.ts';
import { requireExperiment } from '../experiments/require-experiment.ts';
import { linkDocument, redirectToDocument } from '../billing/link-document.ts';
import { labScope } from '#core/scope.ts';
import { holdForStaff } from './hold-invoice.ts';
import { creditInvoice } from './refunds/issue-credit.ts';
import type { retryRefund as operation } from './refunds/contract.ts';
import * as sending from './refunds/send-refund.ts';

export const invoicesOperations: readonly Binding[] = [
  bindList(contract.listInvoices, ({ scope, sql, site }, query) =>
    listInvoicePage(scope, sql, query, site.baseUrl),
  ),
  bindRead(contract.getInvoice, getInvoice),
  bindRead(contract.getInvoiceMetadata, getInvoiceMetadata),
  bindRead(contract.getInvoicePdf, getInvoicePdf),
  bindRead(contract.getCreditNotePdf, getCreditNotePdf),
  bindLabList(refundsContract.listRefunds, ({ scope, sql }, query) => listRefundPage(scope, sql, query)),
  bindWrite(refundsContract.refundInvoice, refundInvoice),
  bindWrite(refundsContract.retryRefund, retryRefund),
  bindLabList(labContract.listAllInvoices, ({ scope, sql, site }, query) =>
    listInvoicePage(scope, sql, query, site.baseUrl),
  ),
  bindRead(labContract.getAnyInvoice, getAnyInvoice),
];

/** `GET /invoices/{invoice_id}`: one invoice with its credit notes, by id or external id. */
async function getInvoice(input: Input<typeof contract.getInvoice>, context: ReadContext) {
  const scope = getScope(context.principal);
  const invoice = await findInvoice(scope, context.sql, input.params.invoice_id);
  if (invoice === undefined) throw fail('invoice_not_found');
  return buildInvoiceInfo(
    context.site,
    invoice,
    await selectRefundsOfInvoice(scope, context.sql, invoice.id),
  );
}

/**
 * `GET /experiments/{experiment_id}/invoice`: the invoice of an experiment; its fields are null while there is none.
 */
async function getInvoiceMetadata(input: Input<typeof contract.getInvoiceMetadata>, context: ReadContext) {
  const experiment = await requireExperiment(context, input.params.experiment_id);
  const invoice = await findInvoiceOfExperiment(getScope(context.principal), context.sql, experiment.id);
  return {
    experiment_id: experiment.id,
    invoice_id: invoice?.id ?? null,
    status: invoice?.status ?? null,
    provider_invoice_url: invoice === undefined ? null : findHostedUrl(context.site, invoice),
  };
}

/** `GET /invoices/{invoice_id}/pdf`: redirects to our document or the processor's; 404 while it is a draft. */
async function getInvoicePdf(
  input: Input<typeof contract.getInvoicePdf>,
  context: ReadContext,
): Promise<Answer> {
  const invoice = await findInvoice(getScope(context.principal), context.sql, input.params.invoice_id);
  if (invoice === undefined) throw fail('invoice_not_found');
  if (invoice.status === 'draft' || invoice.invoice_number === null) throw fail('invoice_is_draft');
  const outsideDocument = await context.outsideDocuments.fetchInvoice(invoice.id);
  return outsideDocument === null
    ? linkDocument(context, 'invoices', invoice.id)
    : redirectToDocument(outsideDocument.address, {
        fileName: `${invoice.invoice_number}.pdf`,
        bytes: outsideDocument.bytes,
      });
}

/** `GET /invoices/{invoice_id}/credit-notes/{credit_note_number}/pdf`. */
async function getCreditNotePdf(
  input: Input<typeof contract.getCreditNotePdf>,
  context: ReadContext,
): Promise<Answer> {
  const scope = getScope(context.principal);
  const invoice = await findInvoice(scope, context.sql, input.params.invoice_id);
  if (invoice === undefined) throw fail('invoice_not_found');
  const note = await findCreditNote(scope, context.sql, input.params.credit_note_number);
  if (note?.invoice_id !== invoice.id) throw fail('credit_note_not_found');
  return linkDocument(context, 'credit-notes', note.credit_note_number);
}

/** `POST /lab/invoices/{invoice_id}/refunds`: credits a paid invoice and starts the refund. */
async function refundInvoice(input: Input<typeof refundsContract.refundInvoice>, context: WriteContext) {
  const { experiment, invoice } = await holdForStaff(context, input.params.invoice_id);
  if (invoice.status !== 'paid') throw fail('invoice_not_refundable', { status: invoice.status });
  const { amount_cents: requestedCents, reason } = input.body;
  const creditedCents = await selectCreditedCents(labScope, context.tx, invoice.id);
  return creditInvoice(
    context,
    { experiment, invoice },
    { requestedCents, reason, creditedCents, requestedBy: context.principal.userEmail },
  );
}

/** `GET /lab/invoices/{invoice_id}`. */
async function getAnyInvoice(input: Input<typeof labContract.getAnyInvoice>, context: ReadContext) {
  const invoice = await findInvoice(labScope, context.sql, input.params.invoice_id);
  if (invoice === undefined) throw fail('invoice_not_found');
  return buildInvoiceInfo(
    context.site,
    invoice,
    await selectRefundsOfInvoice(labScope, context.sql, invoice.id),
  );
}

/** `POST /lab/refunds/{refund_id}/retry`. */
async function retryRefund(input: Input<typeof operation>, context: WriteContext) {
  const refund = await sending.retryRefund(context, context.tx, input.params.refund_id);
  context.setAuditOrganization(refund.organization_id);
  return buildRefundInfo(refund);
}
