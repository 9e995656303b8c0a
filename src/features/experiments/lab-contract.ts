/** Operations of staff on experiments. */
import { ExperimentParams, ExperimentId, ReasonForClients } from '#core/fields.ts';
import { defineOperation } from '#core/operation.ts';
import { describe, Nullable, strict, Timestamp, Type } from '#core/schema.ts';
import { Refund, refundExample } from '../invoices/refunds/contract.ts';

const cancellationFields = {
  experiment_id: ExperimentId,
  previous_status: Type.String({ description: 'status before' }),
  status: Type.String({ description: 'canceled, which is final' }),
  canceled_at: describe(Timestamp, 'UTC time of the cancellation'),
};

export const rejectExperiment = defineOperation({
  id: 'reject_exp',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/reject',
  tag: 'lab-quotes',
  summary: 'Reject an order before its quote is accepted; its quote is canceled',
  description: 'After the acceptance there is an invoice, and `cancel_exp_by_staff` ends the order.',
  effect: 'irrevocable',
  permission: 'lab:price',
  params: ExperimentParams,
  bodyMode: 'required',
  body: Type.Object({ reason: ReasonForClients }, strict),
  output: Type.Object(cancellationFields),
  failures: ['experiment_not_found', 'move_not_allowed'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    body: { reason: 'The antigen cannot be bought any more.' },
    output: {
      experiment_id: '01980000-0000-7000-8000-0000000000e1',
      previous_status: 'waiting_for_confirmation',
      status: 'canceled',
      canceled_at: '2026-01-22T10:00:00.000Z',
    },
  },
});

export const cancelExperimentByStaff = defineOperation({
  id: 'cancel_exp_by_staff',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/cancel',
  tag: 'lab-billing',
  summary: 'Cancel an experiment before its run; an unpaid invoice is voided, a paid one refunded',
  effect: 'spends',
  spendsWhen: 'when its invoice is paid',
  permission: 'lab:bill',
  params: ExperimentParams,
  bodyMode: 'required',
  body: Type.Object(
    {
      reason: ReasonForClients,
      refund_cents: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'for a paid invoice only, with tax; absent: all of it. The rest counts as revenue.',
        }),
      ),
    },
    strict,
  ),
  output: Type.Object({
    ...cancellationFields,
    invoice_status: Nullable(Type.String(), {
      description: 'void, or paid where money is refunded; null without one',
    }),
    refund: Nullable(Refund, { description: 'the refund; null where nothing was paid' }),
  }),
  failures: ['experiment_not_found', 'move_not_allowed', 'refund_exceeds_payment', 'invoice_not_refundable'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    body: { reason: refundExample.reason },
    output: {
      experiment_id: '01980000-0000-7000-8000-0000000000e1',
      previous_status: 'in_queue',
      status: 'canceled',
      canceled_at: refundExample.created_at,
      invoice_status: 'paid',
      refund: refundExample,
    },
  },
});
