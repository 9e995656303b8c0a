/** Operations on the versions of a result: every analysis of its run, and the differences between two. */
import { defineOperation } from '#core/operation.ts';
import { describe, Nullable, strict, Timestamp, Type, Uuid } from '#core/schema.ts';
import * as examples from './examples.ts';
import { OutcomeField, ResultStatus } from './row-fields.ts';

const ResultParams = Type.Object({
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
  params: ResultParams,
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
  params: ResultParams,
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
