/**
 * This folder: the feed that tells clients what happened. Not here: what happens.
 */
import {
  Currency,
  ExperimentCode,
  ExperimentId,
  OrganizationId,
  OrganizationName,
  ExperimentParams,
} from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { describe, Nullable, OneOf, Timestamp, Type, Uuid, type Static, type TSchema } from '#core/schema.ts';
import { experimentUpdateFields, updateFields, sharedUpdateFields } from './list-fields.ts';
import { actorKinds, eventTypes, RESULT_IDS_MAX, updateTypes } from './types.ts';

const Values = Nullable(Type.Record(Type.String(), Nullable(Type.String())), {
  description: 'values by the names of their fields',
});

export const UpdateItem = Type.Object({
  id: describe(Uuid, 'never changes, and sorts like `sequence`'),
  sequence: Type.Integer({ description: 'place in the feed of the organization: 1, 2, 3, … without gaps' }),
  experiment_id: ExperimentId,
  experiment_code: ExperimentCode,
  name: Type.String({ description: 'title of the update' }),
  description: Type.Optional(Nullable(Type.String(), { description: 'details in words; null without any' })),
  type: OneOf(updateTypes, {
    description: 'topic; only `status_change` changes the status of the experiment',
  }),
  event_type: OneOf(eventTypes, { description: 'what happened, from the catalog of the guide' }),
  schema_version: Type.Integer({ description: 'version of the form of this item' }),
  previous_status: Type.Optional(
    Nullable(Type.String(), {
      description: 'previous status; null unless it changed, and at the creation',
    }),
  ),
  status: Type.Optional(Nullable(Type.String(), { description: 'new status; null unless it changed' })),
  quote_id: Type.Optional(Nullable(Type.String(), { description: 'the quote that it is about' })),
  quote_number: Type.Optional(
    Nullable(Type.String(), {
      description: 'printed on the document, such as Q-2026-00001; null without a quote',
    }),
  ),
  invoice_id: Type.Optional(Nullable(Uuid, { description: 'the invoice that it is about' })),
  invoice_number: Type.Optional(
    Nullable(Type.String(), {
      description: 'printed on the document; null without an invoice, and for a draft',
    }),
  ),
  credit_note_number: Type.Optional(
    Nullable(Type.String(), { description: 'printed on the document; null unless money goes back' }),
  ),
  result_ids: Type.Optional(
    Nullable(Type.Array(Uuid), { description: `the results that it is about; at most ${RESULT_IDS_MAX}` }),
  ),
  result_count: Type.Optional(Nullable(Type.Integer(), { description: 'number of all these results' })),
  results_version: Type.Optional(
    Nullable(Type.Integer(), {
      description: '1 for the first analysis, and one more for each that followed',
    }),
  ),
  amount_cents: Type.Optional(
    Nullable(Type.Integer(), { description: 'the money that it is about, taxes included; null without one' }),
  ),
  currency: Type.Optional(Nullable(Currency, { description: 'currency of the amount' })),
  previous_values: Type.Optional(Values),
  new_values: Type.Optional(Values),
  actor: Type.Optional(
    Nullable(
      Type.Object({
        kind: OneOf(actorKinds, {
          description: 'who acted: your organization, the lab, or the service itself',
        }),
        name: Nullable(Type.String(), {
          description: 'address of a person of your organization; null otherwise',
        }),
      }),
      { description: 'who made it happen; null for updates from before this was recorded' },
    ),
  ),
  eta: Type.Optional(
    Nullable(Timestamp, { description: 'when the results were expected then, UTC; null where nothing was' }),
  ),
  timestamp: describe(Timestamp, 'when it happened, UTC'),
});
export type UpdateItem = Static<typeof UpdateItem>;

/** The response of a feed: every page has a cursor. */
export function FeedPageOf<Item extends TSchema>(item: Item) {
  return Type.Object({
    items: Type.Array(item, { description: 'this page, in the order that `sort` asks for' }),
    count: Type.Integer({ description: 'number of items in this response' }),
    offset: Type.Integer({ description: 'items skipped before this page; 0 after a cursor' }),
    total: Type.Integer({ description: 'number of matching items; after a cursor those of its round' }),
    next: Type.String({
      description:
        'opaque cursor, on the last and the empty page too: it goes on with this round, and after its last page with what happened since; nothing is missed or repeated',
    }),
  });
}

