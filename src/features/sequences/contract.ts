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

const WantedColumn = (what: string) =>
  Type.Optional(Type.String({ description: `header of the column of ${what}; found when absent` }));
const FILES_MAX = 20;

const DesignFile = Type.Object(
  {
    name: Type.String({ maxLength: 300, description: 'name of the file, which problems name' }),
    text: Type.Optional(
      Type.String({ description: 'its text: FASTA, or a table separated by comma, semicolon or tab' }),
    ),
    base64: Type.Optional(
      Type.String({ description: 'its bytes in base64, in place of `text`: also an xlsx workbook' }),
    ),
    columns: Type.Optional(
      Type.Object(
        {
          name: WantedColumn('names'),
          sequence: WantedColumn('amino acids'),
          control: WantedColumn('marks of controls'),
        },
        { ...strict, description: 'columns of a table that are not found by their headers or cells' },
      ),
    ),
  },
  strict,
);

const CheckedDesign = Type.Object({
  name: Type.String({ description: 'as the file has it, or made of the file and the line' }),
  aa_string: Type.String({
    description: 'amino acids as an order takes them; as written where `valid` is false',
  }),
  control: IsControl,
  metadata: AnyMetadata,
  file: Type.String({ description: 'name of its file, with the sheet of a workbook of several' }),
  line: Type.Integer({ description: 'its line in the file, or row in the sheet, from 1' }),
  valid: Type.Boolean({ description: 'false: `problems` says what is wrong with it' }),
  length: Length,
  chain_lengths: Type.Array(Type.Integer(), { description: 'residues of each chain' }),
  checks: Type.Array(
    Type.Object({
      rule: Type.String({ description: 'name of the rule, such as cysteine_odd' }),
      message: Type.String({ description: 'what was found, in words' }),
    }),
    { description: 'advice about it; none stops an order' },
  ),
  earlier: Type.Array(
    Type.Object({
      experiment_code: ExperimentCode,
      name: defineText('name of the sequence there'),
    }),
    { description: 'the latest experiment of the organization with the same sequence; empty without one' },
  ),
});

const DesignProblem = Type.Object({
  file: Type.String({ description: 'name of the file' }),
  line: Type.Integer({ description: 'line of the file, or row of the sheet, from 1' }),
  column: Nullable(Type.String(), { description: 'header of the column; null where there is none' }),
  sequence: Nullable(Type.String(), { description: 'name of the design; null where the row is meant' }),
  kind: OneOf(['unreadable', 'form', 'content', 'dna'], {
    description:
      'unreadable: nothing of the row can be ordered; dna: it can be translated; else of its name or letters',
  }),
  message: Type.String({ description: 'what is wrong, in words' }),
});

const ReadFile = Type.Object({
  name: Type.String({ description: 'name of the file, with the sheet of a workbook of several' }),
  format: OneOf(['fasta', 'table'], { description: 'as what it was read' }),
  header: Type.Array(Type.String(), { description: 'headers of a table, in their order' }),
  columns: Type.Record(Type.String(), Type.String(), {
    description: 'from the meaning (name, sequence, heavy, light, control …) to the header that was taken',
  }),
  design_count: Type.Integer({ description: 'number of designs that were read' }),
});

export const checkDesigns = defineOperation({
  id: 'check_designs',
  method: 'POST',
  path: '/sequences/check',
  tag: 'sequences',
  summary: 'Read designs from files and check them, without storing anything',
  description:
    'Takes FASTA (also of ProteinMPNN and LigandMPNN), CSV, TSV and xlsx, several at once. Columns are found by their headers, such as `Design` and `Sequence` or `sequence_id` and `sequence_alignment_aa`, and by what their cells hold. The answer names everything that is wrong at once, and which designs were ordered before.',
  effect: 'read',
  permission: 'sequence:list',
  bodyBytesMax: LARGE_BODY_BYTES,
  bodyMode: 'required',
  body: Type.Object(
    {
      files: Type.Array(DesignFile, { minItems: 1, maxItems: FILES_MAX, description: 'read in this order' }),
      translate: Type.Optional(Type.Boolean({ description: 'true translates what is DNA' })),
      except: Type.Optional(
        Type.String({ description: 'code of an experiment whose own sequences do not count as `earlier`' }),
      ),
    },
    strict,
  ),
  output: Type.Object({
    designs: Type.Array(CheckedDesign, { description: 'in the order of files and lines' }),
    problems: Type.Array(DesignProblem, { description: 'by file and line; empty: all can be ordered' }),
    files: Type.Array(ReadFile, { description: 'how each file, or sheet, was read' }),
    notes: Type.Array(Type.String(), { description: 'what was done beside reading, in words' }),
    warnings: Warnings,
    warning_groups: WarningGroupList,
  }),
  failures: ['invalid_request', 'too_many_sequences'],
  example: {
    body: { files: [{ name: 'designs.csv', text: 'Design,Sequence\ndesign-1,QVQLVESGGGLVQAGGSLRLSCAAS\n' }] },
    output: {
      designs: [
        {
          name: 'design-1',
          aa_string: 'QVQLVESGGGLVQAGGSLRLSCAAS',
          control: false,
          metadata: null,
          file: 'designs.csv',
          line: 2,
          valid: true,
          length: 25,
          chain_lengths: [25],
          checks: [],
          earlier: [],
        },
      ],
      problems: [],
      files: [
        {
          name: 'designs.csv',
          format: 'table',
          header: ['Design', 'Sequence'],
          columns: { name: 'Design', sequence: 'Sequence' },
          design_count: 1,
        },
      ],
      notes: [],
      warnings: [],
      warning_groups: [],
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
