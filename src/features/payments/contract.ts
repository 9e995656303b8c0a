/**
 * Operations on payments: test tokens with which a sandbox lets programs try machine payments, and transfers that staff
 * record.
 *
 * This folder: attempts to pay, machine rails, and what stands at processors. Not here: invoices, postings.
 */
import { defineOperation } from '#core/operation.ts';
import { Currency, InvoiceParams } from '#core/fields.ts';
import { describe, OneOf, strict, Timestamp, Type } from '#core/schema.ts';
import { InvoiceState, invoiceStateExample } from '../invoices/lab-contract.ts';

const AMOUNT_CENTS_MAX = 99_999_999;
const LIFE_S_MAX = 7 * 86_400;

export const mintPaymentToken = defineOperation({
  id: 'mint_payment_token',
  method: 'POST',
  path: '/sandbox/payment-tokens',
  tag: 'sandbox',
  summary: 'Mint a shared payment token of the sandbox, to try the rail mpp-spt',
  description:
    'The token pays one invoice of at most `max_amount_cents`. In a live environment tokens are minted by the payment processor.',
  effect: 'irrevocable',
  permission: 'invoice:pay',
  bodyMode: 'required',
  body: Type.Object(
    {
      max_amount_cents: Type.Integer({
        minimum: 1,
        maximum: AMOUNT_CENTS_MAX,
        description: 'US cents that it may be charged at most: the `amount_total` of the quote, or more',
      }),
      expires_in_s: Type.Optional(
        Type.Integer({ minimum: 1, maximum: LIFE_S_MAX, default: 3_600, description: 'seconds from now' }),
      ),
      behavior: Type.Optional(
        OneOf(['pays', 'declines'], { default: 'pays', description: 'outcome of charging it' }),
      ),
    },
    strict,
  ),
  success: 201,
  output: Type.Object({
    spt: Type.String({ description: 'the token' }),
    max_amount_cents: Type.Integer({ description: 'US cents that it may be charged at most' }),
    currency: Currency,
    behavior: OneOf(['pays', 'declines'], { description: 'outcome of charging it' }),
    network_id: Type.String({ description: 'seller to which it is granted' }),
    expires_at: describe(Timestamp, 'UTC time after which it is invalid'),
  }),
  failures: ['test_payment_unavailable'],
  example: {
    body: { max_amount_cents: 21200 },
    output: {
      spt: 'spt_test_4eC39HqLyjWDarjtT1zdp7dc000000000001',
      max_amount_cents: 21200,
      currency: 'usd',
      behavior: 'pays',
      network_id: 'profile_test_assayer',
      expires_at: '2026-01-20T10:10:00.000Z',
    },
  },
});

/** Operations of staff on payments. */

export const recordBankTransfer = defineOperation({
  id: 'record_bank_transfer',
  method: 'POST',
  path: '/lab/invoices/{invoice_id}/bank-transfer',
  tag: 'lab',
  summary: 'Record a bank transfer that arrived for an invoice, even a late or second one',
  description:
    'With the `reference` of the bank statement the transfer is booked at once, each reference once: it pays an open or uncollectible invoice (`taken_as` payment), and is owed back when the invoice is void or paid already (`returned`, with a refund for staff to send). Recorded again it changes nothing (`known`). Without a reference an open invoice is paid through the built-in processor as soon as its notification has been taken in (`collected`). The amount is the total of the invoice.',
  effect: 'irrevocable',
  permission: 'lab:bill',
  params: InvoiceParams,
  bodyMode: 'optional',
  body: Type.Object(
    {
      reference: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 140,
          pattern: '^[\\x20-\\x7e]*$',
          description: 'as the bank statement shows it',
        }),
      ),
      received_on: Type.Optional(
        Type.String({ maxLength: 10, description: 'the day of the bank statement, YYYY-MM-DD' }),
      ),
    },
    strict,
  ),
  success: 201,
  output: Type.Object({
    ...InvoiceState.properties,
    taken_as: OneOf(['collected', 'payment', 'returned', 'known'], {
      description: 'collected by the built-in processor (paid soon), paid, owed back, or recorded before',
    }),
  }),
  failures: [
    'invoice_not_found',
    'invoice_not_payable',
    'method_rail_mismatch',
    'collected_by_processor',
    'transfer_needs_reference',
    'transfer_reference_used',
    'payment_being_confirmed',
    'invalid_request',
  ],
  example: {
    params: { invoice_id: invoiceStateExample.id },
    body: { reference: 'SEPA 2026-02-03 0017', received_on: '2026-02-03' },
    output: { ...invoiceStateExample, status: 'paid', taken_as: 'payment' },
  },
});
