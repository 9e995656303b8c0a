/** The operation with which staff let an experiment run before it is paid. */
import { ExperimentCode, ExperimentId } from '#core/fields.ts';
import { defineOperation } from '#core/operation.ts';
import { describe, strict, Timestamp, Type } from '#core/schema.ts';

export const allowUnpaidRun = defineOperation({
  id: 'allow_unpaid_run',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/allow-unpaid',
  tag: 'lab-stored-runs',
  summary: 'Allow the run of an experiment before its invoice is paid, with a reason',
  description:
    'The client still owes the invoice and does not see the reason. A second call replaces the reason.',
  effect: 'reversible',
  permission: 'lab:review',
  params: Type.Object({ experiment_id: Type.String({ description: 'experiment id or code' }) }),
  bodyMode: 'required',
  body: Type.Object(
    {
      reason: Type.String({
        minLength: 1,
        maxLength: 500,
        pattern: '\\S',
        description: 'why it may start before the payment; clients never see it',
      }),
    },
    strict,
  ),
  output: Type.Object({
    experiment_id: ExperimentId,
    experiment_code: ExperimentCode,
    reason: Type.String({ description: 'why it may start before the payment' }),
    released_by: Type.String({ description: 'e-mail address of the person who allowed it' }),
    created_at: describe(Timestamp, 'UTC time of the permission'),
  }),
  failures: ['experiment_not_found', 'move_not_allowed'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    body: { reason: 'A purchase order is signed.' },
    output: {
      experiment_id: '01980000-0000-7000-8000-0000000000e1',
      experiment_code: 'DEMO-001-001',
      reason: 'A purchase order is signed.',
      released_by: 'manager@lab.example',
      created_at: '2026-03-02T09:30:00.000Z',
    },
  },
});
