/**
 * Operations of the lab's own staff.
 * This folder: runs and raw files, as the lab's staff see them. Not here: analysis, results.
 */
import { ExperimentCode, ExperimentId, HostedInvoiceUrl } from '#core/fields.ts';
import { defineOperation } from '#core/operation.ts';
import { describe, OneOf, strict, Type, Uuid } from '#core/schema.ts';
import { InvoiceStatus } from '#domain/pricing/contract.ts';

const InvoiceParams = Type.Object({
  invoice_id: Type.String({ description: 'invoice id or external id (in_…)' }),
});
const example = {
  id: '01980000-0000-7000-8000-0000000000c1',
  status: 'open' as const,
  hosted_invoice_url: 'http://127.0.0.1:8080/pay/aBcD',
};
const InvoiceState = Type.Object({
  id: Type.String({ description: 'UUID of the invoice' }),
  status: describe(InvoiceStatus, 'status of the invoice after this request'),
  hosted_invoice_url: HostedInvoiceUrl,
});

export const sendInvoice = defineOperation({
  id: 'send_invoice',
  method: 'POST',
  path: '/lab/invoices/{invoice_id}/send',
  tag: 'lab',
  summary: 'Finalize a draft invoice, so that it can be paid',
  effect: 'irrevocable',
  permission: 'admin:update',
  params: InvoiceParams,
  bodyMode: 'optional',
  body: Type.Object({}, strict),
  output: InvoiceState,
  failures: ['invoice_not_found', 'invoice_not_payable'],
  example: { params: { invoice_id: example.id }, body: {}, output: example },
});

export const reanalyzeExperiment = defineOperation({
  id: 'reanalyze_experiment',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/reanalyze',
  tag: 'lab',
  summary: 'Analyze the raw files of an experiment again, with other settings',
  description:
    'The settings are those that results show under `analysis.settings`; omitted ones have their usual values. Each result gets a new version, and the old one stays. For a released experiment the new version is released as `amended`.',
  effect: 'irrevocable',
  permission: 'admin:update',
  params: Type.Object({ experiment_id: Type.String({ description: 'experiment id or code' }) }),
  bodyMode: 'required',
  body: Type.Object(
    {
      settings: Type.Optional(
        Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          description:
            'settings of the analysis, as results show them under `analysis.settings`; omitted ones have their usual values',
        }),
      ),
      reason: Type.String({ minLength: 1, maxLength: 500, description: 'clients read it with the versions' }),
    },
    strict,
  ),
  success: 201,
  output: Type.Object({
    experiment_id: ExperimentId,
    experiment_code: ExperimentCode,
    analysis_id: describe(Uuid, 'id of the new analysis, whose results become the next versions'),
  }),
  failures: ['experiment_not_found', 'move_not_allowed'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    body: { settings: { drift: false }, reason: 'The drift was within the noise.' },
    output: {
      experiment_id: '01980000-0000-7000-8000-0000000000e1',
      experiment_code: 'DEMO-001-001',
      analysis_id: '01980000-0000-7000-8000-0000000000f1',
    },
  },
});

export const recordBankTransfer = defineOperation({
  id: 'record_bank_transfer',
  method: 'POST',
  path: '/lab/invoices/{invoice_id}/bank-transfer',
  tag: 'lab',
  summary: 'Record a bank transfer that arrived for an invoice, even a late or second one',
  description:
    'With the `reference` of the bank statement the transfer is booked at once, each reference once: it pays an open or uncollectible invoice (`taken_as` payment), and is owed back when the invoice is void or paid already (`returned`, with a refund for staff to send). Recorded again it changes nothing (`known`). Without a reference an open invoice is paid through the built-in processor as soon as its notification has been taken in (`collected`). The amount is the total of the invoice.',
  effect: 'irrevocable',
  permission: 'admin:update',
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
    'invalid_request',
  ],
  example: {
    params: { invoice_id: example.id },
    body: { reference: 'SEPA 2026-02-03 0017', received_on: '2026-02-03' },
    output: { ...example, status: 'paid', taken_as: 'payment' },
  },
});
