/** Operations with which an organization requests a target that the catalog lacks. */
import { CreatedAt, UpdatedAt, defineTextUpTo } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation, LARGE_BODY_BYTES } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type, Uuid, type Static } from '#core/schema.ts';
import { targetRequestFields } from './list-fields.ts';

const NAME_LENGTH_MAX = 200;
const URL_LENGTH_MAX = 2_000;
const NOTE_LENGTH_MAX = 10_000;
const SEQUENCE_LENGTH_MAX = 20_000;
const PDB_FILE_LENGTH_MAX = 8_000_000;

export const CustomTargetRequestStatus = OneOf(['pending_review', 'approved', 'rejected'], {
  description: 'whether the lab has approved or rejected the request',
});

export const CreateCustomTargetRequest = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, description: 'your name of the protein' }),
    product_id: Type.String({
      minLength: 1,
      maxLength: NAME_LENGTH_MAX,
      description: 'product number of the vendor, or your own; each can be requested once',
    }),
    vendor: defineTextUpTo(NAME_LENGTH_MAX, 'vendor of the protein'),
    product_url: defineTextUpTo(URL_LENGTH_MAX, 'http or https address of the product'),
    sequence: defineTextUpTo(
      SEQUENCE_LENGTH_MAX,
      'amino acids in single letters; chains are separated by ":"',
    ),
    pdb_id: defineTextUpTo(20, 'entry of the Protein Data Bank, such as 1IVO'),
    pdb_file: defineTextUpTo(
      PDB_FILE_LENGTH_MAX,
      'structure file, PDB or mmCIF, as text or in base64; kept as text',
    ),
    molecular_weight: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['number', 'null'],
        exclusiveMinimum: 0,
        maximum: 1_000_000,
        description: 'in kDa',
      }),
    ),
    note: defineTextUpTo(NOTE_LENGTH_MAX, 'note for the lab'),
  },
  strict,
);
export type CreateCustomTargetRequest = Static<typeof CreateCustomTargetRequest>;

const RequestId = describe(Uuid, 'id for `get_custom_target_request`');
const Name = Type.String({ description: 'name of the protein, as requested' });
const ProductId = Type.String({ description: 'product number, as requested' });
const Status = describe(CustomTargetRequestStatus, 'whether the lab has approved or rejected the request');

export const CreateCustomTargetResponse = Type.Object({
  id: RequestId,
  status: Status,
  created_at: CreatedAt,
});

const createOptionalText = (description: string) => Type.Optional(Nullable(Type.String(), { description }));

export const CustomTargetRequestItem = Type.Object({
  id: RequestId,
  name: Name,
  product_id: ProductId,
  status: Status,
  experiment_id: Nullable(Uuid, {
    description: 'experiment that requested the target; null for a separate request',
  }),
  material_id: createOptionalText('id of the target it became; null until it is approved'),
  lead_time_days: Nullable(Type.Integer(), {
    description: 'days from the order until the antigen is in the lab; null until approved',
  }),
  answer: Nullable(Type.String(), {
    description: 'text of the lab with its approval or rejection; null without one',
  }),
  answered_at: Nullable(Timestamp, {
    description: 'UTC time of the approval or rejection; null before that',
  }),
  created_at: CreatedAt,
});

export const CustomTargetRequestInfo = Type.Object({
  ...CustomTargetRequestItem.properties,
  vendor: createOptionalText('vendor; null where none was given'),
  product_url: createOptionalText('address of the product; null where none was given'),
  sequence: createOptionalText('amino acids in single letters; chains are separated by ":"'),
  pdb_id: createOptionalText('entry of the Protein Data Bank, such as 1IVO'),
  pdb_file: createOptionalText('text of a structure file, PDB or mmCIF'),
  molecular_weight: Type.Optional(Nullable(Type.Number(), { description: 'in kDa' })),
  note: createOptionalText('note for the lab'),
  updated_at: UpdatedAt,
});

const item = {
  id: '01980000-0000-7000-8000-000000000101',
  name: 'EGFR extracellular domain, his-tagged',
  product_id: 'TARGET-0001',
  status: 'pending_review' as const,
  experiment_id: null,
  material_id: null,
  lead_time_days: null,
  answer: null,
  answered_at: null,
  created_at: '2026-01-20T09:00:00.000Z',
};
const { id, status, created_at: createdAt } = item;
const requested = {
  name: item.name,
  product_id: item.product_id,
  vendor: 'A vendor of antigens',
  product_url: 'https://vendor.example/TARGET-0001',
  pdb_id: '1IVO',
  note: 'Biotinylated if there is a choice.',
};

export const requestExample = { item, asked: requested };

export const listCustomTargetRequests = defineOperation({
  id: 'list_custom_target_requests',
  method: 'GET',
  path: '/targets/request-custom',
  tag: 'custom-targets',
  summary: 'List the target requests of your organization',
  effect: 'read',
  permission: 'target:list',
  list: targetRequestFields,
  query: ListQuery({}),
  output: PageOf(CustomTargetRequestItem),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(status,pending_review)', sort: 'desc(created_at)' },
    output: { items: [item], count: 1, offset: 0, total: 1 },
  },
});

export const createCustomTargetRequest = defineOperation({
  id: 'create_custom_target_request',
  method: 'POST',
  path: '/targets/request-custom',
  tag: 'custom-targets',
  summary: 'Request a target that the catalog does not have',
  description:
    'At least one of `sequence`, `pdb_id` and `pdb_file` says what the protein is. The lab reviews the request. An approved one becomes a target, named by `material_id`.',
  effect: 'reversible',
  permission: 'target:create',
  bodyBytesMax: LARGE_BODY_BYTES,
  bodyMode: 'required',
  body: CreateCustomTargetRequest,
  success: 201,
  output: CreateCustomTargetResponse,
  failures: ['invalid_request'],
  example: { body: requested, output: { id, status, created_at: createdAt } },
});

export const getCustomTargetRequest = defineOperation({
  id: 'get_custom_target_request',
  method: 'GET',
  path: '/targets/request-custom/{request_id}',
  tag: 'custom-targets',
  summary: 'Read one target request',
  effect: 'read',
  permission: 'target:read',
  params: Type.Object({
    request_id: Type.String({
      format: 'uuid',
      description: 'id of an item of `list_custom_target_requests`',
    }),
  }),
  output: CustomTargetRequestInfo,
  failures: ['custom_target_request_not_found'],
  example: {
    params: { request_id: id },
    output: {
      ...item,
      ...requested,
      updated_at: createdAt,
    },
  },
});
