/**
 * This folder: what a client orders: the specification, its rules, its rows. Not here: states and moves
 * (`core/lifecycle.ts`), prices, results.
 */
import {
  ExperimentParams,
  ExperimentId,
  WarningGroupList,
  Warnings,
  Eta,
  SequenceCount,
  defineText,
} from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation, LARGE_BODY_BYTES } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, strict, Timestamp, Type } from '#core/schema.ts';
import { ConfirmQuoteResponse } from '../quotes/contract.ts';
import {
  CostBreakdown,
  EstimatedTotals,
  ExperimentCosts,
  IncompleteCostEstimate,
} from '../pricing/contract.ts';
import {
  CreateExpRequest,
  CreateExpResponse,
  ExperimentListItem,
  ExperimentSpec,
  ExperimentStatus,
  ExpInfo,
} from './records.ts';
import { ExperimentChange } from './change.ts';
import * as examples from './examples.ts';
import { experimentFields } from './list-fields.ts';
import { PaymentChoice } from './payment-choice.ts';
import { inspectEstimate, inspectNewExperiment } from './rules.ts';

export * from './records.ts';

/** Of a specification that is checked and priced. */
const SPEC_FAILURES = [
  'invalid_experiment',
  'unprocessable_experiment',
  'looks_like_dna',
  'experiment_type_not_offered',
  'sandbox_only',
  'too_many_sequences',
  'target_not_found',
  'target_ambiguous',
] as const;
/** Of a wish how to pay. */
const PAYMENT_FAILURES = ['unknown_payment_method', 'payment_rail_not_served', 'token_restricted'] as const;
const CREATE_FAILURES = [...SPEC_FAILURES, 'pricing_incomplete', ...PAYMENT_FAILURES] as const;

export const listExperiments = defineOperation({
  id: 'list_experiments',
  method: 'GET',
  path: '/experiments',
  tag: 'experiments',
  summary: 'List experiments, newest first',
  effect: 'read',
  permission: 'experiment:list',
  list: experimentFields,
  query: ListQuery({}),
  output: PageOf(ExperimentListItem),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'in(status,draft,quote_sent)', sort: 'desc(created_at)' },
    output: { items: [examples.listItem], count: 1, offset: 0, total: 1 },
  },
});

export const createExperiment = defineOperation({
  id: 'create_exp',
  method: 'POST',
  path: '/experiments',
  tag: 'experiments',
  summary: 'Create an experiment',
  description:
    'Creates a draft. `skip_draft` sends it for review at once; `auto_accept_quote` also accepts the quote. The payment rail that the request names, in `payment.method` or beside the body, stays with the experiment; if both name one, it must be the same.',
  effect: 'spends',
  spendsWhen: 'when `auto_accept_quote` is true',
  permission: 'experiment:create',
  paymentHeaders: ['payment-method'],
  bodyBytesMax: LARGE_BODY_BYTES,
  bulk: ['experiment_spec', 'sequences'],
  bodyMode: 'required',
  body: CreateExpRequest,
  inspect: inspectNewExperiment,
  success: 201,
  output: CreateExpResponse,
  alternatives: {
    200: {
      description:
        '`auto_accept_quote` on a payment rail for machines: accepted, with its invoice to be paid',
      schema: ConfirmQuoteResponse,
    },
  },
  failures: [...CREATE_FAILURES, 'spend_limit_exceeded', 'payment_not_set_up'],
  example: { body: examples.createBody, output: examples.created },
});

export const validateExperiment = defineOperation({
  id: 'validate_exp',
  method: 'POST',
  path: '/experiments/validate',
  tag: 'experiments',
  summary: 'Validate a new experiment without creating it',
  description:
    'Unknown keys beside `experiment_spec`, which a creation ignores, are warnings here, with the key that was probably meant.',
  effect: 'read',
  permission: 'experiment:read',
  paymentHeaders: ['payment-method'],
  isOpenToLimitedTokens: true,
  bodyBytesMax: LARGE_BODY_BYTES,
  bulk: ['experiment_spec', 'sequences'],
  bodyMode: 'required',
  body: CreateExpRequest,
  inspect: inspectNewExperiment,
  output: Type.Object({
    valid: Type.Literal(true, {
      description: 'always true; anything that a creation would reject fails here too',
    }),
    warnings: Warnings,
    warning_groups: WarningGroupList,
    sequence_count: SequenceCount,
    costs: Type.Optional(Nullable(ExperimentCosts, { description: 'the estimate, complete or not' })),
    eta: Eta,
  }),
  failures: CREATE_FAILURES,
  example: {
    body: examples.createBody,
    output: { valid: true, warnings: [], warning_groups: [], sequence_count: 1, costs: null, eta: null },
  },
});

export const estimateCost = defineOperation({
  id: 'cost_estimate',
  method: 'POST',
  path: '/experiments/cost-estimate',
  tag: 'experiments',
  summary: 'Preview the price',
  description:
    'The price is the same on every payment rail; a rail that the call names is checked as a creation checks it.',
  effect: 'read',
  permission: 'experiment:read',
  paymentHeaders: ['payment-method'],
  isOpenToLimitedTokens: true,
  bodyBytesMax: LARGE_BODY_BYTES,
  bulk: ['experiment_spec', 'sequences'],
  bodyMode: 'required',
  body: Type.Object(
    {
      experiment_spec: describe(ExperimentSpec, 'the assay to price, and its sequences'),
      payment: PaymentChoice,
    },
    strict,
  ),
  inspect: inspectEstimate,
  output: Type.Object({
    breakdown: Type.Optional(
      Nullable(CostBreakdown, { description: 'the price before tax; absent when the target has no price' }),
    ),
    totals: Type.Optional(
      describe(EstimatedTotals, 'total of the breakdown with tax; absent without a breakdown'),
    ),
    incomplete: Type.Optional(
      Nullable(IncompleteCostEstimate, {
        description: 'the price of the assay alone, where the lab must quote the target; else absent',
      }),
    ),
    eta: Eta,
    warnings: Type.Optional(Warnings),
    warning_groups: Type.Optional(WarningGroupList),
  }),
  failures: [...SPEC_FAILURES, ...PAYMENT_FAILURES],
  example: { body: { experiment_spec: examples.createBody.experiment_spec }, output: examples.estimate },
});

