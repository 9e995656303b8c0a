/** Operations with which the lab reads and answers all organizations' requests for targets. */
import { OrganizationName } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, strict, Type, Uuid, type Static } from '#core/schema.ts';
import { TargetPricing } from './contract.ts';
import { labTargetRequestFields } from './list-fields.ts';
import { CustomTargetRequestInfo, CustomTargetRequestItem, requestExample } from './request-contract.ts';

const ANSWER_LENGTH_MAX = 2_000;
const TEXT_LENGTH_MAX = 200;
const LEAD_TIME_DAYS_MAX = 730;

const organizationFields = {
  organization_id: describe(Uuid, 'organization that asked'),
  organization_name: OrganizationName,
};
const LabTargetRequestItem = Type.Object({ ...CustomTargetRequestItem.properties, ...organizationFields });
const LabTargetRequestInfo = Type.Object({ ...CustomTargetRequestInfo.properties, ...organizationFields });

const params = Type.Object({
  request_id: Type.String({ format: 'uuid', description: 'id of an item of `list_lab_target_requests`' }),
});
const defineLine = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: TEXT_LENGTH_MAX, description }));

const NewCustomTarget = Type.Object(
  {
    name: defineLine('the name in the request unless given'),
    vendor_name: defineLine('the vendor in the request unless given'),
    catalog_number: defineLine('the product id in the request unless given'),
    uniprot_id: defineLine('accession, such as P00533'),
    organism: defineLine('such as Homo sapiens'),
    description: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: ANSWER_LENGTH_MAX,
        description: 'what the protein is, in words',
      }),
    ),
    purity: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, description: 'percent, as the vendor states it' }),
    ),
    pricing: Type.Optional(
      Nullable(TargetPricing, { description: 'price of the antigen; null or absent: quoted by hand' }),
    ),
    control_kd_m: Type.Optional(
      Nullable(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }), {
        description:
          'known KD in M of the positive control that the lab measures beside the target; clients do not see it',
      }),
    ),
    listed_for_everyone: Type.Optional(
      Type.Boolean({
        description: 'true adds it to the catalog of all organizations; false by default',
      }),
    ),
  },
  strict,
);

export const ApproveTargetRequest = Type.Object(
  {
    target_id: Type.Optional(Type.String({ format: 'uuid', description: 'a target that exists already' })),
    target: Type.Optional(
      describe(NewCustomTarget, 'a new target, in place of `target_id`; empty: as it was requested'),
    ),
    lead_time_days: Type.Integer({
      minimum: 0,
      maximum: LEAD_TIME_DAYS_MAX,
      description: 'days until the antigen is in the lab',
    }),
    note: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: ANSWER_LENGTH_MAX,
        description: 'text that the client reads as `answer`',
      }),
    ),
  },
  strict,
);
export type ApproveTargetRequest = Static<typeof ApproveTargetRequest>;

const { item, asked } = requestExample;
const owner = {
  organization_id: '01980000-0000-7000-8000-0000000000b1',
  organization_name: 'Demo organization',
};
const pending = {
  ...item,
  ...asked,
  ...owner,
  updated_at: item.created_at,
};
const ANSWERED_AT = '2026-01-22T09:00:00.000Z';
const answered = { answered_at: ANSWERED_AT, updated_at: ANSWERED_AT };

export const listLabTargetRequests = defineOperation({
  id: 'list_lab_target_requests',
  method: 'GET',
  path: '/lab/target-requests',
  tag: 'custom-targets',
  summary: 'List the target requests of all organizations',
  effect: 'read',
  permission: 'lab:read',
  list: labTargetRequestFields,
  query: ListQuery({}),
  output: PageOf(LabTargetRequestItem),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(status,pending_review)', sort: 'asc(created_at)' },
    output: { items: [{ ...item, ...owner }], count: 1, offset: 0, total: 1 },
  },
});

export const getLabTargetRequest = defineOperation({
  id: 'get_lab_target_request',
  method: 'GET',
  path: '/lab/target-requests/{request_id}',
  tag: 'custom-targets',
  summary: 'Read a target request of any organization',
  effect: 'read',
  permission: 'lab:read',
  params,
  output: LabTargetRequestInfo,
  failures: ['custom_target_request_not_found'],
  example: { params: { request_id: item.id }, output: pending },
});

export const approveTargetRequest = defineOperation({
  id: 'approve_target_request',
  method: 'POST',
  path: '/lab/target-requests/{request_id}/approve',
  tag: 'custom-targets',
  summary: 'Approve a target request with a new target or one of the catalog',
  description:
    'A new target belongs to the organization that asked, unless `listed_for_everyone` is set. The experiment that asked for it uses it from then on: its price is calculated again, and if it waits for a quote and the price is complete, the quote is sent.',
  effect: 'irrevocable',
  permission: 'lab:price',
  params,
  bodyMode: 'required',
  body: ApproveTargetRequest,
  output: LabTargetRequestInfo,
  failures: [
    'invalid_request',
    'custom_target_request_not_found',
    'custom_target_request_answered',
    'target_not_found',
    'target_exists',
  ],
  example: {
    params: { request_id: item.id },
    body: {
      target: { uniprot_id: 'P00533', pricing: { type: 'per_sequence', price_per_sequence_cents: 900 } },
      lead_time_days: 14,
      note: 'We buy the biotinylated form.',
    },
    output: {
      ...pending,
      ...answered,
      status: 'approved',
      material_id: '01980000-0000-7000-8000-000000000001',
      lead_time_days: 14,
      answer: 'We buy the biotinylated form.',
    },
  },
});

export const declineTargetRequest = defineOperation({
  id: 'decline_target_request',
  method: 'POST',
  path: '/lab/target-requests/{request_id}/decline',
  tag: 'custom-targets',
  summary: 'Reject a target request, with the reason',
  effect: 'irrevocable',
  permission: 'lab:price',
  params,
  bodyMode: 'required',
  body: Type.Object(
    {
      reason: Type.String({
        minLength: 1,
        maxLength: ANSWER_LENGTH_MAX,
        description: 'text that the client reads as `answer` and in the updates',
      }),
    },
    strict,
  ),
  output: LabTargetRequestInfo,
  failures: ['invalid_request', 'custom_target_request_not_found', 'custom_target_request_answered'],
  example: {
    params: { request_id: item.id },
    body: { reason: 'Nobody sells it, and we do not express membrane proteins.' },
    output: {
      ...pending,
      ...answered,
      status: 'rejected',
      answer: 'Nobody sells it, and we do not express membrane proteins.',
    },
  },
});
