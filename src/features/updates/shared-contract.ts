/** Feeds over several organizations: of the lab, and of a partner's clients. */
import { OrganizationId, OrganizationName } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { Type } from '#core/schema.ts';
import { exampleNext, exampleUpdate, FeedPageOf, streamQuery, UpdateItem } from './contract.ts';
import { sharedUpdateFields } from './list-fields.ts';

const SharedUpdateItem = Type.Object({
  ...UpdateItem.properties,
  organization_id: OrganizationId,
  organization_name: OrganizationName,
});

const example = {
  ...exampleUpdate,
  organization_id: '01980000-0000-7000-8000-0000000000b1',
  organization_name: 'Demo organization',
};
const output = { items: [example], count: 1, offset: 0, total: 1, next: exampleNext };

export const listAllUpdates = defineOperation({
  id: 'list_all_updates',
  method: 'GET',
  path: '/lab/updates',
  tag: 'updates',
  summary: 'List the updates of every organization, newest first',
  effect: 'read',
  permission: 'lab:read',
  list: sharedUpdateFields,
  query: ListQuery({}),
  output: FeedPageOf(SharedUpdateItem),
  failures: ['invalid_query'],
  example: { query: { filter: 'eq(event_type,invoice.paid)' }, output },
});

export const streamAllUpdates = defineOperation({
  id: 'stream_all_updates',
  method: 'GET',
  path: '/lab/updates/stream',
  tag: 'updates',
  summary: 'Follow the updates of every organization as they happen, as server-sent events',
  description:
    'As `stream_updates`, with the items of `list_all_updates`. Besides, whatever the filter, an event `lab_changed` without an id says that staff changed something or a client requested a target, with the operation and the time as its data.',
  effect: 'read',
  permission: 'lab:read',
  isTool: false,
  query: Type.Object(streamQuery('list_all_updates'), { additionalProperties: true }),
  output: Type.String({ description: 'server-sent events' }),
  media: ['text/event-stream'],
  failures: ['invalid_query'],
  example: { query: { filter: 'eq(event_type,invoice.paid)' } },
});

export const listPartnerUpdates = defineOperation({
  id: 'list_partner_updates',
  method: 'GET',
  path: '/partners/updates',
  tag: 'updates',
  summary: 'List the updates of the organizations for which you minted a token, newest first',
  effect: 'read',
  permission: 'partner:list',
  list: sharedUpdateFields,
  query: ListQuery({}),
  output: FeedPageOf(SharedUpdateItem),
  failures: ['invalid_query'],
  example: { query: { filter: 'eq(type,results)' }, output },
});
