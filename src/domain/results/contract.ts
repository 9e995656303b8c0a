/**
 * This folder: released values, their curves and versions. Not here: how values are measured (`analysis/`).
 */
import { CreatedAt, ExperimentCode, ExperimentId, UpdatedAt } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, Type, Uuid, type Static } from '#core/schema.ts';
import { SequenceEntry } from '#domain/sequences/contract.ts';
import { TargetReference } from '#domain/targets/contract.ts';
import { ASSAY_ROWS } from '#domain/assays/registry.ts';
import { Curve } from './curves.ts';
import { ResultDetails } from './details.ts';
import * as examples from './examples.ts';
import { experimentResultFields, resultFields } from './list-fields.ts';
import type { Outcome } from './outcomes.ts';
import { KineticInterval, Quantity } from './quantity.ts';
import {
  AssociationS,
  Concentrations,
  DissociationS,
  defineFlag,
  Flags,
  defineInterval,
  defineNumber,
  ReplicateOutcome,
  OutcomeField,
  Performance,
  Place,
  Plate,
  PositiveControl,
  R2,
  ReferenceRule,
  defineRelation,
  ReplicateNumber,
  ResultStatus,
  screening,
  defineText,
  Well,
} from './row-fields.ts';

export { KineticInterval, Quantity };
export { type Outcome };

const BINDING = 'true, false, inconclusive (a response without evidence of binding) or unknown';
const EXPRESSION = 'by the loading of the sensors: expressed, low, none or unknown';
const FIT_QUALITY = 'good, fair or poor, by R² and residuals; the worst of several; null without a fit';

export const AffinityReplicate = Type.Object(
  {
    replicate: ReplicateNumber,
    plate: Plate,
    well: Well,
    binding: defineText(BINDING),
    binding_strength: defineText('absent here; the row of the sequence has it'),
    confidence: defineText('high, medium or low, by the flags'),
    expression: defineText(EXPRESSION),
    fit_quality: defineText(FIT_QUALITY),
    kd: defineNumber('dissociation constant in M; null without one'),
    kd_relation: defineRelation('kd'),
    kd_app: defineInterval('the same KD with its 95 % interval, in M'),
    koff: defineNumber('dissociation rate in 1/s; null without one'),
    koff_relation: defineRelation('koff'),
    koff_1to1: defineInterval('the same rate with its 95 % interval, in 1/s; the model is in `model`'),
    koff_method: defineText(
      'how it was fitted, such as global_1to1: all concentrations at once, by that model',
    ),
    kon: defineNumber('association rate in 1/(M·s); null without one'),
    kon_relation: defineRelation('kon'),
    kon_1to1: defineInterval('the same rate with its 95 % interval, in 1/(M·s); the model is in `model`'),
    kon_method: defineText(
      'how it was fitted, such as global_1to1: all concentrations at once, by that model',
    ),
    method: defineText('technique of the order: bli or spr'),
    rmse_max_signal_pct: defineNumber('root mean square of the residuals in percent of the largest Rmax'),
    r2: R2,
    model: defineText('what was fitted, such as 1:1, 1:1_drift or steady_state; null without a fit'),
    reference_rule: ReferenceRule,
    drift: defineFlag('whether a drift per curve was fitted; null without a fit'),
    association_s: AssociationS,
    dissociation_s: DissociationS,
    response: defineNumber('at the highest usable concentration, in the unit of the signal'),
    z_score: defineNumber('robust standard deviations above the median of the negative controls; screening'),
    threshold: defineNumber('above it the response is binding, in the unit of the signal; screening'),
    flags: Type.Optional(Flags),
    outcome: ReplicateOutcome,
  },
  { additionalProperties: true },
);
export type AffinityReplicate = Static<typeof AffinityReplicate>;

export const AffinityResult = Type.Object(
  {
    result_type: Type.Literal('affinity', {
      description: 'the shape of the row: binding rows of both assays',
    }),
    binding: defineText(BINDING),
    binding_model: Type.Optional(
      Nullable(Type.Array(Type.String()), {
        description: 'models of the replicates, each once, such as 1:1; null without a KD',
      }),
    ),
    binding_strength: Type.String({
      description:
        'by KD: strong below 50 nM, medium to 1 µM, weak to 10 µM; none for a non-binder, otherwise unknown',
    }),
    concentration_display: defineText('`concentration_value` in nM, for people'),
    concentration_value: defineNumber('highest concentration of the antigen, in M'),
    expression: defineText(EXPRESSION),
    fit_quality: defineText(FIT_QUALITY),
    kd_app: defineInterval('`kd_mean` with its 95 % interval, in M'),
    kd_log_std: defineNumber('standard deviation of log10 KD over replicates; null below two'),
    kd_mean: defineNumber('dissociation constant in M, geometric mean of the replicates; null without one'),
    kd_arithmetic_mean: defineNumber(
      'arithmetic mean of KD in M, as in published tables; null where KD is a limit',
    ),
    kd_relation: defineRelation('kd_mean'),
    kd_units: Type.String({ description: 'M, always' }),
    koff_1to1: defineInterval('`koff_mean` with its 95 % interval, in 1/s'),
    koff_log_std: defineNumber('standard deviation of log10 koff over replicates; null below two'),
    koff_mean: defineNumber('dissociation rate in 1/s, geometric mean of the replicates; null without one'),
    koff_relation: defineRelation('koff_mean'),
    kon_1to1: defineInterval('`kon_mean` with its 95 % interval, in 1/(M·s)'),
    kon_log_std: defineNumber('standard deviation of log10 kon over replicates; null below two'),
    kon_mean: defineNumber('association rate in 1/(M·s), geometric mean of the replicates; null without one'),
    kon_relation: defineRelation('kon_mean'),
    method: Type.Optional(
      Nullable(Type.Array(Type.String()), { description: 'technique of the order: bli or spr' }),
    ),
    performance: Performance,
    place: Place,
    positive_control: PositiveControl,
    replicates: Type.Array(AffinityReplicate, {
      description: 'one entry for each measurement of the sequence',
    }),
    rmse_max_signal_pct: defineNumber('largest of the replicates: residuals in percent of Rmax'),
    ...screening,
    concentrations_m: Type.Optional(Concentrations),
    sequence: describe(SequenceEntry, 'the sequence that was measured, as it was ordered'),
    target: Type.Optional(Nullable(TargetReference, { description: 'the antigen; null without a target' })),
    target_id: defineText('id of the antigen in the catalog; null for one outside it'),
  },
  { additionalProperties: true },
);
export type AffinityResult = Static<typeof AffinityResult>;

