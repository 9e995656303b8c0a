/**
 * This folder: the audit trail and its hash chain. Not here: what is recorded, which each operation says.
 */
import { Id } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, OneOf, Timestamp, Type, Uuid } from '#core/schema.ts';
import { allAuditFields, auditFields } from './list-fields.ts';
import { actorKinds } from './rules.ts';

const itemFields = {
  id: Id,
  created_at: describe(Timestamp, 'when it was done, UTC'),
  actor_kind: OneOf(actorKinds, {
    description:
      'a person, the background worker, the command line of the operator, or the payment processor',
  }),
  actor: Type.String({
    description: 'the actor in words: an e-mail address, or a name such as simulated lab',
  }),
  user_id: Nullable(Uuid, { description: 'the person; null where nobody signed in' }),
  token_id: Nullable(Uuid, { description: 'the token of the request; null without one' }),
  token_path: Type.Array(Uuid, { description: 'the token and its ancestors, from the root down' }),
  operation: Type.String({
    description: 'id of the operation, or a name for an action that is no operation',
  }),
  subject: Nullable(Type.String(), { description: 'id of the object that was changed; null without one' }),
  status: Type.Integer({ description: 'HTTP status of the answer' }),
  details: Nullable(Type.Object({}, { additionalProperties: true }), {
    description: 'further details, by operation; null without any',
  }),
  details_text: Nullable(Type.String(), { description: '`details` as the text that the hash covers' }),
  organization_id: Type.String({
    format: 'uuid',
    description:
      'whose chain it is in; the nil UUID where the change belongs to no organization but to the installation',
  }),
  request_id: Nullable(Type.String(), {
    description: 'as in the x-request-id header; null without a request',
  }),
  address: Nullable(Type.String(), { description: 'network address it came from; null without a request' }),
  position: Nullable(Type.Integer(), {
    description: 'position in the hash chain of the organization, from 1; null for the first seconds',
  }),
  prev_hash: Nullable(Type.String(), { description: 'hash of the entry before; null with `position`' }),
  hash: Nullable(Type.String(), {
    description: 'SHA-256 in hexadecimal over prev_hash and the content of this entry; null with `position`',
  }),
  hash_version: Type.Integer({
    description: 'formula of `hash`: 2, or 1 for entries of earlier versions of the service',
  }),
  sequence: Nullable(Type.Integer(), {
    description: 'a number that formula 1 covers; null where the formula does not need it',
  }),
};

export const AuditItem = Type.Object(itemFields);

export const LabAuditItem = Type.Object({
  ...itemFields,
  organization_name: Nullable(Type.String(), { description: 'its current name; null for the installation' }),
});

const entry = {
  id: '01980000-0000-7000-8000-000000001001',
  created_at: '2026-01-20T09:00:00.000Z',
  actor_kind: 'user' as const,
  actor: 'demo@example.org',
  user_id: '01980000-0000-7000-8000-000000000b02',
  token_id: '01980000-0000-7000-8000-000000000a01',
  token_path: ['01980000-0000-7000-8000-000000000a01'],
  operation: 'confirm_quote',
  subject: 'qt_01980000000070008000000000000d01',
  status: 200,
  details: null,
  request_id: 'req_01980000-0000-7000-8000-000000000c01',
  address: '192.0.2.7',
  position: 1,
  prev_hash: '0'.repeat(64),
  hash: '5d41402abc4b2a76b9719d911017c592ae2f2ac1b5d4c0c1a2d9a4f0e1c3b2a1',
  details_text: null,
  organization_id: '01980000-0000-7000-8000-0000000000b1',
  hash_version: 2,
  sequence: null,
};

export const listAudit = defineOperation({
  id: 'list_audit',
  method: 'GET',
  path: '/audit',
  tag: 'audit',
  summary: 'List who changed what in your organization',
  description:
    'One entry for every change. Entries are never edited or removed; each carries the hash of the one before it.',
  effect: 'read',
  permission: 'policy:read',
  list: auditFields,
  query: ListQuery({}),
  output: PageOf(AuditItem),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(operation,confirm_quote)', sort: 'desc(created_at)' },
    output: { items: [entry], count: 1, offset: 0, total: 1 },
  },
});

export const listAllAudit = defineOperation({
  id: 'list_all_audit',
  method: 'GET',
  path: '/lab/audit',
  tag: 'audit',
  summary: 'List who changed what in every organization, and in the installation itself',
  effect: 'read',
  permission: 'lab:read',
  list: allAuditFields,
  query: ListQuery({}),
  output: PageOf(LabAuditItem),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(actor_kind,operator)' },
    output: {
      items: [
        {
          ...entry,
          organization_name: 'Demo organization',
        },
      ],
      count: 1,
      offset: 0,
      total: 1,
    },
  },
});
