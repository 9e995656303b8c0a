/**
 * Operations over experiments: every design with all its measurements, and experiments beside each other.
 * This folder: results over several experiments. Not here: the results of one.
 */
import {
  CreatedAt,
  ExperimentCode,
  ExperimentId,
  ExperimentKey,
  ExperimentParams,
  Id,
} from '#core/fields.ts';
import { defineList, defineMember } from '#core/list-item.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type, Uuid, type Static } from '#core/schema.ts';
import { GRADES } from '../assessment.ts';
import * as examples from '../examples.ts';
import { OutcomeField, Quantity } from '../row-fields.ts';
import { DISTANCE_MAX } from './near.ts';

export const MEASUREMENTS_MAX = 20;

const Measurement = Type.Object({
  result_id: describe(Uuid, 'the present version of the result; `get_result_info` reads it'),
  experiment_id: ExperimentId,
  experiment_code: ExperimentCode,
  experiment_type: Type.String({ description: 'the assay' }),
  target_id: Nullable(Uuid, { description: 'the antigen in the catalog; null without one' }),
  target_name: Nullable(Type.String(), { description: 'its name; null without one' }),
  sequence_name: Type.String({ description: 'the name of the design in that experiment' }),
  outcome: OutcomeField,
  grade: Nullable(OneOf(GRADES), {
    description: 'how far to rely on it; null from before there were grades',
  }),
  quantities: Type.Record(Type.String(), Quantity, { description: 'the values by name, such as kd or tm' }),
  excluded_kd_m: Nullable(Type.Number(), {
    description: 'of a non-binder, the KD in M below which binding would have been seen; null otherwise',
  }),
  released_at: describe(Timestamp, 'UTC time of its release'),
});

const measurement = {
  result_id: examples.result.id,
  experiment_id: examples.result.experiment_id,
  experiment_code: examples.result.experiment_code,
  experiment_type: examples.result.experiment_type,
  target_id: null,
  target_name: 'EGFR',
  sequence_name: 'design-1',
  outcome: 'measured' as const,
  grade: 'solid' as const,
  quantities: examples.result.quantities,
  excluded_kd_m: null,
  released_at: '2026-01-21T09:00:00.000Z',
};

/**
 * Of the first sequence `s` of each design: all with its amino acids (`n`), its results (`b`), the newest of them (`m`),
 * and how far it is from a sequence that was asked for (`near`). Conditions and orders, which concern every design, read
 * the same from `every` and `best`, which are computed for all designs at once.
 */
export const designsList = defineList(
  { name: 'designs', key: 'id', defaultSort: '-created_at' },
  {
    id: defineMember(
      describe(Id, 'the first sequence with these amino acids; never changes'),
      's.id',
      examples.result.sequence_id,
    ),
    name: defineMember(Type.String({ description: 'as it was first ordered' }), 's.name', 'design-1', {
      search: true,
    }),
    names: defineMember(
      Type.Array(Type.String(), { description: 'every name that it was ordered by, sorted' }),
      'to_jsonb(n.names)',
      ['design-1', 'round-2-parent'],
      { kind: 'text', sql: 'every.names', search: true, sort: false },
    ),
    aa_string: defineMember(
      Type.String({ description: 'all amino acids in single letters, chains separated by ":"' }),
      's.aa_string',
      'QVQLVESGGGLVQAGGSLRLSCAAS',
      { search: true, capitals: true, sort: false },
    ),
    length: defineMember(Type.Integer({ description: 'residues of all chains together' }), 's.length', 25),
    is_control: defineMember(
      Type.Boolean({ description: 'whether any order names it as a control' }),
      'n.is_control',
      false,
      { sql: 'every.is_control' },
    ),
    experiment_count: defineMember(
      Type.Integer({ description: 'number of experiments that it was ordered in' }),
      'n.experiment_count',
      2,
      false,
    ),
    measurement_count: defineMember(
      Type.Integer({ description: 'number of its released results' }),
      'b.measurement_count',
      1,
      { sql: 'coalesce(best.measurement_count, 0)' },
    ),
    kd_m: defineMember(
      Nullable(Type.Number(), {
        description:
          'its smallest KD in M, whichever the target; upper limits count, lower limits do not; null without one',
      }),
      'b.kd_m',
      9.3e-9,
      { sql: 'best.kd_m' },
    ),
    tm_c: defineMember(
      Nullable(Type.Number(), { description: 'its highest Tm in °C; null without one' }),
      'b.tm_c',
      null,
      { sql: 'best.tm_c' },
    ),
    distance: defineMember(
      Nullable(Type.Integer(), {
        description: 'exchanges, insertions and deletions from `sequence` of the query; null without one',
      }),
      'near.distance',
      null,
      { filter: false },
    ),
    measurements: defineMember(
      Type.Array(Measurement, {
        description: `its released results over all experiments, newest first; at most ${MEASUREMENTS_MAX}`,
      }),
      'm.measurements',
      [measurement],
      false,
    ),
    created_at: defineMember(
      describe(CreatedAt, 'when it was first ordered, UTC'),
      's.created_at',
      '2026-01-20T09:00:00.000Z',
    ),
  },
);

