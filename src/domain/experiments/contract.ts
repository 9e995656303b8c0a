import { defineOperation, LARGE_BODY_BYTES } from '#core/operation.ts';
import { ListQuery } from '#core/list-query.ts';
import { PageOf } from '#core/page.ts';
import { experimentStatuses } from '#core/lifecycle.ts';
import { Nullable, OneOf, strict, Timestamp, Type, Uuid, type Static } from '#core/schema.ts';
import { ConfirmQuoteResponse } from '#domain/quotes/contract.ts';
import {
  CostBreakdown,
  EstimatedTotals,
  ExperimentCosts,
  IncompleteCostEstimate,
  InvoiceStatus,
} from '#domain/pricing/contract.ts';
import { SequenceValue } from '#domain/sequences/contract.ts';
import { TargetReference } from '#domain/targets/contract.ts';
import { ExperimentChange } from './change.ts';
import * as examples from './examples.ts';
import { experimentFields } from './list-fields.ts';
import { inspectEstimate, inspectNewExperiment } from './rules.ts';
import { experimentTypes } from './types.ts';

export const ExperimentType = OneOf(experimentTypes);
export type ExperimentType = Static<typeof ExperimentType>;
export const ExperimentStatus = OneOf(experimentStatuses);
export const ResultsStatus = OneOf(['none', 'partial', 'all']);
export const Method = OneOf(['bli', 'spr']);

const optionalText = Type.Optional(Nullable(Type.String()));

export const RequestedTarget = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    sequence: optionalText,
    uniprot_id: optionalText,
    pdb_id: optionalText,
    vendor: optionalText,
    catalog_number: optionalText,
    note: optionalText,
  },
  strict,
);

export type RequestedTarget = Static<typeof RequestedTarget>;

const specCommon = {
  experiment_type: ExperimentType,
  method: Type.Optional(Nullable(Method)),
  n_replicates: Type.Optional(Nullable(Type.Integer({ description: '1 to 5, default 3' }))),
  antigen_concentrations: Type.Optional(
    Nullable(Type.Array(Type.Number(), { maxItems: 24, description: 'nM; affinity only' })),
  ),
  parameters: Type.Optional(Nullable(Type.Unsafe<Record<string, unknown>>({ type: 'object' }))),
};

export const ExperimentSpec = Type.Object(
  {
    ...specCommon,
    target_id: Type.Optional(Nullable(Uuid)),
    requested_target: Type.Optional(Nullable(RequestedTarget)),
    sequences: Type.Optional(Type.Record(Type.String(), SequenceValue)),
  },
  strict,
);
export type ExperimentSpec = Static<typeof ExperimentSpec>;

export const ExperimentSpecInfo = Type.Object({
  ...specCommon,
  target: Type.Optional(Nullable(TargetReference)),
  target_id: Type.Optional(Nullable(Uuid)),
  requested_target: Type.Optional(Nullable(RequestedTarget)),
  sequences: Type.Optional(Type.Record(Type.String(), SequenceValue)),
});

/** Unknown top-level keys of a creation are tolerated, because they are sent in the wild. */
export const CreateExpRequest = Type.Object(
  {
    name: Type.String({ description: 'human-readable name' }),
    experiment_spec: ExperimentSpec,
    auto_accept_quote: Type.Optional(Type.Boolean({ default: false })),
    skip_draft: Type.Optional(Type.Boolean()),
    webhook_url: Type.Optional(Nullable(Type.String())),
    webhook_secret: Type.Optional(Nullable(Type.String())),
    description: optionalText,
  },
  { additionalProperties: true },
);
export type CreateExpRequest = Static<typeof CreateExpRequest>;

export const CreateExpResponse = Type.Object({
  experiment_id: Type.String(),
  error: Type.Optional(Nullable(Type.String())),
  provider_invoice_id: Type.Optional(Nullable(Type.String())),
  provider_hosted_invoice_url: Type.Optional(Nullable(Type.String())),
  experiment_code: Type.String(),
  status: ExperimentStatus,
  costs: Type.Optional(Nullable(ExperimentCosts)),
  warnings: Type.Optional(Type.Array(Type.String())),
});

export const ExperimentListItem = Type.Object({
  id: Uuid,
  code: Type.String(),
  name: Type.Optional(Nullable(Type.String())),
  status: ExperimentStatus,
  results_status: ResultsStatus,
  experiment_type: Type.Optional(Nullable(ExperimentType)),
  experiment_url: Type.String(),
  target_id: Type.Optional(Nullable(Uuid)),
  target_name: optionalText,
  sequence_count: Type.Integer(),
  created_at: Timestamp,
  invoice_status: Type.Optional(Nullable(InvoiceStatus)),
  provider_invoice_url: optionalText,
  provider_quote_url: optionalText,
});

