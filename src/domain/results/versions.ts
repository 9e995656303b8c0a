/** Versions of a result: every analysis of its run, and what differs between two of them. */
import { defineOperation } from '#core/operation.ts';
import { Nullable, OneOf, strict, Timestamp, Type, Uuid } from '#core/schema.ts';
import { outcomes } from './outcomes.ts';
import * as examples from './examples.ts';

const ResultParams = Type.Object({ result_id: Type.String({ format: 'uuid', description: 'result id' }) });
const record = Type.Unsafe<Record<string, unknown>>({ type: 'object' });

const ResultVersion = Type.Object({
  id: Uuid,
  version: Type.Integer(),
  status: OneOf(['preliminary', 'final', 'amended', 'withdrawn']),
  outcome: OneOf(outcomes),
  engine: record,
  settings: record,
  reason: Nullable(
    Type.String({ description: 'why the run was analysed again; null for the first analysis' }),
  ),
  created_at: Timestamp,
  released_at: Timestamp,
  superseded_at: Nullable(Timestamp),
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
  summary: 'All released versions of a result, newest first',
  description: 'Any version names the result. Every version stays readable under its own id.',
  effect: 'read',
  permission: 'result:read',
  params: ResultParams,
  output: Type.Object({ sequence_name: Type.String(), versions: Type.Array(ResultVersion) }),
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
  summary: 'What differs between two versions of a result',
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
    result_id: Uuid,
    version: Type.Integer(),
    against_id: Uuid,
    against_version: Type.Integer(),
    changes: Type.Array(
      Type.Object({
        path: Type.String(),
        before: Type.Unknown({ description: 'absent when the older version lacks it' }),
        after: Type.Unknown({ description: 'absent when the newer version lacks it' }),
      }),
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