export const listDesigns = defineOperation({
  id: 'list_designs',
  method: 'GET',
  path: '/designs',
  tag: 'designs',
  summary: 'List every design with all its measurements over experiments, newest first',
  description:
    'Sequences with equal amino acids are one design, whatever their names. `search` matches names and amino acids. With `sequence`, only designs that are identical or at most `max_distance` exchanges, insertions and deletions away, the closest first. With `experiment_id`, only the designs of that experiment, and its measurements alone.',
  effect: 'read',
  permission: 'sequence:read',
  alsoNeeds: 'result:list',
  list: designsList.fields,
  query: ListQuery({
    experiment_id: Type.Optional(ExperimentKey),
    sequence: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 8_000,
        description: 'amino acids in single letters, chains separated by ":"; white space is left out',
      }),
    ),
    max_distance: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: DISTANCE_MAX,
        description: 'how far from `sequence` a design may be; 0 unless stated: identical ones',
      }),
    ),
  }),
  output: PageOf(designsList.item),
  failures: ['invalid_query'],
  example: {
    query: { sequence: 'QVQLVESGGGLVQAGGSLRLSCAAS', max_distance: 2 },
    output: { items: [{ ...designsList.sample, distance: 0 }], count: 1, offset: 0, total: 1 },
  },
});

/** Experiments beside each other. */

const COMPARED = {
  experiment_id: examples.result.experiment_id,
  experiment_code: 'DEMO-001-001',
  name: 'Round 1',
  experiment_type: examples.result.experiment_type,
  target_id: null,
  n_results: 52,
};
const VALUE = {
  result_id: examples.result.id,
  sequence_name: 'design-1',
  outcome: 'measured' as const,
  grade: 'solid' as const,
  place: 1,
  value: 9.3e-9,
  relation: '=',
  ci95_low: 8.1e-9,
  ci95_high: 1.07e-8,
};

/** Together with the first one. */
export const COMPARED_MAX = 5;
export const JOINS = ['sequence', 'name'] as const;
export type JoinKey = (typeof JOINS)[number];

const defineEnd = (which: string) =>
  Nullable(Type.Number(), {
    description: `${which} end of its 95 % interval; null where an interval is missing`,
  });

const ComparedValue = Type.Object({
  result_id: describe(Uuid, 'the present version of the result'),
  sequence_name: Type.String({ description: 'as it was ordered there' }),
  outcome: OutcomeField,
  grade: Nullable(OneOf(GRADES), {
    description: 'how far to rely on it; null from before there were grades',
  }),
  place: Nullable(Type.Integer(), { description: 'its rank in its experiment; null for what is not ranked' }),
  value: Nullable(Type.Number(), { description: 'in `unit`; null without one' }),
  relation: Nullable(Type.String(), {
    description: '=, < or > (a limit) or ~ (an estimate); null without a value',
  }),
  ci95_low: Nullable(Type.Number(), {
    description: 'lower end of its 95 % interval, in `unit`; null without one',
  }),
  ci95_high: Nullable(Type.Number(), {
    description: 'upper end of its 95 % interval, in `unit`; null without one',
  }),
});
const Difference = Type.Object({
  delta: Type.Number({
    description: 'this experiment minus the first, of log10 of the value where `scale` is log10',
  }),
  ci95_low: defineEnd('lower'),
  ci95_high: defineEnd('upper'),
  rank_change: Nullable(Type.Integer(), {
    description:
      'its rank here minus that in the first, among what both rank; negative: it moved up; null without both',
  }),
});
const Drift = Type.Object({
  n_controls: Type.Integer({ description: 'controls with a difference' }),
  mean_delta: Nullable(Type.Number(), { description: 'mean of their differences; null without any' }),
  ci95_low: defineEnd('lower'),
  ci95_high: defineEnd('upper'),
});

