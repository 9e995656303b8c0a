import { ListQuery } from '#core/list-query.ts';
import { defineOperation, LARGE_BODY_BYTES } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { Nullable, OneOf, strict, Timestamp, Type, Uuid, type Static } from '#core/schema.ts';
import { sequenceFields } from './list-fields.ts';

/** Length is checked by rules.ts, which names the sequence; here it is published for the reader of the document. */
export const AAString = Type.String({
  description:
    'amino acids in single-letter form (ACDEFGHIKLMNPQRSTVWY), chains separated by ":"; stored in upper case',
});

export const SequenceMetadata = Type.Object(
  {
    type: Type.Optional(
      Nullable(OneOf(['ScFv', 'FAB', 'SingleChain', 'IgG', 'sc_fv', 'fab', 'single_chain', 'igg'])),
    ),
    VH: Type.Optional(Nullable(Type.String())),
    VL: Type.Optional(Nullable(Type.String())),
    linker: Type.Optional(Nullable(Type.String({ description: 'default GGGGSGGGGSGGGGS for ScFv' }))),
    tag_location: Type.Optional(Nullable(OneOf(['N', 'C']))),
    chain_order: Type.Optional(Nullable(Type.Array(Type.String(), { maxItems: 8 }))),
    framework_regions: Type.Optional(
      Nullable(
        Type.Object(
          { ch: Type.Optional(Nullable(Type.String())), cl: Type.Optional(Nullable(Type.String())) },
          strict,
        ),
      ),
    ),
  },
  strict,
);
export type SequenceMetadata = Static<typeof SequenceMetadata>;

export const SequenceInput = Type.Object(
  {
    aa_string: AAString,
    control: Type.Optional(Type.Boolean()),
    metadata: Type.Optional(Nullable(SequenceMetadata)),
  },
  strict,
);

export const SequenceValue = Type.Union([AAString, SequenceInput]);
export type SequenceValue = Static<typeof SequenceValue>;

export const SequenceEntry = Type.Object(
  {
    aa_string: AAString,
    control: Type.Optional(Type.Boolean()),
    metadata: Type.Optional(Nullable(SequenceMetadata)),
    name: Type.Optional(Nullable(Type.String())),
  },
  strict,
);
export type SequenceEntry = Static<typeof SequenceEntry>;

export const SequenceListItem = Type.Object({
  id: Uuid,
  experiment_id: Uuid,
  experiment_code: Type.String(),
  name: Type.Optional(Nullable(Type.String())),
  is_control: Type.Boolean(),
  length: Type.Integer({ minimum: 0 }),
  aa_preview: Type.Optional(Nullable(Type.String({ description: 'the first residues' }))),
  created_at: Timestamp,
});

export const SequenceInfo = Type.Object({
  id: Uuid,
  name: Type.Optional(Nullable(Type.String())),
  aa_string: Type.Optional(Nullable(Type.String())),
  length: Type.Integer({ minimum: 0 }),
  is_control: Type.Boolean(),
  control: Type.Boolean(),
  metadata: Type.Optional(Nullable(Type.Unknown())),
  created_at: Timestamp,
  experiment: Type.Object({
    experiment_id: Uuid,
    experiment_code: Type.String(),
    experiment_status: Type.Optional(Nullable(Type.String())),
  }),
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
  query: ListQuery({ experiment_id: Type.Optional(Type.String({ description: 'experiment id or code' })) }),
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
  params: Type.Object({ experiment_id: Type.String({ description: 'experiment id or code' }) }),
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
  params: Type.Object({ sequence_id: Type.String({ format: 'uuid', description: 'sequence id' }) }),
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
      sequences: Type.Array(SequenceEntry, { minItems: 1 }),
    },
    strict,
  ),
  success: 201,
  output: Type.Object({
    added_count: Type.Integer({ minimum: 0 }),
    experiment_code: Type.String(),
    experiment_id: Uuid,
    sequence_ids: Type.Array(Uuid),
    warnings: Type.Optional(Type.Array(Type.String())),
  }),
  failures: [
    'invalid_experiment',
    'unprocessable_experiment',
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
