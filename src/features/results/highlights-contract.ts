/** What an overview of several experiments shows of their results, in one answer. */
import { ExperimentCode, ExperimentId } from '#core/fields.ts';
import { defineOperation } from '#core/operation.ts';
import { describe, Nullable, Type, Uuid, type Static } from '#core/schema.ts';
import { ResultSummary } from './contract.ts';
import { ResultDetails } from './details.ts';
import * as examples from './examples.ts';
import { Assessment, OutcomeField, Quantity } from './row-fields.ts';

/** As many as a page of a list. */
export const EXPERIMENTS_MAX = 100;
export const VALUES_MAX = 500;

const Best = Type.Object({
  id: describe(Uuid, 'of the result; `get_result_info` reads all of it'),
  sequence_name: Type.String({ description: 'as the client named it' }),
  outcome: OutcomeField,
  assessment: Nullable(Assessment, {
    description: 'its grade; null in a record from before there were grades',
  }),
  quantities: Type.Record(Type.String(), Quantity, { description: 'the values by name, such as kd or tm' }),
  flags: Type.Array(Type.String(), { description: 'codes of its flags' }),
  row: Nullable(ResultSummary, {
    description: 'the flat row in the shape of the assay, as in `get_result_info`',
  }),
  details: Nullable(ResultDetails, {
    description: 'how the values were chosen and compared, as in `get_result_info`; null without any',
  }),
});

const Highlights = Type.Object({
  experiment_id: ExperimentId,
  experiment_code: ExperimentCode,
  experiment_type: Type.String({ description: 'the assay that was ordered' }),
  n_results: Type.Integer({ description: 'number of released results, controls included' }),
  n_measured: Type.Integer({ description: 'number of those with the outcome measured' }),
  kd_m: Type.Array(Type.Number(), {
    description: `KDs of the samples, in M, the strongest first; at most ${VALUES_MAX}, controls left out`,
  }),
  best: Nullable(Best, { description: 'the sample with the best rank; null without a ranked one' }),
});
export type Highlights = Static<typeof Highlights>;

export const getResultHighlights = defineOperation({
  id: 'get_result_highlights',
  method: 'GET',
  path: '/results/highlights',
  tag: 'results',
  summary: 'Read the best released result of several experiments, with the KDs of all their samples',
  description: 'Experiments without a released result, and those that are not yours, are left out.',
  effect: 'read',
  permission: 'result:list',
  query: Type.Object(
    {
      experiments: Type.String({
        minLength: 1,
        maxLength: 40 * EXPERIMENTS_MAX,
        description: `ids or codes of at most ${EXPERIMENTS_MAX} experiments, separated by commas`,
      }),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    items: Type.Array(Highlights, { description: 'in the order of their codes' }),
  }),
  failures: ['invalid_request'],
  example: {
    query: { experiments: 'DEMO-001-001' },
    output: {
      items: [
        {
          experiment_id: examples.result.experiment_id,
          experiment_code: 'DEMO-001-001',
          experiment_type: examples.result.experiment_type,
          n_results: 2,
          n_measured: 1,
          kd_m: [9.3e-9],
          best: {
            id: examples.result.id,
            sequence_name: 'design-1',
            outcome: 'measured',
            assessment: examples.result.assessment,
            quantities: examples.result.quantities,
            flags: [],
            row: null,
            details: null,
          },
        },
      ],
    },
  },
});
