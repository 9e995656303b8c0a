import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { Nullable, OneOf, Timestamp, Type, Uuid, type Static } from '#core/schema.ts';
import { SequenceEntry } from '#domain/sequences/contract.ts';
import { TargetReference } from '#domain/targets/contract.ts';
import { ASSAY_ROWS } from '#domain/assays/registry.ts';
import { Curve } from './curves.ts';
import { ResultDetails } from './details.ts';
import * as examples from './examples.ts';
import { experimentResultFields, resultFields } from './list-fields.ts';
import { outcomes, type Outcome } from './outcomes.ts';
import { KineticInterval, Quantity } from './quantity.ts';

export { KineticInterval, Quantity, type Outcome };

const number = Type.Optional(Nullable(Type.Number()));
const text = Type.Optional(Nullable(Type.String()));

const interval = Type.Optional(Nullable(KineticInterval));

export const AffinityReplicate = Type.Object(
  {
    replicate: Type.Integer(),
    plate: text,
    well: text,
    binding: text,
    binding_strength: text,
    confidence: text,
    expression: text,
    fit_quality: text,
    kd: number,
    kd_relation: text,
    kd_app: interval,
    koff: number,
    koff_relation: text,
    koff_1to1: interval,
    koff_method: text,
    kon: number,
    kon_relation: text,
    kon_1to1: interval,
    kon_method: text,
    method: text,
    rmse_max_signal_pct: number,
    r2: number,
    model: text,
    reference_rule: text,
    drift: Type.Optional(Nullable(Type.Boolean({ description: 'a drift per curve was fitted' }))),
    association_s: number,
    dissociation_s: number,
    response: number,
    z_score: number,
    threshold: number,
    flags: Type.Optional(Type.Array(Type.String())),
    outcome: text,
  },
  { additionalProperties: true },
);
export type AffinityReplicate = Static<typeof AffinityReplicate>;

export const AffinityResult = Type.Object(
  {
    result_type: Type.Literal('affinity', {
      description: 'the shape of the row: binding rows of both assays',
    }),
    binding: text,
    binding_model: Type.Optional(Nullable(Type.Array(Type.String()))),
    binding_strength: Type.String(),
    concentration_display: text,
    concentration_value: number,
    expression: text,
    fit_quality: text,
    kd_app: interval,
    kd_log_std: number,
    kd_mean: number,
    kd_arithmetic_mean: number,
    kd_relation: text,
    kd_units: Type.String(),
    koff_1to1: interval,
    koff_log_std: number,
    koff_mean: number,
    koff_relation: text,
    kon_1to1: interval,
    kon_log_std: number,
    kon_mean: number,
    kon_relation: text,
    method: Type.Optional(Nullable(Type.Array(Type.String()))),
    performance: Type.Record(Type.String(), Nullable(Type.String())),
    place: Type.Optional(Nullable(Type.Integer())),
    positive_control: Type.Boolean(),
    replicates: Type.Array(AffinityReplicate),
    rmse_max_signal_pct: number,
    response: number,
    response_sd: number,
    response_unit: text,
    threshold: number,
    z_score: number,
    loading_level: number,
    pct_theoretical_rmax: number,
    concentrations_m: Type.Optional(Type.Array(Type.Number())),
    sequence: SequenceEntry,
    target: Type.Optional(Nullable(TargetReference)),
    target_id: text,
  },
  { additionalProperties: true },
);
export type AffinityResult = Static<typeof AffinityResult>;

/** `result_type` of a row names its shape. */
export const ResultSummary = Type.Union([AffinityResult, ...ASSAY_ROWS]);
export type ResultSummary = Static<typeof ResultSummary>;

