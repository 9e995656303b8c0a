/** The wire form of an experiment: its specification, the request that creates it, and its records. */
import { paymentMethodWords } from '#core/capability.ts';
import { experimentStatuses } from '#core/lifecycle.ts';
import {
  CreatedAt,
  ExperimentCode,
  UpdatedAt,
  WarningGroupList,
  Warnings,
  Eta,
  SequenceCount,
  StatusSince,
  defineText,
} from '#core/fields.ts';
import { describe, Nullable, OneOf, strict, Type, Uuid, type Static } from '#core/schema.ts';
import { ExperimentCosts, InvoiceStatus } from '../pricing/contract.ts';
import { NewSequences, OrderedSequence, SEQUENCES } from '../sequences/contract.ts';
import { TargetReference } from '../targets/contract.ts';
import { PaymentChoice } from './payment-choice.ts';
import { experimentTypes } from './types.ts';

export const ExperimentType = OneOf(experimentTypes, {
  description: 'the assay; an installation offers some of them and refuses the others',
});
export type ExperimentType = Static<typeof ExperimentType>;
export const ExperimentStatus = OneOf(experimentStatuses, {
  description: 'status of the experiment; `done` and `canceled` are final',
});
export const ResultsStatus = OneOf(['none', 'partial', 'all'], {
  description: 'how many of the sequences have released results',
});
export const Method = OneOf(['bli', 'spr'], {
  description: 'bio-layer interferometry or surface plasmon resonance',
});

export const RequestedTarget = Type.Object(
  {
    name: Type.String({ minLength: 1, description: 'name of the antigen' }),
    sequence: defineText('amino acids in single letters; chains are separated by ":"'),
    uniprot_id: defineText('UniProt accession, such as P00533'),
    pdb_id: defineText('entry of the Protein Data Bank, such as 1IVO'),
    vendor: defineText('vendor of the antigen'),
    catalog_number: defineText('catalog number of the vendor'),
    note: defineText('anything else the lab should know of the antigen'),
  },
  strict,
);

export type RequestedTarget = Static<typeof RequestedTarget>;

const specCommon = {
  experiment_type: describe(
    ExperimentType,
    'the assay; `affinity` and `screening` need a method and a target',
  ),
  method: Type.Optional(
    Nullable(Method, { description: 'technique of `affinity` and `screening`; null for every other assay' }),
  ),
  n_replicates: Type.Optional(
    Nullable(Type.Integer(), { description: 'measurements of each sequence: 1 to 5, default 3' }),
  ),
  antigen_concentrations: Type.Optional(
    Nullable(Type.Array(Type.Number(), { maxItems: 24 }), {
      description: 'nM, each once; `affinity` only, default 1000, 316.2, 100, 31.6 and 0',
    }),
  ),
  parameters: Type.Optional(
    Nullable(Type.Unsafe<Record<string, unknown>>({ type: 'object' }), {
      description: 'anything the assay should know beyond the other fields; kept as given',
    }),
  ),
};

const TARGET_ID = 'id of a target of the catalog (`list_targets`); null with a `requested_target`';
const REQUESTED_TARGET =
  'an antigen that the catalog lacks, in place of `target_id`; the lab quotes it by hand';

export const ExperimentSpec = Type.Object(
  {
    ...specCommon,
    target_id: Type.Optional(Nullable(Uuid, { description: TARGET_ID })),
    target: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 300 }), {
        description: 'its name in the catalog (or its id), in place of `target_id`',
      }),
    ),
    requested_target: Type.Optional(Nullable(RequestedTarget, { description: REQUESTED_TARGET })),
    sequences: Type.Optional(describe(NewSequences, SEQUENCES)),
  },
  strict,
);
export type ExperimentSpec = Static<typeof ExperimentSpec>;

export const ExperimentSpecInfo = Type.Object({
  ...specCommon,
  target: Type.Optional(
    Nullable(TargetReference, { description: 'the antigen behind `target_id`; null without one' }),
  ),
  target_id: Type.Optional(Nullable(Uuid, { description: TARGET_ID })),
  requested_target: Type.Optional(Nullable(RequestedTarget, { description: REQUESTED_TARGET })),
  sequences: Type.Optional(
    Type.Record(Type.String(), OrderedSequence, { description: 'from the name of each to its amino acids' }),
  ),
});

/** Unknown top-level keys are ignored, because existing clients send some. */
export const CreateExpRequest = Type.Object(
  {
    name: Type.String({ description: 'title for people; need not be unique' }),
    experiment_spec: describe(ExperimentSpec, 'the assay to run, and its sequences'),
    auto_accept_quote: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'commits to the price: opens and accepts the quote at once; requires a target with a price',
      }),
    ),
    skip_draft: Type.Optional(
      Type.Boolean({ description: 'true asks for the quote at once; false, as when absent, leaves a draft' }),
    ),
    webhook_url: defineText('https address that receives a signed POST for each change of status'),
    webhook_secret: defineText('secret for signing deliveries to `webhook_url`; never shown again'),
    description: defineText('description of the experiment, for people'),
    payment: PaymentChoice,
  },
  { additionalProperties: true },
);
export type CreateExpRequest = Static<typeof CreateExpRequest>;

