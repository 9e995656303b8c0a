/**
 * This folder: amino-acid sequences and what is worth pointing out about them. Not here: experiments that hold them.
 */
import {
  CreatedAt,
  ExperimentCode,
  ExperimentId,
  WarningGroupList,
  Warnings,
  ExperimentParams,
  ExperimentKey,
  defineText,
} from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation, LARGE_BODY_BYTES } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, OneOf, strict, Type, Uuid, type Static } from '#core/schema.ts';
import { sequenceFields } from './list-fields.ts';

/** `rules.ts` checks the length and names the sequence; here it is published for readers of the document. */
export const AAString = Type.String({
  description:
    'amino acids in single-letter form (ACDEFGHIKLMNPQRSTVWY), chains separated by ":"; stored in upper case. A chain of 30 letters or more that is A, C, G, T and N only, each base 5 % or more of it, is refused as DNA',
});

export const SequenceMetadata = Type.Object(
  {
    type: Type.Optional(
      Nullable(OneOf(['ScFv', 'FAB', 'SingleChain', 'IgG', 'sc_fv', 'fab', 'single_chain', 'igg']), {
        description: 'antibody format; the spellings in lower case mean the same; null for other proteins',
      }),
    ),
    VH: defineText('amino acids of the heavy variable domain; an ScFv needs them'),
    VL: defineText('amino acids of the light variable domain; an ScFv needs them'),
    linker: defineText('amino acids between VH and VL; default GGGGSGGGGSGGGGS for ScFv'),
    tag_location: Type.Optional(
      Nullable(OneOf(['N', 'C']), { description: 'the terminus that carries the tag' }),
    ),
    chain_order: Type.Optional(
      Nullable(Type.Array(Type.String(), { maxItems: 8 }), {
        description: 'names of the domains or chains from the N terminus on',
      }),
    ),
    framework_regions: Type.Optional(
      Nullable(
        Type.Object(
          {
            ch: defineText('amino acids of the heavy constant region; a FAB needs them'),
            cl: defineText('amino acids of the light constant region; a FAB needs them'),
          },
          strict,
        ),
        { description: 'constant regions of an antibody; a FAB needs both' },
      ),
    ),
  },
  strict,
);
export type SequenceMetadata = Static<typeof SequenceMetadata>;

const input = {
  aa_string: describe(AAString, 'amino acids in single letters, chains separated by ":"'),
  control: Type.Optional(
    Type.Boolean({ description: 'a known protein that results are compared with; false when absent' }),
  ),
  metadata: Type.Optional(
    Nullable(SequenceMetadata, {
      description: 'how the protein is built, such as an antibody from its domains',
    }),
  ),
};

export const SequenceInput = Type.Object(input, strict);

const AnyMetadata = Type.Optional(
  Nullable(Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true }), {
    description: 'any object, kept as given; the form of an antibody has the fields that create_exp names',
  }),
);

export const SequenceValue = Type.Union([AAString, SequenceInput]);
export type SequenceValue = Static<typeof SequenceValue>;

export const SequenceEntry = Type.Object(
  {
    ...input,
    metadata: AnyMetadata,
    name: defineText('unique in the experiment; generated when null or absent'),
  },
  strict,
);
export type SequenceEntry = Static<typeof SequenceEntry>;

/** A sequence as the record of an experiment shows it. */
export const OrderedSequence = Type.Union([AAString, Type.Object({ ...input, metadata: AnyMetadata })]);
export type OrderedSequence = Static<typeof OrderedSequence>;

/** Every request that takes sequences takes both forms. */
export const NewSequences = Type.Union([
  Type.Record(Type.String(), SequenceValue),
  Type.Array(Type.Union([AAString, SequenceEntry])),
]);
export type NewSequences = Static<typeof NewSequences>;

/** What `NewSequences` takes, in the words of its description. */
export const SEQUENCES =
  'a map from the name of each sequence, unique in the experiment, to its amino acids, or a list of entries';

const SequenceId = describe(Uuid, 'id in `get_sequence_info` and in results');
const Name = defineText('as it was ordered; unique in its experiment');
const IsControl = Type.Boolean({ description: 'ordered as a known protein that results are compared with' });
const Length = Type.Integer({ minimum: 0, description: 'residues of all chains together' });

export const SequenceListItem = Type.Object({
  id: SequenceId,
  experiment_id: ExperimentId,
  experiment_code: ExperimentCode,
  name: Name,
  is_control: IsControl,
  length: Length,
  aa_preview: defineText('its first 20 letters'),
  created_at: CreatedAt,
});