export const ResultInfo = Type.Object({
  id: Uuid,
  title: Type.String(),
  experiment_id: Uuid,
  experiment_code: Type.String(),
  experiment_type: Type.String(),
  result_type: Type.String({ description: 'the assay' }),
  sequence_id: Uuid,
  sequence_name: Type.String(),
  is_control: Type.Boolean(),
  control_role: Type.Optional(
    Nullable(Type.String({ description: 'the control that the raw files have it as; null for a sample' })),
  ),
  target_id: Type.Optional(Nullable(Uuid)),
  target_name: text,
  method: text,
  instrument: text,
  status: OneOf(['preliminary', 'final', 'amended', 'withdrawn']),
  version: Type.Integer(),
  outcome: OneOf(outcomes),
  binding_score: number,
  place: Type.Optional(Nullable(Type.Integer())),
  n_replicates: Type.Integer(),
  n_replicates_passed: Type.Integer(),
  qc: Type.Object({
    pass: Type.Boolean(),
    flags: Type.Array(Type.String()),
    details: Type.Optional(Type.Array(Type.Unknown())),
  }),
  quantities: Type.Record(Type.String(), Quantity),
  summary: Type.Array(ResultSummary),
  details: Type.Optional(Nullable(ResultDetails)),
  metadata: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
  analysis: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
  data_package_url: text,
  curves_url: Type.String(),
  plot_url: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type ResultInfo = Static<typeof ResultInfo>;

export const PARQUET_MEDIA = 'application/vnd.apache.parquet';

const ResultParams = Type.Object({ result_id: Type.String({ format: 'uuid', description: 'result id' }) });
const LIST_DESCRIPTION =
  'One record per sequence. Sort and filter on `experiment_type`, `created_at`, `binding_score`, `target_id`, on the values `kd_m`, `tm_c`, `yield_ng_per_ul`, `normalized_to_control`, `log2_fold`, and on anything of the summary, such as `lt(float(at(summary,kd_mean)),1e-8)`.';

export const listResults = defineOperation({
  id: 'list_results',
  method: 'GET',
  path: '/results',
  tag: 'results',
  summary: 'List released results, newest first',
  description: LIST_DESCRIPTION,
  effect: 'read',
  permission: 'result:list',
  list: resultFields,
  query: ListQuery({ experiment_id: Type.Optional(Type.String({ description: 'experiment id or code' })) }),
  output: PageOf(ResultInfo),
  failures: ['invalid_query'],
  example: {
    query: { sort: 'desc(binding_score)' },
    output: { items: [examples.result], count: 1, offset: 0, total: 1 },
  },
});

export const getExperimentResults = defineOperation({
  id: 'get_experiment_results',
  method: 'GET',
  path: '/experiments/{experiment_id}/results',
  tag: 'results',
  summary: 'The released results of one experiment, best first',
  description: LIST_DESCRIPTION,
  effect: 'read',
  permission: 'result:list',
  params: Type.Object({ experiment_id: Type.String({ description: 'experiment id or code' }) }),
  list: experimentResultFields,
  query: ListQuery({}),
  output: PageOf(ResultInfo),
  failures: ['invalid_query', 'experiment_not_found'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    output: { items: [examples.result], count: 1, offset: 0, total: 1 },
  },
});

export const getResultInfo = defineOperation({
  id: 'get_result_info',
  method: 'GET',
  path: '/results/{result_id}',
  tag: 'results',
  summary: 'Read one result',
  effect: 'read',
  permission: 'result:read',
  params: ResultParams,
  output: ResultInfo,
  failures: ['result_not_found'],
  example: { params: { result_id: examples.result.id }, output: examples.result },
});

export const getResultCurves = defineOperation({
  id: 'get_result_curves',
  method: 'GET',
  path: '/results/{result_id}/curves',
  tag: 'results',
  summary: 'The curves behind a result, with their fits',
  description:
    'Sensorgrams, melting curves, captures with their standard curve, or plates; `kind` says which. JSON, CSV with `Accept: text/csv`, or Parquet with `Accept: application/vnd.apache.parquet`.',
  effect: 'read',
  permission: 'result:read',
  params: ResultParams,
  output: Type.Object({
    result_id: Uuid,
    experiment_code: Type.String(),
    sequence_name: Type.String(),
    signal_unit: Type.String(),
    curves: Type.Array(Curve),
  }),
  media: ['application/json', 'text/csv', PARQUET_MEDIA],
  failures: ['result_not_found'],
  example: {
    params: { result_id: examples.result.id },
    output: {
      result_id: examples.result.id,
      experiment_code: 'DEMO-001-001',
      sequence_name: 'design-1',
      signal_unit: 'nm',
      curves: [
        {
          kind: 'sensorgram' as const,
          replicate: 1,
          concentration_m: 1e-7,
          time_s: [0, 1],
          signal: [0, 0.01],
          fit: [0, 0.01],
          residual: [0, 0],
          association_start_s: 0,
          dissociation_start_s: 300,
        },
      ],
    },
  },
});

export const getResultPlot = defineOperation({
  id: 'get_result_plot',
  method: 'GET',
  path: '/results/{result_id}/plot.svg',
  tag: 'results',
  summary: 'The curves behind a result, their fits and residuals as a picture',
  effect: 'read',
  permission: 'result:read',
  params: ResultParams,
  output: Type.String(),
  media: ['image/svg+xml'],
  failures: ['result_not_found'],
  example: { params: { result_id: examples.result.id } },
});