export const exampleUpdate = {
  id: '01980000-0000-7000-8000-0000000000d1',
  sequence: 4,
  experiment_id: '01980000-0000-7000-8000-0000000000e1',
  experiment_code: 'DEMO-001-001',
  name: 'Quote accepted',
  description: null,
  type: 'status_change' as const,
  event_type: 'experiment.status_changed' as const,
  schema_version: 1,
  previous_status: 'quote_sent',
  status: 'waiting_for_materials',
  previous_values: { status: 'quote_sent' },
  new_values: { status: 'waiting_for_materials' },
  actor: { kind: 'client' as const, name: 'scientist@client.example' },
  eta: '2026-03-06T16:00:00.000Z',
  timestamp: '2026-01-20T09:10:00.000Z',
};

export const exampleNext = 'opaque-cursor';

export const listUpdates = defineOperation({
  id: 'list_updates',
  method: 'GET',
  path: '/updates',
  tag: 'updates',
  summary: 'List all updates, newest first',
  description:
    'Made for polling: filter by `experiment_id` (id or code; eq, in), `type` or `event_type`, and go on from `next`.',
  effect: 'read',
  permission: 'update:list',
  list: updateFields,
  query: ListQuery({}),
  output: FeedPageOf(UpdateItem),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(type,status_change)' },
    output: { items: [exampleUpdate], count: 1, offset: 0, total: 1, next: exampleNext },
  },
});

export const getExperimentUpdates = defineOperation({
  id: 'get_experiment_updates',
  method: 'GET',
  path: '/experiments/{experiment_id}/updates',
  tag: 'updates',
  summary: 'List the updates of one experiment, oldest first',
  effect: 'read',
  permission: 'update:list',
  params: ExperimentParams,
  list: experimentUpdateFields,
  query: ListQuery({}),
  output: FeedPageOf(UpdateItem),
  failures: ['invalid_query', 'experiment_not_found'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    output: { items: [exampleUpdate], count: 1, offset: 0, total: 1, next: exampleNext },
  },
});

/** What every stream takes; `list` is the operation that lists the same updates. */
export function streamQuery(list: string) {
  return {
    cursor: Type.Optional(
      Type.String({ description: `the last \`next\` of \`${list}\` with the same filter, in any order` }),
    ),
    filter: Type.Optional(Type.String({ description: `condition over the updates, as in \`${list}\`` })),
    search: Type.Optional(Type.String({ description: 'case-insensitive substring of the name fields' })),
    follow: Type.Optional(
      Type.Boolean({ description: 'false: end after the updates that are there already; default true' }),
    ),
  };
}

export const streamUpdates = defineOperation({
  id: 'stream_updates',
  method: 'GET',
  path: '/updates/stream',
  tag: 'updates',
  summary: 'Follow the updates as they happen, as server-sent events',
  description:
    'Each event has an item of `list_updates` as its data, and its `id`. Begins with what happens next; with the header `Last-Event-ID`, or with the last `next` of a list of the same filter, with what happened after it. Ends when the token is no longer valid.',
  effect: 'read',
  permission: 'update:list',
  isTool: false,
  query: Type.Object(
    {
      ...streamQuery('list_updates'),
      experiment_id: Type.Optional(
        Type.String({ description: 'experiment id or code; only the updates of this experiment' }),
      ),
    },
    { additionalProperties: true },
  ),
  output: Type.String({ description: 'server-sent events' }),
  media: ['text/event-stream'],
  failures: ['invalid_query', 'experiment_not_found'],
  example: { query: { filter: 'eq(type,status_change)' } },
});

export const getUpdate = defineOperation({
  id: 'get_update',
  method: 'GET',
  path: '/updates/{update_id}',
  tag: 'updates',
  summary: 'Read one update',
  effect: 'read',
  permission: 'update:read',
  params: Type.Object({
    update_id: Type.String({ format: 'uuid', description: '`id` of an item of a feed' }),
  }),
  output: UpdateItem,
  failures: ['update_not_found'],
  example: { params: { update_id: exampleUpdate.id }, output: exampleUpdate },
});

/** Feeds over several organizations: of the lab, and of a partner's clients. */

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
