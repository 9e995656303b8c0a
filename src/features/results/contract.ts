/**
 * This folder: released values, their curves and versions. Not here: how values are measured (`analysis/`).
 */
import {
  CreatedAt,
  ExperimentCode,
  ExperimentId,
  UpdatedAt,
  ExperimentParams,
  ExperimentKey,
  defineText,
} from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, Type, Uuid, type Static, OneOf, strict, Timestamp } from '#core/schema.ts';
import { ASSAY_ROWS, type AssayRow } from '#assays/rows.ts';
import { AffinityReplicate, AffinityResult } from './binding-row.ts';
import { Curve } from './curves.ts';
import { ResultDetails } from './details.ts';
import { Thumbnail } from './thumbnails.ts';
import * as examples from './examples.ts';
import { experimentResultFields, resultFields } from './list-fields.ts';
import type { Outcome } from './outcomes.ts';
import {
  KineticInterval,
  Quantity,
  Assessment,
  ExcludedReplicate,
  Flags,
  defineNumber,
  OutcomeField,
  Place,
  ResultStatus,
} from './row-fields.ts';
import { formatAssaysWith } from '#assays/registry.ts';

/** Operations on the versions of a result: every analysis of its run, and the differences between two. */

const VersionParams = Type.Object({
  result_id: Type.String({ format: 'uuid', description: '`id` of any version of the result' }),
});
const record = (description: string) => Type.Unsafe<Record<string, unknown>>({ type: 'object', description });

const ResultVersion = Type.Object({
  id: describe(Uuid, 'id of this version; `get_result_info` reads it'),
  version: Type.Integer({ description: 'from 1, in the order of the analyses' }),
  status: ResultStatus,
  outcome: OutcomeField,
  engine: record('name and version of the analysis'),
  settings: record('all settings of that analysis'),
  reason: Nullable(Type.String(), {
    description: 'why the run was analyzed again; null for the first analysis',
  }),
  created_at: describe(Timestamp, 'when the analysis was made, UTC'),
  released_at: describe(Timestamp, 'UTC time of its release to clients'),
  superseded_at: Nullable(Timestamp, {
    description: 'UTC time when the next version replaced it; null for the current one',
  }),
});

const engine = { name: 'assayer-analysis', version: '1.0.0' };
const example = {
  id: examples.result.id,
  version: 1,
  status: 'final' as const,
  outcome: 'measured' as const,
  engine,
  settings: { drift: true },
  reason: null,
  created_at: examples.result.created_at,
  released_at: examples.result.created_at,
  superseded_at: null,
};

export const listResultVersions = defineOperation({
  id: 'list_result_versions',
  method: 'GET',
  path: '/results/{result_id}/versions',
  tag: 'results',
  summary: 'List all released versions of a result, newest first',
  description: 'The id of any version will do. Every version stays readable under its own id.',
  effect: 'read',
  permission: 'result:read',
  params: VersionParams,
  output: Type.Object({
    sequence_name: Type.String({ description: 'as it was ordered' }),
    versions: Type.Array(ResultVersion, { description: 'newest first' }),
  }),
  failures: ['result_not_found'],
  example: {
    params: { result_id: examples.result.id },
    output: { sequence_name: 'design-1', versions: [example] },
  },
});

export const diffResults = defineOperation({
  id: 'diff_results',
  method: 'GET',
  path: '/results/{result_id}/diff',
  tag: 'results',
  summary: 'Compare two versions of a result',
  description:
    'Outcome, rank, quality, quantities, replicates, settings and inputs, each difference with its path. Against the version before this one, or against `against`.',
  effect: 'read',
  permission: 'result:read',
  params: VersionParams,
  query: Type.Object(
    { against: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,8}$', description: 'version number' })) },
    strict,
  ),
  output: Type.Object({
    result_id: describe(Uuid, 'number of the requested version'),
    version: Type.Integer({ description: 'its number' }),
    against_id: describe(Uuid, 'id of the version it is compared with'),
    against_version: Type.Integer({ description: 'number of the version it is compared with' }),
    changes: Type.Array(
      Type.Object({
        path: Type.String({ description: 'path of the difference, such as quantities.kd.value' }),
        before: Type.Unknown({ description: 'absent when the older version lacks it' }),
        after: Type.Unknown({ description: 'absent when the newer version lacks it' }),
      }),
      { description: 'every difference; empty when there is none' },
    ),
  }),
  failures: ['result_not_found', 'result_version_not_found'],
  example: {
    params: { result_id: examples.result.id },
    query: { against: '1' },
    output: {
      result_id: examples.result.id,
      version: 2,
      against_id: examples.result.sequence_id,
      against_version: 1,
      changes: [{ path: 'quantities.kd.value', before: 9.1e-9, after: 9.3e-9 }],
    },
  },
});

