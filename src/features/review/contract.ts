/**
 * Operations with which staff decide about results before and after their release.
 * This folder: decisions on replicates and the events of a review. Not here: the results themselves.
 */
import { ONE_LINE } from '#core/one-line.ts';
import { ExperimentParams, ExperimentCode, ExperimentId, ExperimentStatusField } from '#core/fields.ts';
import { experimentStatuses } from '#core/lifecycle.ts';
import { defineOperation } from '#core/operation.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type, Uuid } from '#core/schema.ts';
import { decisions, reviewActions } from './rules.ts';

const DECISIONS_MAX = 1_000;

const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '\\S',
  description: 'why; one sentence',
});

const replicate = {
  sequence: Type.String({ minLength: 1, maxLength: 200, description: 'name of the sequence' }),
  plate: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'plate, as the replicate in the results has it',
  }),
  replicate: Type.Integer({ minimum: 1, maximum: 10_000, description: 'number of the replicate' }),
};

const Decision = Type.Object({
  sequence: Type.String({ description: 'name of the sequence' }),
  plate: Type.String({ description: 'plate, as the results name it' }),
  replicate: Type.Integer({ description: 'number of the replicate' }),
  well: Nullable(Type.String(), { description: 'its well, such as A1; null where the file names none' }),
  concentration_m: Nullable(Type.Number(), {
    description: 'in M: the one curve of the replicate that is meant; null for the whole replicate',
  }),
  decision: OneOf(decisions, {
    description: 'accept: it counts; exclude: it does not; repeat: it does not, and is measured again',
  }),
  reason: Nullable(Type.String(), { description: 'why; null where it was accepted without one' }),
  decided_by: Type.String({ description: 'e-mail address of the person' }),
  created_at: describe(Timestamp, 'UTC time of the decision'),
});

const Experiment = {
  experiment_id: ExperimentId,
  experiment_code: ExperimentCode,
};
const status = OneOf(experimentStatuses, { description: 'status of the experiment after this request' });

const ids = { experiment_id: '01980000-0000-7000-8000-0000000000e1', experiment_code: 'DEMO-001-001' };
const example = { params: { experiment_id: 'DEMO-001-001' } };
const decided = {
  sequence: 'design-1',
  plate: 'P1',
  replicate: 2,
  well: 'B1',
  concentration_m: null,
  decision: 'exclude' as const,
  reason: 'An air bubble on the sensor.',
  decided_by: 'manager@lab.example',
  created_at: '2026-03-05T09:00:00.000Z',
};
const ANALYSIS = '01980000-0000-7000-8000-0000000000f1';

export const decideReplicates = defineOperation({
  id: 'decide_replicates',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/decisions',
  tag: 'lab-review',
  summary: 'Accept, exclude or repeat replicates, or single curves of them, in review or after the release',
  description:
    'The last decision on a replicate, or on one of its curves, holds. Where what counts changes, the worker analyzes the files again without the excluded replicates, as a new version that waits for its release. With `repeat` the experiment goes back to `in_production` with another run: its files are analyzed together with those of the earlier runs, and what is released stays released. Clients see none of this before the release.',
  effect: 'irrevocable',
  permission: 'lab:review',
  params: ExperimentParams,
  bodyMode: 'required',
  body: Type.Object(
    {
      decisions: Type.Array(
        Type.Object(
          {
            ...replicate,
            well: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: 20,
                description: 'needed where the plate has the replicate in several wells',
              }),
            ),
            concentration_m: Type.Optional(
              Type.Number({
                exclusiveMinimum: 0,
                maximum: 0.01,
                description:
                  'in M: only the curve of this concentration, such as one dose of a titration; the whole replicate unless given',
              }),
            ),
            decision: OneOf(decisions, { description: 'accept, exclude or repeat' }),
            reason: Type.Optional({
              ...Reason,
              description: 'needed for exclude and repeat; clients read it after the release',
            }),
          },
          strict,
        ),
        { minItems: 1, maxItems: DECISIONS_MAX, description: 'one entry for each replicate' },
      ),
      instrument: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          pattern: ONE_LINE,
          description: 'instrument of the run that repeats; that of the last run unless given',
        }),
      ),
    },
    strict,
  ),
  output: Type.Object({
    ...Experiment,
    status,
    analysis_id: Nullable(Uuid, {
      description: 'id of the new analysis; null where none is needed, or a run comes first',
    }),
    decisions: Type.Array(Decision, { description: 'the decision that holds for each replicate so far' }),
  }),
  failures: ['experiment_not_found', 'move_not_allowed', 'replicate_not_found'],
  example: {
    ...example,
    body: {
      decisions: [
        { sequence: 'design-1', plate: 'P1', replicate: 2, decision: 'exclude', reason: decided.reason },
      ],
    },
    output: { ...ids, status: 'in_review', analysis_id: ANALYSIS, decisions: [decided] },
  },
});