export const CreateExpResponse = Type.Object({
  experiment_id: Type.String({ description: 'UUID of the new experiment' }),
  error: defineText('always null; failures have a status of their own'),
  provider_invoice_id: defineText('external id (in_…) of the invoice that `auto_accept_quote` made'),
  provider_hosted_invoice_url: defineText('null: the invoice is a draft until the lab sends it'),
  experiment_code: ExperimentCode,
  status: describe(ExperimentStatus, 'current status; `draft` unless the request asked for more'),
  costs: Type.Optional(
    Nullable(ExperimentCosts, { description: 'the estimate, or the invoice of an accepted quote' }),
  ),
  warnings: Type.Optional(Warnings),
  warning_groups: Type.Optional(WarningGroupList),
});

const identity = {
  id: describe(Uuid, 'never changes; paths accept it or the code'),
  code: ExperimentCode,
  name: defineText('title for people; need not be unique'),
};
const state = {
  status: describe(ExperimentStatus, 'status of the experiment; `done` and `canceled` are final'),
  results_status: describe(ResultsStatus, 'how many of its sequences have released results'),
};
const ExperimentUrl = Type.String({ description: 'its page, for a person who is signed in' });
const ANTIGEN_ID = 'target of the catalog that it is measured against; null without one';
const target = {
  target_id: Type.Optional(Nullable(Uuid, { description: ANTIGEN_ID })),
  target_name: defineText('name of the target in the catalog; null without one'),
};
const InvoiceUrl = defineText(
  'payment page of the invoice, later its receipt; null until the invoice is sent',
);

export const ExperimentListItem = Type.Object({
  ...identity,
  ...state,
  experiment_type: Type.Optional(Nullable(ExperimentType, { description: 'the assay; never null here' })),
  experiment_url: ExperimentUrl,
  ...target,
  status_since: Type.Optional(StatusSince),
  sequence_count: SequenceCount,
  eta: Eta,
  created_at: CreatedAt,
  invoice_status: Type.Optional(
    Nullable(InvoiceStatus, {
      description: 'status of the current invoice; null before a quote is accepted',
    }),
  ),
  provider_invoice_url: InvoiceUrl,
  provider_quote_url: defineText('page of its quote, a draft included; null without one'),
});

const Turn = Type.Object({
  actor: Nullable(OneOf(['client', 'lab', 'service']), {
    description: 'who has to act; null when the experiment is finished',
  }),
  awaiting: Type.String({ description: 'the step, in words' }),
});

export const ExpInfo = Type.Object({
  ...identity,
  description: defineText('description of the experiment, for people'),
  ...state,
  waiting_on: describe(Turn, 'the next step, and who has to take it'),
  also_waiting_on: Type.Array(Turn, {
    description: 'what else is open, such as an unpaid invoice; empty when nothing is',
  }),
  eta: Eta,
  created_at: CreatedAt,
  updated_at: UpdatedAt,
  experiment_url: ExperimentUrl,
  experiment_spec: describe(ExperimentSpecInfo, 'the assay, and its sequences'),
  costs: Type.Optional(
    Nullable(ExperimentCosts, {
      description:
        'the furthest known of estimate, quote and invoice; null for a canceled experiment without invoice',
    }),
  ),
  payment_method: Type.String({
    description: `rail chosen at creation: ${paymentMethodWords}`,
  }),
  webhook_url: defineText('https address that receives a signed POST for each change of status'),
  provider_invoice_url: InvoiceUrl,
  provider_quote_id: defineText(
    'the quote (qt_…) that `get_quote_info` reads, a draft included; null without one',
  ),
  provider_quote_url: defineText('page of that quote; null without one'),
  provider_invoice_id: defineText(
    'external id (in_…) of the current invoice; null before a quote is accepted',
  ),
  ...target,
  target_supplier_url: defineText('page of the target in the catalog; null without one'),
  n_replicates: Type.Integer({ description: 'measurements of each sequence' }),
  antigen_concentrations: Type.Optional(
    Nullable(Type.Array(Type.Number()), { description: 'nM; null unless the assay is affinity' }),
  ),
  parameters: Type.Optional(
    Nullable(Type.Unknown(), { description: 'those of the order, with the `experiment_type` added' }),
  ),
  sequences: Type.Array(
    Type.Object({
      name: Type.String({ description: 'unique in the experiment' }),
      fasta: Type.String({ description: 'a record of two lines: ">" with the name, then the amino acids' }),
    }),
    { description: 'in the order in which they were given' },
  ),
  result_id: defineText('the best result that is released (`get_result_info`); null before there is one'),
});
export type ExpInfo = Static<typeof ExpInfo>;
