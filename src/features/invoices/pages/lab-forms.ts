/** The forms on the page of an invoice; each calls one operation. */
import { getAnyInvoice, reissueInvoice, sendInvoice, voidInvoice, writeOffInvoice } from '../lab-contract.ts';
import { isPaidByTransfer } from '../rules.ts';
import { recordBankTransfer } from '../../payments/lab-contract.ts';
import { refundInvoice } from '../refunds/contract.ts';
import type { Output } from '#core/operation.ts';
import { formatUsd } from '#core/money.ts';
import { computeLeftToRefund, formatCents, readAmount } from '#ui/amount.ts';
import type { FormContext } from '#ui/context.ts';
import { getField, getPathParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup } from '#ui/markup.ts';
import { isConfirmed, renderConfirmation, type Confirmation } from '#ui/confirm.ts';
import { readFilled, readKey } from '#ui/form.ts';
import { loadInvoicePage } from './lab-invoice.ts';
import type { LabRoutes } from '#ui/screen.ts';

const PATH = '/lab/invoices/:id';

export function addInvoiceForms(routes: LabRoutes): void {
  routes.addForm(`${PATH}/send`, sendInvoice, send, loadInvoicePage);
  routes.addForm(`${PATH}/transfer`, recordBankTransfer, recordTransfer, loadInvoicePage);
  routes.addForm(`${PATH}/refunds`, refundInvoice, refund, loadInvoicePage);
  routes.addForm(`${PATH}/reissue`, reissueInvoice, reissue, loadInvoicePage);
  routes.addForm(`${PATH}/void`, voidInvoice, (context) => close(context, 'void'), loadInvoicePage);
  routes.addForm(
    `${PATH}/uncollectible`,
    writeOffInvoice,
    (context) => close(context, 'uncollectible'),
    loadInvoicePage,
  );
}

function readParameters({ request }: FormContext): { readonly invoice_id: string } {
  return { invoice_id: getPathParameter(request, 'id') };
}

function getNext(id: string, done: string): string {
  return `/lab/invoices/${encodeURIComponent(id)}?done=${done}`;
}

async function send(context: FormContext): Promise<string> {
  const params = readParameters(context);
  await context.api.reply(sendInvoice, { params, body: {}, idempotencyKey: readKey(context.form) });
  return getNext(params.invoice_id, 'send');
}

async function recordTransfer(context: FormContext): Promise<string> {
  const params = readParameters(context);
  const body = readFilled(context.form, ['reference', 'received_on']);
  const idempotencyKey = readKey(context.form);
  const { taken_as: done } = await context.api.call(recordBankTransfer, { params, body, idempotencyKey });
  return getNext(params.invoice_id, done);
}

async function refund(context: FormContext): Promise<string | PageContent> {
  const { api, form } = context;
  const params = readParameters(context);
  const typedCents = readAmount(form, 'amount');
  if (!isConfirmed(form)) {
    const invoice = await api.call(getAnyInvoice, { params });
    const confirmation = describeRefund(invoice, typedCents);
    if (confirmation !== undefined)
      return renderConfirmation(context, { ...confirmation, back: `/lab/invoices/${invoice.id}` });
  }
  const amount = typedCents === undefined ? {} : { amount_cents: typedCents };
  const body = { reason: getField(form, 'reason'), ...amount };
  await api.reply(refundInvoice, { params, body, idempotencyKey: readKey(form) });
  const refunded = await api.call(getAnyInvoice, { params });
  return getNext(params.invoice_id, isPaidByTransfer(refunded) ? 'transfer_refund' : 'refunds');
}

/** Undefined where the operation refuses the refund and says why. */
function describeRefund(
  invoice: Output<typeof getAnyInvoice>,
  typedCents: number | undefined,
): Omit<Confirmation, 'back'> | undefined {
  const leftCents = computeLeftToRefund(invoice);
  const cents = typedCents ?? leftCents;
  if (invoice.status !== 'paid' || cents <= 0 || cents > leftCents) return undefined;
  const amount = formatUsd(cents);
  const rest = cents === leftCents ? 'all that is left' : `of ${formatUsd(leftCents)} that are left`;
  return {
    title: `Refund ${amount}?`,
    sentence: markup`A credit note over <strong class="number">${amount}</strong>, ${rest} of ${invoice.invoice_number ?? 'the invoice'}, is issued. ${isPaidByTransfer(invoice) ? 'No money moves by itself: you send it by bank transfer, and record the transfer.' : 'The service sends the money back the way it came.'}`,
    button: `Refund ${amount}`,
    settled: { amount: formatCents(cents) },
  };
}

/** Shows the new invoice. */
async function reissue(context: FormContext): Promise<string> {
  const order = getField(context.form, 'purchase_order_number');
  const body = {
    reason: getField(context.form, 'reason'),
    purchase_order_number: order === '' ? null : order,
  };
  const input = { params: readParameters(context), body, idempotencyKey: readKey(context.form) };
  const { id } = await context.api.call(reissueInvoice, input);
  return getNext(id, 'reissue');
}

async function close(context: FormContext, how: 'void' | 'uncollectible'): Promise<string> {
  const params = readParameters(context);
  const body = { reason: getField(context.form, 'reason') };
  const operation = how === 'void' ? voidInvoice : writeOffInvoice;
  await context.api.reply(operation, { params, body, idempotencyKey: readKey(context.form) });
  return getNext(params.invoice_id, how);
}