export const getLabReview = defineOperation({
  id: 'get_lab_review',
  method: 'GET',
  path: '/lab/experiments/{experiment_id}/review',
  tag: 'lab-review',
  summary: 'Read the review of an experiment: what waits, what was decided, and who did what',
  effect: 'read',
  permission: 'lab:read',
  params: ExperimentParams,
  output: Type.Object({
    ...Experiment,
    status: ExperimentStatusField,
    results_status: OneOf(['none', 'partial', 'all'], { description: 'how many results are released' }),
    version: Type.Integer({ description: 'newest version of the results; 0 before the first analysis' }),
    released_version: Nullable(Type.Integer(), {
      description: 'newest version that clients have, or have in part; null before the first release',
    }),
    awaits: Nullable(OneOf(['release', 'amendment']), {
      description: 'what the newest version waits for: its first release, or an amendment; null for neither',
    }),
    is_analysis_open: Type.Boolean({ description: 'whether the worker still analyzes what was asked for' }),
    second_person: Type.Object(
      {
        is_needed: Type.Boolean({ description: 'whether the lab demands another person for the release' }),
        not_by: Nullable(Type.String(), {
          description: 'e-mail address of the person who decided or analyzed last; null where nobody did',
        }),
      },
      { description: 'who may end the review' },
    ),
    shortfall: Nullable(
      Type.Object({
        missing: Type.String({
          description: 'measured of ordered and planned, in words, and of which sequences',
        }),
        invoice_id: Nullable(Type.String(), {
          description: 'paid invoice that a credit would be of; null without one whose parts have prices',
        }),
        credit_cents: Nullable(Type.Integer(), {
          description:
            'US cents with tax that were paid for what was not measured and are on no credit note yet; a person decides on them',
        }),
        credit_notes: Type.Array(Type.String({ description: 'number of the credit note' }), {
          description: 'credit notes of the invoice so far, oldest first',
        }),
      }),
      { description: 'what the newest version lacks of the order; null where it lacks nothing' },
    ),
    sequences: Type.Array(
      Type.Object({
        name: Type.String({ description: 'name of the sequence' }),
        is_released: Type.Boolean({ description: 'whether the client has a result of it' }),
      }),
      { description: 'sequences of the newest version, by name' },
    ),
    decisions: Type.Array(Decision, { description: 'the decision that holds for each replicate' }),
    events: Type.Array(
      Type.Object({
        action: OneOf(reviewActions, { description: 'what happened' }),
        version: Nullable(Type.Integer(), {
          description: 'version of the results; null where it concerns none',
        }),
        reason: Nullable(Type.String(), { description: 'reason or problem; null without one' }),
        actor: Type.String({ description: 'e-mail address of the person, or worker' }),
        created_at: describe(Timestamp, 'UTC time of the event'),
      }),
      { description: 'oldest first' },
    ),
  }),
  failures: ['experiment_not_found'],
  example: {
    ...example,
    output: {
      ...ids,
      status: 'in_review',
      results_status: 'none',
      version: 2,
      released_version: null,
      awaits: 'release',
      is_analysis_open: false,
      second_person: { is_needed: true, not_by: 'manager@lab.example' },
      shortfall: null,
      sequences: [{ name: 'design-1', is_released: false }],
      decisions: [decided],
      events: [
        {
          action: 'analyzed',
          version: 2,
          reason: decided.reason,
          actor: 'worker',
          created_at: '2026-03-05T09:01:00.000Z',
        },
      ],
    },
  },
});

const body = Type.Object(
  { reason: { ...Reason, description: 'clients read it in the feed and with the version' } },
  strict,
);

export const amendResults = defineOperation({
  id: 'amend_results',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/amend',
  tag: 'lab-review',
  summary: 'Release the analysis that waits after the release, as an amendment',
  description:
    'The experiment stays `done`. Each result gets the new version, the old one stays readable under its id, and the feed gives the reason.',
  effect: 'irrevocable',
  permission: 'lab:review',
  params: ExperimentParams,
  bodyMode: 'required',
  body,
  output: Type.Object({
    ...Experiment,
    version: Type.Integer({ description: 'version that is released now' }),
    released: Type.Integer({ description: 'number of its results' }),
  }),
  failures: [
    'experiment_not_found',
    'move_not_allowed',
    'nothing_to_amend',
    'analysis_pending',
    'second_person_needed',
  ],
  example: {
    ...example,
    body: { reason: 'The drift was within the noise.' },
    output: { ...ids, version: 2, released: 12 },
  },
});

export const discardAmendment = defineOperation({
  id: 'discard_amendment',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/amend/discard',
  tag: 'lab-review',
  summary: 'Discard every analysis and decision made after the release',
  description: 'The client keeps what was released and learns nothing of it.',
  effect: 'irrevocable',
  permission: 'lab:review',
  params: ExperimentParams,
  bodyMode: 'required',
  body: Type.Object(
    { reason: { ...Reason, description: 'stays with the review; clients never see it' } },
    strict,
  ),
  output: Type.Object({
    ...Experiment,
    version: Type.Integer({ description: 'version that clients have, and that is the newest again' }),
    discarded: Type.Integer({ description: 'number of versions that were discarded' }),
  }),
  failures: ['experiment_not_found', 'move_not_allowed', 'nothing_to_amend', 'analysis_pending'],
  example: {
    ...example,
    body: { reason: 'The other settings do not suit the curves.' },
    output: { ...ids, version: 1, discarded: 1 },
  },
});
