/** What the lab's own staff do through the API. */
import { defineOperation } from '#core/operation.ts';
import { Nullable, strict, Type, Uuid } from '#core/schema.ts';
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
  id: Type.String(),
  status: InvoiceStatus,
  hosted_invoice_url: Nullable(Type.String()),
});

export const sendInvoice = defineOperation({
  id: 'send_invoice',
  method: 'POST',
  path: '/lab/invoices/{invoice_id}/send',
  tag: 'lab',
  summary: 'Finalize a draft invoice, so that it can be paid',
  permission: 'admin:update',
  params: InvoiceParams,
  bodyMode: 'optional',
  body: Type.Object({}, strict),
  output: InvoiceState,
  failures: ['invoice_not_found', 'invoice_not_payable'],
  example: { params: { invoice_id: example.id }, body: {}, output: example },
});

export const reanalyseExperiment = defineOperation({
  id: 'reanalyse_experiment',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/reanalyse',
  tag: 'lab',
  summary: 'Analyse the raw files of an experiment again, with other settings',
  description:
    'The settings are those that results show under `analysis.settings`; what is left out has its usual value. A new version of every result is written and the old one stays. For a released experiment the new version is released as `amended`.',
  permission: 'admin:update',
  params: Type.Object({ experiment_id: Type.String({ description: 'experiment id or code' }) }),
  body: Type.Object(
    {
      settings: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
      reason: Type.String({ minLength: 1, maxLength: 500, description: 'clients read it with the versions' }),
    },
    strict,
  ),
  success: 201,
  output: Type.Object({
    experiment_id: Uuid,
    experiment_code: Type.String(),
    analysis_id: Uuid,
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
  summary: 'Record that an open invoice was paid by bank transfer',
  description:
    'The built-in processor records the payment and notifies the service; the invoice is paid when the notification has been taken in.',
  permission: 'admin:update',
  params: InvoiceParams,
  bodyMode: 'optional',
  body: Type.Object({}, strict),
  success: 201,
  output: InvoiceState,
  failures: ['invoice_not_found', 'invoice_not_payable', 'method_rail_mismatch', 'collected_by_processor'],
  example: { params: { invoice_id: example.id }, body: {}, output: example },
});
