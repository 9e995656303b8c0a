/** The forms on the page of an invoice; each calls one operation. */
import { fail } from '#core/failures.ts';
import { reissueInvoice, sendInvoice, voidInvoice, writeOffInvoice } from '#domain/invoices/lab-contract.ts';
import { recordBankTransfer } from '#domain/payments/lab-contract.ts';
import { refundInvoice } from '#domain/refunds/contract.ts';
import { parseCents } from '../amount.ts';
import type { FormContext } from '../context.ts';
import { getField, getPathParameter, type Form } from '../http.ts';
import { readFilled, readKey } from './form.ts';
import { loadInvoicePage } from './invoice.ts';
import type { LabRoutes } from './screen.ts';

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

async function refund(context: FormContext): Promise<string> {
  const params = readParameters(context);
  const body = { reason: getField(context.form, 'reason'), ...readAmount(context.form) };
  await context.api.reply(refundInvoice, { params, body, idempotencyKey: readKey(context.form) });
  return getNext(params.invoice_id, 'refunds');
}

function readAmount(form: Form): { readonly amount_cents?: number } {
  const text = getField(form, 'amount');
  if (text === '') return {};
  const cents = parseCents(text);
  if (typeof cents === 'number') return { amount_cents: cents };
  const message = 'write an amount such as 12.50';
  throw fail('invalid_request', { reason: `${message}.` }, { problems: [{ path: 'amount', message }] });
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