export { AffinityReplicate, AffinityResult, KineticInterval, Quantity };
export { type Outcome };

/** `result_type` of a row names its shape. */
export const ResultSummary = Type.Unsafe<AffinityResult | AssayRow>({
  anyOf: [AffinityResult, ...ASSAY_ROWS],
});
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
  assessment: Assessment,
  outcome: OutcomeField,
  binding_score: defineNumber(
    'log2 of response over threshold, from −5 to 8: 0 is the threshold; binding assays only',
  ),
  place: Place,
  n_replicates_ordered: Type.Integer({
    description: 'number of replicates that were ordered of the sequence',
  }),
  n_replicates: Type.Integer({ description: 'number of measurements of the sequence' }),
  n_replicates_passed: Type.Integer({ description: 'number of replicates that support the outcome' }),
  n_curves_planned: Nullable(Type.Integer(), {
    description:
      'curves with analyte in the plan of the run or, without one, in the order; null where neither says, and without an analyte',
  }),
  n_curves: Nullable(Type.Integer(), {
    description: 'curves with analyte that were measured; null without an analyte',
  }),
  excluded_replicates: Type.Array(ExcludedReplicate, {
    description: 'measurements that the lab left out, each with the reason; not counted in `n_replicates`',
  }),
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
  summary: Type.Array(ResultSummary, {
    description:
      'one flat row in the shape of the assay; with `RESULT_SUMMARY=published` only rows of shapes that were published first',
  }),
  rows: Type.Array(ResultSummary, { description: 'every row, whatever `summary` leaves out' }),
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
  'One record per sequence. Sort and filter on `experiment_type`, `created_at`, `binding_score`, `target_id`, on the values `kd_m`, `tm_c`, `yield_ng_per_ul`, `normalized_to_control`, `log2_fold`, on every other quantity, such as `float(at(at(quantities,kon),value))`, on a flag, such as `contains(flags,POOR_FIT)`, and on anything of the summary, such as `lt(float(at(summary,kd_mean)),1e-8)`.';

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
  query: ListQuery({ experiment_id: Type.Optional(ExperimentKey) }),
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
  params: ExperimentParams,
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

const Neighbor = Type.Object({
  id: describe(Uuid, 'id of the current version of its result'),
  sequence_name: Type.String({ description: 'as it was ordered' }),
  place: Place,
  outcome: OutcomeField,
});

