/** Operations of staff on payments. */
import { defineOperation } from '#core/operation.ts';
import { OneOf, strict, Type } from '#core/schema.ts';
import { InvoiceParams, InvoiceState, invoiceStateExample } from '../invoices/lab-contract.ts';

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
