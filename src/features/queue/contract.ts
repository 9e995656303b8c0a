/**
 * Operations with which staff find the experiments of every organization and read what they need to make them.
 * This folder: experiments as the lab sees them, and the notes of staff. Not here: experiments as clients see them.
 */
import { EXAMPLE_ADDRESS } from '#core/example-address.ts';
import {
  ExperimentParams,
  CreatedAt,
  ExperimentCode,
  ExperimentId,
  OrganizationId,
  OrganizationName,
  Eta,
  PromisedAt,
  UpdatedAt,
  WarningGroupList,
  Id,
  ExperimentName,
  StatusSince,
  WaitingActor,
  CurrentInvoiceStatus,
  SequenceCount,
} from '#core/fields.ts';
import { experimentStatuses, invoiceStatuses } from '#core/lifecycle.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type, Uuid, type Static } from '#core/schema.ts';
import { experimentTypes } from '../experiments/types.ts';
import { queueFields } from './list-fields.ts';

const NOTE_MAX = 5_000;

const item = {
  id: Id,
  code: ExperimentCode,
  name: ExperimentName,
  organization_id: OrganizationId,
  organization_name: OrganizationName,
  status: OneOf(experimentStatuses, { description: 'state of the experiment' }),
  status_since: StatusSince,
  waiting_actor: WaitingActor,
  awaiting: Type.String({ description: 'what has to happen next, in words' }),
  results_status: OneOf(['none', 'partial', 'all'], { description: 'how many results are released' }),
  experiment_type: OneOf(experimentTypes, { description: 'assay' }),
  method: Nullable(OneOf(['bli', 'spr']), {
    description: 'method of a binding assay; null for other assays',
  }),
  target_id: Nullable(Uuid, { description: 'target of the catalog; null without one' }),
  target_name: Nullable(Type.String(), {
    description: 'name of the target or of the requested one; null without one',
  }),
  n_replicates: Type.Integer({ description: 'replicates of each sequence' }),
  sequence_count: SequenceCount,
  invoice_status: CurrentInvoiceStatus,
  problem: Nullable(Type.String(), {
    description: 'why the analysis of the latest run stopped; null when it did not',
  }),
  submitted_at: Nullable(Timestamp, { description: 'UTC time when it was submitted; null for a draft' }),
  eta: Eta,
  promised_at: PromisedAt,
  created_at: CreatedAt,
  updated_at: UpdatedAt,
  experiment_url: Type.String({ description: 'page of the experiment' }),
};
const QueueItem = Type.Object(item);

const Note = Type.Object({
  id: Id,
  author: Type.String({ description: 'e-mail address of the person who wrote it' }),
  note: Type.String({ description: 'text; clients never see it' }),
  created_at: CreatedAt,
});

