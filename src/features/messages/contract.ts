/**
 * This folder: what clients and the lab write to each other about an experiment. Not here: notes of staff, which clients
 * never read (`queue`).
 */
import {
  CreatedAt,
  ExperimentCode,
  ExperimentId,
  ExperimentParams,
  Id,
  OrganizationId,
  OrganizationName,
} from '#core/fields.ts';
import { defineList, defineMember } from '#core/list-item.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { Nullable, OneOf, strict, Type, Uuid } from '#core/schema.ts';

/** Who wrote a message. */
export const sides = ['client', 'lab'] as const;
export type Side = (typeof sides)[number];

const TEXT_LENGTH_MAX = 5_000;

/** Of messages `m`, their experiment `e`, the sequence `s` and the answer `a`; `$1` is the organization of the reader, null for the lab. */
const members = {
  id: defineMember(Id, 'm.id', '01980000-0000-7000-8000-000000000a01'),
  experiment_id: defineMember(ExperimentId, 'm.experiment_id', '01980000-0000-7000-8000-0000000000e1'),
  experiment_code: defineMember(ExperimentCode, 'e.code', 'DEMO-001-001'),
  result_id: defineMember(
    Nullable(Uuid, { description: 'the result that it is about; null for the whole experiment' }),
    'm.result_id',
    null,
  ),
  sequence_name: defineMember(
    Nullable(Type.String(), { description: 'name of the sequence of that result; null without one' }),
    's.name',
    null,
    false,
  ),
  side: defineMember(
    OneOf(sides, { description: 'who wrote it: the organization of the experiment, or the lab' }),
    'm.side',
    'lab',
  ),
  author: defineMember(
    Nullable(Type.String(), {
      description: 'address of the person; clients read those of their own people, and null for the lab',
    }),
    `case when $1::uuid is null or m.side = 'client' then m.author end`,
    null,
    { search: true },
  ),
  text: defineMember(
    Type.String({ description: 'as it was written' }),
    'm.text',
    'Both chains are expressed.',
    {
      search: true,
    },
  ),
  created_at: defineMember(CreatedAt, 'm.created_at', '2026-01-20T09:30:00.000Z'),
};

const LIST = { name: 'messages', key: 'id', defaultSort: 'created_at' };

export const messageList = defineList(LIST, members);
export const labMessageList = defineList(
  { ...LIST, defaultSort: '-created_at' },
  {
    ...members,
    author: { ...members.author, sample: 'staff@lab.example' },
    organization_id: defineMember(
      OrganizationId,
      'm.organization_id',
      '01980000-0000-7000-8000-0000000000b1',
    ),
    organization_name: defineMember(OrganizationName, 'o.name', 'Demo organization', { search: true }),
  },
  {
    is_answered: { kind: 'bool', sql: `(m.side = 'lab' or a.id is not null)` },
  },
);

const NewMessage = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: TEXT_LENGTH_MAX,
      pattern: '\\S',
      description:
        'what to say; @ and an address, or the part of it before its @, names a person, who gets a mail',
    }),
    result_id: Type.Optional(
      Nullable(Uuid, { description: 'the result that it is about; null or absent for the whole experiment' }),
    ),
  },
  strict,
);

const SentMessage = Type.Object({
  id: Id,
  created_at: CreatedAt,
  mentions: Type.Array(Type.String(), { description: 'addresses of the people whom the text names' }),
});

const params = { experiment_id: 'DEMO-001-001' };
const sent = { id: members.id.sample, created_at: members.created_at.sample, mentions: [] };

export const listMessages = defineOperation({
  id: 'list_messages',
  method: 'GET',
  path: '/experiments/{experiment_id}/messages',
  tag: 'messages',
  summary: 'List the messages of an experiment, oldest first',
  effect: 'read',
  permission: 'experiment:read',
  params: ExperimentParams,
  list: messageList.fields,
  query: ListQuery({}),
  output: PageOf(messageList.item),
  failures: ['experiment_not_found', 'invalid_query'],
  example: { params, output: { items: [messageList.sample], count: 1, offset: 0, total: 1 } },
});

export const sendMessage = defineOperation({
  id: 'send_message',
  method: 'POST',
  path: '/experiments/{experiment_id}/messages',
  tag: 'messages',
  summary: 'Write to the lab about an experiment or a result',
  description:
    'The staff of the lab and the members of your organization read it. A message is never changed.',
  effect: 'irrevocable',
  permission: 'experiment:update',
  params: ExperimentParams,
  bodyMode: 'required',
  body: NewMessage,
  success: 201,
  output: SentMessage,
  failures: ['experiment_not_found', 'result_not_found'],
  example: { params, body: { text: 'Which of the two chains carries the tag?' }, output: sent },
});

export const listLabMessages = defineOperation({
  id: 'list_lab_messages',
  method: 'GET',
  path: '/lab/messages',
  tag: 'lab-messages',
  summary: 'List the messages of all experiments, newest first',
  description: 'Filter by `is_answered` to find what waits for the lab, or by `experiment_code`.',
  effect: 'read',
  permission: 'lab:read',
  list: labMessageList.fields,
  query: ListQuery({}),
  output: PageOf(labMessageList.item),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(is_answered,false)' },
    output: { items: [{ ...labMessageList.sample, side: 'client' as const }], count: 1, offset: 0, total: 1 },
  },
});

export const sendLabMessage = defineOperation({
  id: 'send_lab_message',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/messages',
  tag: 'lab-messages',
  summary: 'Write to a client about an experiment or a result',
  description: 'The client reads it, without the name of its author. A message is never changed.',
  effect: 'irrevocable',
  permission: 'lab:run',
  params: ExperimentParams,
  bodyMode: 'required',
  body: NewMessage,
  success: 201,
  output: SentMessage,
  failures: ['experiment_not_found', 'result_not_found'],
  example: { params, body: { text: members.text.sample }, output: sent },
});