/** `result_type` of a row names its shape. */
export const ResultSummary = Type.Union([AffinityResult, ...ASSAY_ROWS]);
export type ResultSummary = Static<typeof ResultSummary>;

export const ResultInfo = Type.Object({
  id: describe(Uuid, 'id of this version of the result; every version has its own'),
  title: Type.String({ description: 'one line for people, such as Affinity of design-1 to EGFR' }),
  experiment_id: ExperimentId,
  experiment_code: ExperimentCode,
  experiment_type: Type.String({ description: 'the assay that was ordered' }),
  result_type: Type.String({ description: 'the assay' }),
  sequence_id: describe(Uuid, 'the sequence that was measured; `get_sequence_info` reads it'),
  sequence_name: Type.String({ description: 'as it was ordered; unique in the experiment' }),
  is_control: Type.Boolean({ description: 'whether the order or the raw files name it as a control' }),
  control_role: defineText('kind of control by the raw files; null for a sample'),
  target_id: Type.Optional(Nullable(Uuid, { description: 'the antigen in the catalog; null without one' })),
  target_name: defineText('name of the antigen; null without one'),
  method: defineText('technique of a binding assay: bli or spr; null for the others'),
  instrument: defineText('instrument, as the file of the first plate names it'),
  status: ResultStatus,
  version: Type.Integer({ description: 'from 1; a later analysis of the same files has the next' }),
  outcome: OutcomeField,
  binding_score: defineNumber(
    'log2 of response over threshold, from −5 to 8: 0 is the threshold; binding assays only',
  ),
  place: Place,
  n_replicates: Type.Integer({ description: 'number of measurements of the sequence' }),
  n_replicates_passed: Type.Integer({ description: 'number of replicates that support the outcome' }),
  qc: Type.Object(
    {
      pass: Type.Boolean({ description: 'whether any replicate supports the outcome' }),
      flags: Flags,
      details: Type.Optional(
        Type.Array(Type.Unknown(), {
          description: 'every flag, also those that only inform: code, severity, message, value and limit',
        }),
      ),
    },
    { description: 'quality of the value' },
  ),
  quantities: Type.Record(Type.String(), Quantity, {
    description: 'the values by name, such as kd, kon, tm or yield_ng_per_ul; missing values are omitted',
  }),
  summary: Type.Array(ResultSummary, { description: 'one flat row in the shape of the assay' }),
  details: Type.Optional(
    Nullable(ResultDetails, {
      description: 'details of how the values were chosen and compared; null without any',
    }),
  ),
  metadata: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: '`notices` of reading the raw files, and the `reason` of an analysis that was repeated',
  }),
  analysis: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: 'engine, model, all settings, SHA-256 of the raw files, and the state of each plate',
  }),
  data_package_url: defineText('address of a zip of all released results; works without a token for an hour'),
  curves_url: Type.String({ description: 'address of the curves: `get_result_curves`' }),
  plot_url: Type.String({ description: 'address of the same curves as an SVG figure' }),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});
export type ResultInfo = Static<typeof ResultInfo>;

export const PARQUET_MEDIA = 'application/vnd.apache.parquet';

const ResultParams = Type.Object({
  result_id: Type.String({
    format: 'uuid',
    description: '`id` of an item of `list_results`, of any version',
  }),
});
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
  summary: 'List the released results of one experiment, best first',
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
  summary: 'Read the curves behind a result, with their fits',
  description:
    'Sensorgrams, melting curves, captures with their standard curve, or plates; `kind` says which.',
  effect: 'read',
  permission: 'result:read',
  params: ResultParams,
  output: Type.Object({
    result_id: describe(Uuid, 'the version that was asked for'),
    experiment_code: ExperimentCode,
    sequence_name: Type.String({ description: 'as it was ordered' }),
    signal_unit: Type.String({
      description: 'unit of every `signal`, such as nm, RU, RFU, counts or F350/F330',
    }),
    curves: Type.Array(Curve, { description: 'curves of each replicate, then those of whole plates' }),
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
  summary: 'Read the curves behind a result, their fits and residuals as a figure',
  effect: 'read',
  permission: 'result:read',
  params: ResultParams,
  output: Type.String(),
  media: ['image/svg+xml'],
  failures: ['result_not_found'],
  example: { params: { result_id: examples.result.id } },
});
