/**
 * This folder: the feed that tells clients what happened. Not here: what happens.
 */
import { ExperimentCode, ExperimentId } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, OneOf, Timestamp, Type, Uuid, type Static } from '#core/schema.ts';
import { experimentUpdateFields, updateFields } from './list-fields.ts';
import { updateTypes } from './types.ts';

export const UpdateItem = Type.Object({
  id: describe(Uuid, 'never changes, so a reader can skip the updates it has seen'),
  experiment_id: ExperimentId,
  experiment_code: ExperimentCode,
  name: Type.String({ description: 'title of the update' }),
  description: Type.Optional(Nullable(Type.String(), { description: 'details in words; null without' })),
  type: OneOf(updateTypes, {
    description: 'topic; only `status_change` changes the status of the experiment',
  }),
  previous_status: Type.Optional(
    Nullable(Type.String(), {
      description: 'previous status; null unless it changed, and at the creation',
    }),
  ),
  status: Type.Optional(Nullable(Type.String(), { description: 'new status; null unless it changed' })),
  timestamp: describe(Timestamp, 'when it happened, UTC'),
});
export type UpdateItem = Static<typeof UpdateItem>;

const example = {
  id: '01980000-0000-7000-8000-0000000000d1',
  experiment_id: '01980000-0000-7000-8000-0000000000e1',
  experiment_code: 'DEMO-001-001',
  name: 'Quote accepted',
  description: null,
  type: 'status_change' as const,
  previous_status: 'quote_sent',
  status: 'waiting_for_materials',
  timestamp: '2026-01-20T09:10:00.000Z',
};

export const listUpdates = defineOperation({
  id: 'list_updates',
  method: 'GET',
  path: '/updates',
  tag: 'updates',
  summary: 'List all updates, newest first',
  description: 'Made for polling: filter by `experiment_id` (eq, in) or by `type`.',
  effect: 'read',
  permission: 'update:list',
  list: updateFields,
  query: ListQuery({}),
  output: PageOf(UpdateItem),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(type,status_change)' },
    output: { items: [example], count: 1, offset: 0, total: 1 },
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
  params: Type.Object({ experiment_id: Type.String({ description: 'experiment id or code' }) }),
  list: experimentUpdateFields,
  query: ListQuery({}),
  output: PageOf(UpdateItem),
  failures: ['invalid_query', 'experiment_not_found'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    output: { items: [example], count: 1, offset: 0, total: 1 },
  },
});