export const ExpInfo = Type.Object({
  id: Uuid,
  code: Type.String(),
  name: Type.Optional(Nullable(Type.String())),
  description: optionalText,
  status: ExperimentStatus,
  results_status: ResultsStatus,
  waiting_on: Type.Object({
    actor: Nullable(OneOf(['client', 'lab', 'service'])),
    awaiting: Type.String(),
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
  experiment_url: Type.String(),
  experiment_spec: ExperimentSpecInfo,
  costs: Type.Optional(Nullable(ExperimentCosts)),
  payment_method: Type.String(),
  webhook_url: optionalText,
  provider_invoice_url: optionalText,
  provider_quote_id: optionalText,
  provider_quote_url: optionalText,
  provider_invoice_id: optionalText,
  target_id: Type.Optional(Nullable(Uuid)),
  target_name: optionalText,
  target_supplier_url: optionalText,
  n_replicates: Type.Integer(),
  antigen_concentrations: Type.Optional(Nullable(Type.Array(Type.Number()))),
  parameters: Type.Optional(Nullable(Type.Unknown())),
  sequences: Type.Array(Type.Object({ name: Type.String(), fasta: Type.String() })),
  result_id: optionalText,
});
export type ExpInfo = Static<typeof ExpInfo>;

export const ExperimentParams = Type.Object({
  experiment_id: Type.String({ description: 'experiment id or code' }),
});

const CREATE_FAILURES = [
  'invalid_experiment',
  'unprocessable_experiment',
  'experiment_type_not_offered',
  'too_many_sequences',
  'target_not_found',
  'pricing_incomplete',
  'unknown_payment_method',
  'payment_rail_not_served',
  'token_restricted',
] as const;

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
    'Creates a draft. `skip_draft` sends it for review at once; `auto_accept_quote` also accepts the quote. The header X-Service-Payment-Method pins the payment rail.',
  effect: 'spends',
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
  failures: [...CREATE_FAILURES, 'spend_limit_exceeded'],
  example: { body: examples.createBody, output: examples.created },
});

export const validateExperiment = defineOperation({
  id: 'validate_exp',
  method: 'POST',
  path: '/experiments/validate',
  tag: 'experiments',
  summary: 'Everything a creation would say, creating nothing',
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
    valid: Type.Literal(true),
    warnings: Type.Array(Type.String()),
    sequence_count: Type.Integer(),
    costs: Type.Optional(Nullable(ExperimentCosts)),
  }),
  failures: CREATE_FAILURES,
  example: {
    body: examples.createBody,
    output: { valid: true, warnings: [], sequence_count: 1, costs: null },
  },
});

export const estimateCost = defineOperation({
  id: 'cost_estimate',
  method: 'POST',
  path: '/experiments/cost-estimate',
  tag: 'experiments',
  summary: 'Preview the price',
  effect: 'read',
  permission: 'experiment:read',
  isOpenToLimitedTokens: true,
  bodyBytesMax: LARGE_BODY_BYTES,
  bulk: ['experiment_spec', 'sequences'],
  bodyMode: 'required',
  body: Type.Object({ experiment_spec: ExperimentSpec }, strict),
  inspect: inspectEstimate,
  output: Type.Object({
    breakdown: Type.Optional(Nullable(CostBreakdown)),
    totals: Type.Optional(EstimatedTotals),
    incomplete: Type.Optional(Nullable(IncompleteCostEstimate)),
    warnings: Type.Optional(Type.Array(Type.String())),
  }),
  failures: [
    'invalid_experiment',
    'unprocessable_experiment',
    'experiment_type_not_offered',
    'too_many_sequences',
    'target_not_found',
  ],
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
  output: Type.Object({ id: Type.String(), updated: Type.Boolean(), message: optionalText }),
  failures: [
    'invalid_experiment',
    'unprocessable_experiment',
    'too_many_sequences',
    'experiment_not_found',
    'target_not_found',
    'experiment_not_editable',
    'experiment_closed',
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
    experiment_id: Uuid,
    previous_status: ExperimentStatus,
    status: ExperimentStatus,
    confirmed_at: Timestamp,
    provider_invoice_url: optionalText,
  }),
  failures: ['experiment_not_found', 'move_not_allowed', 'experiment_empty', 'experiment_without_target'],
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
  body: Type.Object({ reason: Type.Optional(Nullable(Type.String({ maxLength: 2_000 }))) }, strict),
  output: Type.Object({
    experiment_id: Uuid,
    previous_status: ExperimentStatus,
    status: ExperimentStatus,
    canceled_at: Timestamp,
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