export const getExperiment = defineOperation({
  id: 'get_exp_info',
  method: 'GET',
  path: '/experiments/{experiment_id}',
  tag: 'experiments',
  summary: 'Read one experiment by id or code',
  effect: 'read',
  permission: 'experiment:read',
  params: ExperimentParams,
  output: ExpInfo,
  failures: ['experiment_not_found'],
  example: { params: { experiment_id: 'DEMO-001-001' }, output: examples.detail },
});

export const modifyExperiment = defineOperation({
  id: 'modify_exp',
  method: 'PATCH',
  path: '/experiments/{experiment_id}',
  tag: 'experiments',
  summary: 'Change an experiment',
  description:
    'Everything can be changed while it is a draft; name, description and webhook until it is done or canceled. A field that is omitted or null is kept, except that a null `target_id` clears the target; `sequences` replaces all of them. `updated` is false when nothing changed.',
  effect: 'reversible',
  permission: 'experiment:update',
  params: ExperimentParams,
  bodyBytesMax: LARGE_BODY_BYTES,
  bulk: ['sequences'],
  bodyMode: 'required',
  body: ExperimentChange,
  output: Type.Object({
    id: Type.String({ description: 'UUID of the experiment' }),
    updated: Type.Boolean({ description: 'false when nothing changed' }),
    message: defineText('why nothing changed; absent when something did'),
  }),
  failures: [
    'invalid_experiment',
    'unprocessable_experiment',
    'looks_like_dna',
    'too_many_sequences',
    'experiment_not_found',
    'target_not_found',
    'experiment_not_editable',
    'experiment_closed',
    'sandbox_only',
  ],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    body: { name: 'EGFR binders, round 2', n_replicates: 2 },
    output: { id: examples.EXPERIMENT_ID, updated: true },
  },
});

export const deleteExperiment = defineOperation({
  id: 'delete_exp',
  method: 'DELETE',
  path: '/experiments/{experiment_id}',
  tag: 'experiments',
  summary: 'Delete a draft',
  effect: 'irrevocable',
  permission: 'experiment:delete',
  params: ExperimentParams,
  success: 204,
  output: Type.Null(),
  failures: ['experiment_not_found', 'experiment_deletion_refused'],
  example: { params: { experiment_id: 'DEMO-001-001' } },
});

export const submitExperiment = defineOperation({
  id: 'submit_experiment',
  method: 'POST',
  path: '/experiments/{experiment_id}/submit',
  tag: 'experiments',
  summary: 'Send a draft for review and quoting',
  effect: 'reversible',
  permission: 'experiment:update',
  params: ExperimentParams,
  bodyMode: 'optional',
  body: Type.Object({}, strict),
  output: Type.Object({
    experiment_id: ExperimentId,
    previous_status: describe(ExperimentStatus, 'status before: draft'),
    status: describe(
      ExperimentStatus,
      'quote_sent once there is a quote to accept, else waiting_for_confirmation',
    ),
    confirmed_at: describe(Timestamp, 'when it was submitted, UTC'),
    provider_invoice_url: defineText('absent: there is no invoice before a quote is accepted'),
  }),
  failures: [
    'experiment_not_found',
    'move_not_allowed',
    'experiment_empty',
    'experiment_without_target',
    'target_retired',
    'unprocessable_experiment',
    'experiment_type_not_offered',
  ],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    body: {},
    output: {
      experiment_id: examples.EXPERIMENT_ID,
      previous_status: 'draft',
      status: 'quote_sent',
      confirmed_at: '2026-01-20T09:05:00.000Z',
    },
  },
});

export const cancelExperiment = defineOperation({
  id: 'cancel_exp',
  method: 'POST',
  path: '/experiments/{experiment_id}/cancel',
  tag: 'experiments',
  summary: 'Cancel an experiment before its quote is accepted',
  effect: 'irrevocable',
  permission: 'experiment:update',
  params: ExperimentParams,
  bodyMode: 'optional',
  body: Type.Object(
    {
      reason: Type.Optional(
        Nullable(Type.String({ maxLength: 2_000 }), {
          description: 'why, in words; kept with the change of status',
        }),
      ),
    },
    strict,
  ),
  output: Type.Object({
    experiment_id: ExperimentId,
    previous_status: describe(ExperimentStatus, 'status before'),
    status: describe(ExperimentStatus, 'canceled, which is final'),
    canceled_at: describe(Timestamp, 'UTC time of the cancellation'),
  }),
  failures: ['experiment_not_found', 'move_not_allowed'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    body: { reason: 'ordered twice' },
    output: {
      experiment_id: examples.EXPERIMENT_ID,
      previous_status: 'draft',
      status: 'canceled',
      canceled_at: '2026-01-20T09:05:00.000Z',
    },
  },
});