const LabExperiment = Type.Object({
  ...item,
  description: Nullable(Type.String(), { description: 'words of the client; null without any' }),
  ordered_by: Nullable(Type.String(), {
    description: 'e-mail address of the person who ordered; null where the account is gone',
  }),
  antigen_concentrations_nm: Nullable(Type.Array(Type.Number()), {
    description: 'ordered concentrations in nM; null where the assay takes none',
  }),
  parameters: Nullable(Type.Object({}, { additionalProperties: true }), {
    description: 'parameters of the order as sent; null without any',
  }),
  requested_target: Nullable(Type.Object({}, { additionalProperties: true }), {
    description: 'antigen that the catalog lacks, as the client described it; null without one',
  }),
  target_request_id: Nullable(Uuid, { description: 'request of that antigen; null without one' }),
  payment_method: Type.String({ description: 'rail that was chosen with the order' }),
  quote: Nullable(
    Type.Object({
      id: Type.String({ description: 'quote id (qt_…)' }),
      status: Type.String({ description: 'state of the quote' }),
      total_cents: Type.Integer({ description: 'US cents, with tax' }),
      valid_until: describe(Timestamp, 'UTC time at which the offer ends'),
    }),
    { description: 'current quote, drafts of staff included; null without one' },
  ),
  invoice: Nullable(
    Type.Object({
      id: describe(Uuid, 'of the invoice'),
      status: OneOf(invoiceStatuses, { description: 'state of the invoice' }),
      total_cents: Type.Integer({ description: 'US cents, with tax' }),
    }),
    { description: 'current invoice; null without one' },
  ),
  unpaid_release: Nullable(
    Type.Object({
      reason: Type.String({ description: 'why it may start before the payment' }),
      released_by: Type.String({ description: 'e-mail address of the person who allowed it' }),
      created_at: CreatedAt,
    }),
    { description: 'permission to run before the payment; null without one' },
  ),
  runs: Type.Array(
    Type.Object({
      id: describe(Uuid, 'of the run'),
      ordinal: Type.Integer({ description: '1 for the first run of the experiment' }),
      instrument: Type.String({ description: 'instrument of the run' }),
      operator: Nullable(Type.String(), {
        description: 'the person at the instrument; null where nobody was named',
      }),
      lab_run_id: Nullable(Uuid, { description: 'planned run by which it started; null for one of its own' }),
      status: OneOf(['running', 'complete', 'analyzed'], { description: 'state of the run' }),
      override_reason: Nullable(Type.String(), {
        description: 'why it started before the invoice was paid; null when it did not',
      }),
      problem: Nullable(Type.String(), {
        description: 'why the analysis of its files stopped; null when it did not',
      }),
      file_count: Type.Integer({ description: 'number of its raw files' }),
      started_at: describe(Timestamp, 'UTC time of the start'),
      completed_at: Nullable(Timestamp, {
        description: 'UTC time when its raw data were complete; null before that',
      }),
    }),
    { description: 'oldest first' },
  ),
  outcomes: Type.Array(
    Type.Object({
      outcome: Type.String({ description: 'outcome of a sequence, such as measured' }),
      finding: Nullable(Type.String(), {
        description: 'no_transition for melting curves that were measured and have none; null otherwise',
      }),
      released: Type.Boolean({ description: 'whether clients see these results' }),
      count: Type.Integer({ description: 'number of sequences with it, by their newest version' }),
    }),
    { description: 'results so far; empty before the analysis' },
  ),
  history: Type.Array(
    Type.Object({
      created_at: CreatedAt,
      type: Type.String({ description: 'kind of the update' }),
      name: Type.String({ description: 'title, as the client reads it' }),
      description: Nullable(Type.String(), { description: 'further words; null without any' }),
      quote_id: Nullable(Type.String(), { description: 'the quote that it is about; null without one' }),
      quote_number: Nullable(Type.String(), { description: 'number of that quote; null without one' }),
      invoice_id: Nullable(Type.String(), { description: 'the invoice that it is about; null without one' }),
      invoice_number: Nullable(Type.String(), {
        description: 'number of that invoice; null without one, and for a draft',
      }),
    }),
    { description: 'updates of the experiment, oldest first; at most the last 200' },
  ),
  notes: Type.Array(Note, { description: 'notes of staff, oldest first' }),
});
export type LabExperiment = Static<typeof LabExperiment>;

const listed = {
  id: '01980000-0000-7000-8000-0000000000e1',
  code: 'DEMO-001-001',
  name: 'binders',
  organization_id: '01980000-0000-7000-8000-00000000000a',
  organization_name: 'Demo',
  status: 'in_queue' as const,
  status_since: '2026-03-02T09:00:00.000Z',
  waiting_actor: 'lab' as const,
  awaiting: 'an instrument is free',
  results_status: 'none' as const,
  experiment_type: 'affinity' as const,
  method: 'bli' as const,
  target_id: '01980000-0000-7000-8000-0000000000c1',
  target_name: 'CD47',
  n_replicates: 3,
  sequence_count: 1,
  invoice_status: 'paid' as const,
  problem: null,
  submitted_at: '2026-03-02T08:00:00.000Z',
  eta: '2026-04-03T15:00:00.000Z',
  promised_at: '2026-04-03T15:00:00.000Z',
  created_at: '2026-03-02T08:00:00.000Z',
  updated_at: '2026-03-02T09:00:00.000Z',
  experiment_url: `${EXAMPLE_ADDRESS}/experiments/01980000-0000-7000-8000-0000000000e1`,
};
const note = {
  id: '01980000-0000-7000-8000-0000000000f7',
  author: 'operator@lab.example',
  note: 'The client calls before the run.',
  created_at: '2026-03-02T09:30:00.000Z',
};