export const Comparison = Type.Object({
  quantity: Type.String({ description: 'what is compared, in words, such as KD' }),
  unit: Nullable(Type.String(), { description: 'of the values; null for a ratio' }),
  scale: OneOf(['log10', 'linear'], {
    description: 'whether differences are of logarithms or of plain values',
  }),
  join: OneOf(JOINS, { description: 'what makes two results those of one design' }),
  experiments: Type.Array(
    Type.Object({
      experiment_id: ExperimentId,
      experiment_code: ExperimentCode,
      name: Type.String({ description: 'chosen by the client' }),
      experiment_type: Type.String({ description: 'the assay' }),
      target_id: Nullable(Uuid, { description: 'the antigen in the catalog; null without one' }),
      n_results: Type.Integer({ description: 'number of released results' }),
      drift: Nullable(Drift, {
        description:
          'what the controls in common say of a shift from the first to this one; null for the first',
      }),
    }),
    { description: 'the first, then the others in the order of the query' },
  ),
  items: Type.Array(
    Type.Object({
      name: Type.String({ description: 'in the first experiment that has it' }),
      is_control: Type.Boolean({ description: 'whether any of the experiments names it as a control' }),
      values: Type.Array(Nullable(ComparedValue), {
        description:
          'one for each experiment, in their order; null where it was not measured or is not released',
      }),
      differences: Type.Array(Nullable(Difference), {
        description:
          'one for each experiment, from the first; null for the first, and where either has no value or a limit, which is never subtracted',
      }),
    }),
    { description: 'what several experiments have, best of the first one first, then what only one has' },
  ),
});
export type Comparison = Static<typeof Comparison>;

const ComparisonQuery = Type.Object(
  {
    with: Type.String({
      minLength: 1,
      maxLength: 400,
      description: `ids or codes of one to ${COMPARED_MAX - 1} other experiments, with commas between them`,
    }),
    join: Type.Optional(
      OneOf(JOINS, { description: 'sequence unless stated: equal amino acids are one design' }),
    ),
  },
  strict,
);
const COMPARISON_FAILURES = [
  'invalid_query',
  'experiment_not_found',
  'results_not_released',
  'experiments_not_comparable',
] as const;

export const compareExperiments = defineOperation({
  id: 'compare_experiments',
  method: 'GET',
  path: '/experiments/{experiment_id}/comparison',
  tag: 'designs',
  summary: 'Compare the released results of an experiment with those of others',
  description:
    'Joins designs by their amino acids or by their names, and subtracts what the assay ranks by: ΔlogKD, ΔTm, the logarithm of a yield. The interval of a difference combines those of both values. Limits (< and >) and non-binders have no difference. Controls in common show whether the runs differ as a whole.',
  effect: 'read',
  permission: 'result:list',
  params: ExperimentParams,
  query: ComparisonQuery,
  output: Comparison,
  failures: [...COMPARISON_FAILURES],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    query: { with: 'DEMO-001-002' },
    output: {
      quantity: 'KD',
      unit: 'M',
      scale: 'log10' as const,
      join: 'sequence' as const,
      experiments: [
        { ...COMPARED, drift: null },
        {
          ...COMPARED,
          experiment_code: 'DEMO-001-002',
          drift: { n_controls: 1, mean_delta: 0.02, ci95_low: -0.08, ci95_high: 0.12 },
        },
      ],
      items: [
        {
          name: 'design-1',
          is_control: false,
          values: [VALUE, { ...VALUE, value: 4.6e-9, ci95_low: 4e-9, ci95_high: 5.3e-9 }],
          differences: [null, { delta: -0.306, ci95_low: -0.393, ci95_high: -0.218, rank_change: 0 }],
        },
      ],
    },
  },
});

export const getComparisonPlot = defineOperation({
  id: 'get_comparison_plot',
  method: 'GET',
  path: '/experiments/{experiment_id}/comparison/plot.svg',
  tag: 'designs',
  summary: 'Read two experiments as a scatter plot with the line of equality',
  description: 'Of the first of `with`. Limits stand at their bound as open triangles.',
  effect: 'read',
  permission: 'result:read',
  params: ExperimentParams,
  query: ComparisonQuery,
  output: Type.String(),
  media: ['image/svg+xml'],
  failures: [...COMPARISON_FAILURES],
  example: { params: { experiment_id: 'DEMO-001-001' }, query: { with: 'DEMO-001-002' } },
});
