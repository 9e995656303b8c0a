/**
 * Operations on credit notes and refunds.
 * This folder: credit notes and money that goes back. Not here: payments that come in.
 */
import { ONE_LINE } from '#core/one-line.ts';
import { ReasonForClients, InvoiceParams } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, strict, Type, Uuid } from '#core/schema.ts';
import { refundsList } from '../lists.ts';

const { organization_name: _name, ...refund } = refundsList.item.properties;
export const Refund = Type.Object(refund);
const { organization_name: _client, ...sample } = refundsList.sample;
export const refundExample = sample;

/** A credit note as the client sees it. */
export const CreditNote = Type.Object({
  refund_id: describe(Uuid, 'id of the refund, for staff'),
  credit_note_number: refund.credit_note_number,
  status: refund.status,
  amount_cents: refund.amount_cents,
  tax_cents: refund.tax_cents,
  reason: refund.reason,
  is_credit: refund.is_credit,
  send_to: refund.send_to,
  created_at: refund.created_at,
  refunded_at: refund.refunded_at,
});

const RefundParams = Type.Object({
  refund_id: Type.String({ format: 'uuid', description: '`id` of an item of `list_refunds`' }),
});

export const listRefunds = defineOperation({
  id: 'list_refunds',
  method: 'GET',
  path: '/lab/refunds',
  tag: 'lab-billing',
  summary: 'List the refunds of every organization, newest first',
  effect: 'read',
  permission: 'lab:read',
  list: refundsList.fields,
  query: ListQuery({}),
  output: PageOf(refundsList.item),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(status,action_required)' },
    output: { items: [refundsList.sample], count: 1, offset: 0, total: 1 },
  },
});

export const refundInvoice = defineOperation({
  id: 'refund_invoice',
  method: 'POST',
  path: '/lab/invoices/{invoice_id}/refunds',
  tag: 'lab-billing',
  summary: 'Credit a paid invoice in full or in part; the money is refunded over the rail of the payment',
  effect: 'spends',
  permission: 'lab:bill',
  params: InvoiceParams,
  bodyMode: 'required',
  body: Type.Object(
    {
      amount_cents: Type.Optional(
        Type.Integer({ minimum: 1, description: 'amount with tax; absent: everything that is left' }),
      ),
      reason: ReasonForClients,
    },
    strict,
  ),
  success: 201,
  output: Refund,
  failures: ['invoice_not_found', 'invoice_not_refundable', 'refund_exceeds_payment'],
  example: {
    params: { invoice_id: refundExample.invoice_id },
    body: { reason: refundExample.reason },
    output: refundExample,
  },
});

export const retryRefund = defineOperation({
  id: 'retry_refund',
  method: 'POST',
  path: '/lab/refunds/{refund_id}/retry',
  tag: 'lab-billing',
  summary: 'Try a refused refund again over its rail',
  effect: 'spends',
  permission: 'lab:bill',
  params: RefundParams,
  bodyMode: 'optional',
  body: Type.Object({}, strict),
  output: Refund,
  failures: ['refund_not_found', 'refund_not_waiting'],
  example: { params: { refund_id: refundExample.id }, body: {}, output: refundExample },
});

export const recordRefund = defineOperation({
  id: 'record_refund',
  method: 'POST',
  path: '/lab/refunds/{refund_id}/record',
  tag: 'lab-billing',
  summary: 'Record that the money of a refused refund was sent back by hand',
  description:
    'What was paid by x402-exact is returned by a transfer on the chain: the reference is the hash of its transaction, and the chain must show the amount on its way to the payer.',
  effect: 'irrevocable',
  permission: 'lab:bill',
  params: RefundParams,
  bodyMode: 'required',
  body: Type.Object(
    {
      reference: Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: ONE_LINE,
        description: 'reference of the transfer, as the bank statement or the chain shows it',
      }),
    },
    strict,
  ),
  output: Refund,
  failures: [
    'refund_not_found',
    'refund_not_waiting',
    'refund_reference_used',
    'refund_not_confirmed',
    'invalid_request',
  ],
  example: {
    params: { refund_id: refundExample.id },
    body: { reference: 'SEPA 2026-01-23 0017' },
    output: {
      ...refundExample,
      status: 'refunded',
      reference: 'SEPA 2026-01-23 0017',
      refunded_at: '2026-01-23T08:00:00.000Z',
    },
  },
});