export const listLabExperiments = defineOperation({
  id: 'list_lab_experiments',
  method: 'GET',
  path: '/lab/experiments',
  tag: 'lab-queue',
  summary: 'List the experiments of every organization, the longest in its status first',
  effect: 'read',
  permission: 'lab:read',
  list: queueFields,
  query: ListQuery({}),
  output: PageOf(QueueItem),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(waiting_actor,lab)' },
    output: { items: [listed], count: 1, offset: 0, total: 1 },
  },
});

export const getLabExperiment = defineOperation({
  id: 'get_lab_experiment',
  method: 'GET',
  path: '/lab/experiments/{experiment_id}',
  tag: 'lab-queue',
  summary: 'Read an experiment of any organization: order, money, runs, results so far, history and notes',
  effect: 'read',
  permission: 'lab:read',
  params: ExperimentParams,
  output: LabExperiment,
  failures: ['experiment_not_found'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    output: {
      ...listed,
      description: null,
      ordered_by: 'client@example.com',
      antigen_concentrations_nm: [1000, 316.2, 100, 31.6, 0],
      parameters: null,
      requested_target: null,
      target_request_id: null,
      payment_method: 'async_invoice',
      quote: {
        id: 'qt_01980000',
        status: 'accepted',
        total_cents: 106_000,
        valid_until: '2026-04-01T08:00:00.000Z',
      },
      invoice: { id: '01980000-0000-7000-8000-0000000000b1', status: 'paid', total_cents: 106_000 },
      unpaid_release: null,
      runs: [],
      outcomes: [],
      history: [
        {
          created_at: listed.status_since,
          type: 'status_change',
          name: 'Materials arrived',
          description: null,
          quote_id: null,
          quote_number: null,
          invoice_id: null,
          invoice_number: null,
        },
      ],
      notes: [note],
    },
  },
});

const LabSequence = Type.Object({
  id: describe(Uuid, 'of the sequence'),
  name: Type.String({ description: 'name within the experiment' }),
  aa_string: Type.String({ description: 'amino acids in single letters, chains separated by ":"' }),
  length: Type.Integer({ description: 'number of amino acids' }),
  is_control: Type.Boolean({ description: 'a known protein that results are compared with' }),
  metadata: Nullable(Type.Object({}, { additionalProperties: true }), {
    description: 'what the client said about its format; null without one',
  }),
});

export const getLabSequences = defineOperation({
  id: 'get_lab_sequences',
  method: 'GET',
  path: '/lab/experiments/{experiment_id}/sequences',
  tag: 'lab-queue',
  summary: 'Read the sequences of an experiment of any organization, with what may make them hard to express',
  description: 'Each reading is in the audit trail of the organization, with its person.',
  effect: 'read',
  permission: 'lab:read',
  params: ExperimentParams,
  output: Type.Object({
    experiment_id: ExperimentId,
    experiment_code: ExperimentCode,
    sequences: Type.Array(LabSequence, { description: 'in the order of the client' }),
    fasta: Type.String({ description: 'the same as FASTA, one record for each chain' }),
    warning_groups: WarningGroupList,
  }),
  failures: ['experiment_not_found'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    output: {
      experiment_id: listed.id,
      experiment_code: listed.code,
      sequences: [
        {
          id: '01980000-0000-7000-8000-0000000000d1',
          name: 'design-1',
          aa_string: 'QVQLVESGGGLVQAGGSLRLSCAAS',
          length: 25,
          is_control: false,
          metadata: null,
        },
      ],
      fasta: '>design-1\nQVQLVESGGGLVQAGGSLRLSCAAS\n',
      warning_groups: [],
    },
  },
});

export const addLabNote = defineOperation({
  id: 'add_lab_note',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/notes',
  tag: 'lab-queue',
  summary: 'Add a note of staff to an experiment; clients never see it',
  effect: 'reversible',
  permission: 'lab:run',
  params: ExperimentParams,
  bodyMode: 'required',
  body: Type.Object(
    {
      note: Type.String({
        minLength: 1,
        maxLength: NOTE_MAX,
        pattern: '\\S',
        description: 'text of the note',
      }),
    },
    strict,
  ),
  success: 201,
  output: Note,
  failures: ['experiment_not_found'],
  example: { params: { experiment_id: 'DEMO-001-001' }, body: { note: note.note }, output: note },
});
