/** The operation that makes a new draft like an experiment. */
import { defineOperation, LARGE_BODY_BYTES } from '#core/operation.ts';
import { strict, Type } from '#core/schema.ts';
import { ExperimentChange } from './change.ts';
import { ExperimentParams } from './contract.ts';
import { created } from './examples.ts';
import { PaymentChoice } from './payment-choice.ts';
import { CreateExpResponse } from './records.ts';

export const cloneExperiment = defineOperation({
  id: 'clone_exp',
  method: 'POST',
  path: '/experiments/{experiment_id}/clone',
  tag: 'new-experiments',
  summary: 'Make a new draft with the specification and sequences of an experiment',
  description:
    'The experiment may have any status and stays as it is. The body changes the copy with the fields of `modify_exp` and names its `payment`; what it omits is copied, except for the webhook. Without a `name` the copy is named after the experiment. A target that is no longer in the catalog is left out, and `warnings` says so.',
  effect: 'reversible',
  permission: 'experiment:create',
  alsoNeeds: 'experiment:read',
  paymentHeaders: ['payment-method'],
  params: ExperimentParams,
  bodyBytesMax: LARGE_BODY_BYTES,
  bulk: ['sequences'],
  bodyMode: 'optional',
  body: Type.Object({ ...ExperimentChange.properties, payment: PaymentChoice }, strict),
  success: 201,
  output: CreateExpResponse,
  failures: [
    'invalid_experiment',
    'unprocessable_experiment',
    'looks_like_dna',
    'experiment_type_not_offered',
    'sandbox_only',
    'too_many_sequences',
    'experiment_not_found',
    'target_not_found',
    'unknown_payment_method',
    'payment_rail_not_served',
  ],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    body: { name: 'EGFR binders, round 2' },
    output: { ...created, experiment_code: 'DEMO-001-002' },
  },
});