export const SequenceInfo = Type.Object({
  id: SequenceId,
  name: Name,
  aa_string: defineText('all amino acids in single letters, chains separated by ":"'),
  length: Length,
  is_control: IsControl,
  control: Type.Boolean({ description: 'the same as `is_control`' }),
  metadata: Type.Optional(
    Nullable(Type.Unknown(), {
      description: 'how the protein is built, as it was ordered; null without one',
    }),
  ),
  created_at: CreatedAt,
  experiment: Type.Object(
    {
      experiment_id: ExperimentId,
      experiment_code: ExperimentCode,
      experiment_status: defineText('status of the experiment, such as draft or done'),
    },
    { description: 'the experiment that it belongs to' },
  ),
});

const listed = {
  id: '01980000-0000-7000-8000-0000000000a1',
  experiment_id: '01980000-0000-7000-8000-0000000000e1',
  experiment_code: 'DEMO-001-001',
  name: 'design-1',
  is_control: false,
  length: 120,
  aa_preview: 'QVQLVESGGGLVQAGGSLRL',
  created_at: '2026-01-20T09:00:00.000Z',
};

export const listSequences = defineOperation({
  id: 'list_sequences',
  method: 'GET',
  path: '/sequences',
  tag: 'sequences',
  summary: 'List sequences of every experiment you may see, newest first',
  description: '`search` matches names and amino acids.',
  effect: 'read',
  permission: 'sequence:list',
  list: sequenceFields,
  query: ListQuery({
    experiment_id: Type.Optional(ExperimentKey),
    name: Type.Optional(Type.String({ description: 'exact name of the sequence' })),
  }),
  output: PageOf(SequenceListItem),
  failures: ['invalid_query'],
  example: {
    query: { search: 'design' },
    output: { items: [listed], count: 1, offset: 0, total: 1 },
  },
});

export const getExperimentSequences = defineOperation({
  id: 'get_experiment_sequences',
  method: 'GET',
  path: '/experiments/{experiment_id}/sequences',
  tag: 'sequences',
  summary: 'List the sequences of one experiment',
  effect: 'read',
  permission: 'sequence:list',
  params: ExperimentParams,
  list: sequenceFields,
  query: ListQuery({}),
  output: PageOf(SequenceListItem),
  failures: ['invalid_query', 'experiment_not_found'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    output: { items: [listed], count: 1, offset: 0, total: 1 },
  },
});

export const getSequenceInfo = defineOperation({
  id: 'get_sequence_info',
  method: 'GET',
  path: '/sequences/{sequence_id}',
  tag: 'sequences',
  summary: 'Read one sequence in full',
  effect: 'read',
  permission: 'sequence:read',
  params: Type.Object({
    sequence_id: Type.String({ format: 'uuid', description: 'id of an item of `list_sequences`' }),
  }),
  output: SequenceInfo,
  failures: ['sequence_not_found'],
  example: {
    params: { sequence_id: listed.id },
    output: {
      id: listed.id,
      name: 'design-1',
      aa_string: 'QVQLVESGGGLVQAGGSLRLSCAAS',
      length: 25,
      is_control: false,
      control: false,
      metadata: null,
      created_at: listed.created_at,
      experiment: {
        experiment_id: listed.experiment_id,
        experiment_code: 'DEMO-001-001',
        experiment_status: 'draft',
      },
    },
  },
});

export const addSequences = defineOperation({
  id: 'add_sequences',
  method: 'POST',
  path: '/sequences',
  tag: 'sequences',
  summary: 'Add sequences to a draft experiment',
  effect: 'reversible',
  permission: 'sequence:create',
  bodyBytesMax: LARGE_BODY_BYTES,
  bulk: ['sequences'],
  bodyMode: 'required',
  body: Type.Object(
    {
      experiment_code: Type.String({ description: 'experiment code or id' }),
      sequences: describe(NewSequences, `${SEQUENCES}; appended in this order`),
    },
    strict,
  ),
  success: 201,
  output: Type.Object({
    added_count: Type.Integer({ minimum: 0, description: 'number of sequences in the request' }),
    experiment_code: ExperimentCode,
    experiment_id: ExperimentId,
    sequence_ids: Type.Array(Uuid, { description: 'ids of the new sequences, in the order of the request' }),
    warnings: Type.Optional(Warnings),
    warning_groups: Type.Optional(WarningGroupList),
  }),
  failures: [
    'invalid_experiment',
    'unprocessable_experiment',
    'looks_like_dna',
    'too_many_sequences',
    'experiment_not_found',
    'experiment_not_editable',
    'experiment_closed',
    'duplicate_sequence_name',
  ],
  example: {
    body: {
      experiment_code: 'DEMO-001-001',
      sequences: [{ name: 'design-2', aa_string: 'QVQLVESGGGLVQAGGSLRLSCAAS' }],
    },
    output: {
      added_count: 1,
      experiment_code: 'DEMO-001-001',
      experiment_id: listed.experiment_id,
      sequence_ids: [listed.id],
    },
  },
});