export const getResultNeighbors = defineOperation({
  id: 'get_result_neighbors',
  method: 'GET',
  path: '/results/{result_id}/neighbors',
  tag: 'results',
  summary: 'Read which results of the experiment stand before and after one, best first',
  description:
    'In the order of `get_experiment_results`, with the same `filter` and `sort`. The id of any version will do.',
  effect: 'read',
  permission: 'result:read',
  params: ResultParams,
  query: Type.Object(
    {
      filter: Type.Optional(Type.String({ description: 'condition over the results of the list' })),
      sort: Type.Optional(Type.String({ description: 'order of the list; best first without it' })),
    },
    strict,
  ),
  output: Type.Object({
    position: Nullable(Type.Integer(), {
      description: 'from 1: where the result stands in the list; null where the filter leaves it out',
    }),
    total: Type.Integer({ description: 'number of released results in the list' }),
    previous: Nullable(Neighbor, { description: 'the result before it; null for the first' }),
    next: Nullable(Neighbor, { description: 'the result after it; null for the last' }),
  }),
  failures: ['invalid_query', 'result_not_found'],
  example: {
    params: { result_id: examples.result.id },
    output: {
      position: 1,
      total: 2,
      previous: null,
      next: {
        id: examples.result.sequence_id,
        sequence_name: 'design-2',
        place: 2,
        outcome: 'measured' as const,
      },
    },
  },
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

/** Plots of a whole experiment. */

export const getExperimentPlot = defineOperation({
  id: 'get_experiment_plot',
  method: 'GET',
  path: '/experiments/{experiment_id}/plot.svg',
  tag: 'results',
  summary: 'Read the released results of an experiment as one figure',
  description: `\`ranking\`, the default: every sequence that has a value, with its interval and replicates, best first, of the first 100. \`plates\`: the wells of ${formatAssaysWith('plates')} as heat maps. \`rates\`: kon over koff of ${formatAssaysWith('rates')}, with the lines of equal KD. \`melts\`: the replicates of every sequence laid over one another with their derivatives and the control, of ${formatAssaysWith('melts')}.`,
  effect: 'read',
  permission: 'result:read',
  params: ExperimentParams,
  query: Type.Object(
    { view: Type.Optional(OneOf(['ranking', 'plates', 'rates', 'melts'], { description: 'which picture' })) },
    strict,
  ),
  output: Type.String(),
  media: ['image/svg+xml'],
  failures: [
    'experiment_not_found',
    'results_not_released',
    'plates_unknown',
    'rates_unknown',
    'melts_unknown',
  ],
  example: { params: { experiment_id: 'DEMO-001-001' }, query: { view: 'ranking' } },
});

/** What an explorer of the results needs beside their list: counts, ranges and small pictures. */

const defineCounts = (description: string) => Type.Record(Type.String(), Type.Integer(), { description });
const defineRange = (description: string) =>
  Nullable(
    Type.Object({
      low: Type.Number({ description: 'the smallest' }),
      high: Type.Number({ description: 'the largest' }),
    }),
    { description },
  );

export const getResultsOverview = defineOperation({
  id: 'get_results_overview',
  method: 'GET',
  path: '/experiments/{experiment_id}/results/overview',
  tag: 'results',
  summary: 'Count the released results of an experiment by outcome, grade, class and flag',
  description:
    'What filters of `get_experiment_results` can choose from, and the range of KD that the non-binders exclude.',
  effect: 'read',
  permission: 'result:list',
  params: ExperimentParams,
  output: Type.Object({
    experiment_code: ExperimentCode,
    experiment_type: Type.String({ description: 'the assay that was ordered' }),
    results_status: OneOf(['none', 'partial', 'all'], {
      description: 'whether none, a part or all of the results are released',
    }),
    version: Type.String({ description: 'changes whenever one of the results does' }),
    total: Type.Integer({ description: 'number of released results' }),
    n_controls: Type.Integer({ description: 'number of controls among them' }),
    outcomes: defineCounts('number of results by outcome'),
    grades: defineCounts('number of results by grade; those from before there were grades are missing'),
    classes: defineCounts('number of results by strength class (binding) or expression class'),
    flags: defineCounts('number of results by flag'),
    kd_m: defineRange('the range of the KD values, in M; null without one'),
    excluded_kd_m: defineRange(
      'the range of the KD below which binding of a non-binder would have been seen, in M; null without one',
    ),
  }),
  failures: ['experiment_not_found'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    output: {
      experiment_code: 'DEMO-001-001',
      experiment_type: 'affinity',
      results_status: 'all' as const,
      version: '0b2f8a',
      total: 52,
      n_controls: 1,
      outcomes: { measured: 13, non_binder: 39 },
      grades: { solid: 40, with_reservations: 12 },
      classes: { strong: 9, medium: 4, none: 39 },
      flags: { WINDOW_DEPENDENT: 2 },
      kd_m: { low: 1.2e-9, high: 8.1e-7 },
      excluded_kd_m: { low: 1.9e-5, high: 1.9e-5 },
    },
  },
});

export const getResultThumbnails = defineOperation({
  id: 'get_result_thumbnails',
  method: 'GET',
  path: '/experiments/{experiment_id}/results/thumbnails',
  tag: 'results',
  summary: 'Read small pictures of the curves of all released results of an experiment at once',
  description:
    'For overviews: the first replicate of each result at a few points. `get_result_curves` has all.',
  effect: 'read',
  permission: 'result:read',
  params: ExperimentParams,
  output: Type.Object({
    items: Type.Array(
      Type.Object({
        result_id: describe(Uuid, 'the result; `get_result_info` reads it'),
        ...Thumbnail.properties,
      }),
      { description: 'best first' },
    ),
  }),
  failures: ['experiment_not_found'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    output: {
      items: [
        {
          result_id: examples.result.id,
          kind: 'sensorgram' as const,
          signal_unit: 'nm',
          start: -30,
          end: 900,
          low: 0,
          high: 0.42,
          curves: [{ concentration_m: 1e-7, values: [0, 0, 120, 201, 255, 180, 122, 83] }],
        },
      ],
    },
  },
});
