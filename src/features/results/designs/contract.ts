/**
 * Operations over experiments: every design with all its measurements, and experiments beside each other.
 * This folder: results over several experiments. Not here: the results of one.
 */
import { CreatedAt, ExperimentCode, ExperimentId, ExperimentKey, Id } from '#core/fields.ts';
import { defineList, defineMember } from '#core/list-item.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, OneOf, Timestamp, Type, Uuid } from '#core/schema.ts';
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
  experiment_type: 'affinity',
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
