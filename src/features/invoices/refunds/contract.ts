/**
 * Operations on credit notes and refunds.
 * This folder: credit notes and money that goes back. Not here: payments that come in.
 */
import { ONE_LINE } from '#core/one-line.ts';
import {
  CreatedAt,
  Currency,
  OrganizationId,
  OrganizationName,
  ReasonForClients,
  InvoiceParams,
} from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type, Uuid } from '#core/schema.ts';
import { refundFields } from '../list-fields.ts';

const RefundStatus = OneOf(['pending', 'refunded', 'action_required'], {
  description:
    'whether the money is on its way, has been sent back, or waits for staff because the rail rejected it',
});
const CreditNoteNumber = Type.String({
  description: 'number on the document, such as CN-2026-00001',
});
const TaxCents = Type.Integer({ description: 'the part of the amount that is tax' });
const RefundedAt = Nullable(Timestamp, {
  description: 'UTC time when the money was sent back; null before that',
});

const SendTo = Nullable(
  Type.Object({
    network: Type.String({ description: 'CAIP-2, such as eip155:8453' }),
    address: Type.String({ description: 'the wallet that paid' }),
    asset: Type.String({ description: 'the contract of the token' }),
    token: Type.String({ description: 'its name' }),
    base_units: Type.String({ description: 'amount to send, in base units of the token' }),
  }),
  { description: 'destination of the refund of a payment by x402-exact; null on other rails' },
);
const isCredit = Type.Boolean({
  description:
    'false for money that was never owed, such as a second payment; it is not part of amount_refunded_cents',
});

const AmountCents = Type.Integer({ description: 'with tax, in hundredths of the currency' });
const Reason = Type.String({ description: 'why, in the words of the lab; printed on the document' });

/** A credit note as the client sees it. */
export const CreditNote = Type.Object({
  refund_id: describe(Uuid, 'id of the refund, for staff'),
  credit_note_number: CreditNoteNumber,
  status: RefundStatus,
  amount_cents: AmountCents,
  tax_cents: TaxCents,
  reason: Reason,
  is_credit: isCredit,
  send_to: SendTo,
  created_at: CreatedAt,
  refunded_at: RefundedAt,
});

export const Refund = Type.Object({
  id: describe(Uuid, 'id for retrying and recording it'),
  organization_id: OrganizationId,
  invoice_id: describe(Uuid, 'the invoice that is refunded'),
  credit_note_number: CreditNoteNumber,
  status: RefundStatus,
  rail: Type.String({ description: 'the rail of the payment and of its refund' }),
  amount_cents: AmountCents,
  tax_cents: TaxCents,
  currency: Currency,
  is_credit: isCredit,
  send_to: SendTo,
  reason: Reason,
  reference: Nullable(Type.String(), {
    description: 'reference of the refund on its rail; null before that',
  }),
  problem: Nullable(Type.String(), {
    description: 'why the rail did not send it, for staff to act on; null without a problem',
  }),
  created_at: CreatedAt,
  refunded_at: RefundedAt,
});

const ListedRefund = Type.Object({ ...Refund.properties, organization_name: OrganizationName });

const RefundParams = Type.Object({
  refund_id: Type.String({ format: 'uuid', description: '`id` of an item of `list_refunds`' }),
});

export const refundExample = {
  id: '01980000-0000-7000-8000-0000000000d1',
  organization_id: '01980000-0000-7000-8000-0000000000b1',
  invoice_id: '01980000-0000-7000-8000-0000000000c1',
  credit_note_number: 'CN-2026-00001',
  status: 'pending' as const,
  rail: 'hosted',
  amount_cents: 21200,
  tax_cents: 0,
  currency: 'usd',
  is_credit: true,
  send_to: null,
  reason: 'The antigen cannot be bought any more.',
  reference: null,
  problem: null,
  created_at: '2026-01-22T10:00:00.000Z',
  refunded_at: null,
};

export const listRefunds = defineOperation({
  id: 'list_refunds',
  method: 'GET',
  path: '/lab/refunds',
  tag: 'lab-billing',
  summary: 'List the refunds of every organization, newest first',
  effect: 'read',
  permission: 'lab:read',
  list: refundFields,
  query: ListQuery({}),
  output: PageOf(ListedRefund),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(status,action_required)' },
    output: { items: [{ ...refundExample, organization_name: 'Demo' }], count: 1, offset: 0, total: 1 },
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
