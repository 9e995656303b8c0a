/** Operations on deliveries: what was sent, what came back, and sending it again. */
import { WebhookParams } from './contract.ts';
import { CreatedAt, ExperimentId } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type, Uuid } from '#core/schema.ts';
import { deliveryFields, webhookDeliveryFields } from './list-fields.ts';
import { deliveryStatuses } from './rules.ts';
import { signers } from './sealed.ts';

const Delivery = Type.Object({
  id: describe(Uuid, 'the same in every attempt, and in the header of the delivery'),
  webhook_id: Nullable(Uuid, { description: 'its endpoint; null for the address of an experiment' }),
  experiment_id: Nullable(ExperimentId, { description: 'what the event is about; null for a test' }),
  event_type: Type.String({ description: 'such as experiment.status_changed; webhook.test for a test' }),
  status: OneOf(deliveryStatuses, {
    description: 'waiting for its next attempt, delivered, or failed for good',
  }),
  attempts: Type.Integer({ description: 'attempts so far' }),
  last_outcome: Nullable(Type.String(), { description: 'what came of the last attempt; null before it' }),
  next_at: Nullable(Timestamp, { description: 'UTC time of the next attempt; null once it is over' }),
  created_at: CreatedAt,
  ended_at: Nullable(Timestamp, {
    description: 'UTC time when it succeeded or failed for good; null before that',
  }),
});

const Attempt = Type.Object({
  number: Type.Integer({ description: 'from 1' }),
  url: Type.String({ description: 'address that it was sent to' }),
  began_at: describe(Timestamp, 'UTC time when it was sent'),
  duration_ms: Nullable(Type.Integer(), { description: 'ms until the answer; null while it runs' }),
  status_code: Nullable(Type.Integer(), { description: 'HTTP status of the answer; null without one' }),
  outcome: Nullable(Type.String(), {
    description: 'outcome in a sentence; null while it runs, or when the service stopped meanwhile',
  }),
  answer: Nullable(Type.String(), { description: 'the begin of the answer; null without one' }),
  signed_with: Nullable(Type.Array(OneOf(signers)), {
    description: 'whose secrets signed it; empty: none did; null while it runs, or when that is not known',
  }),
});

const DeliveryDetail = Type.Object({
  ...Delivery.properties,
  body: Type.String({ description: 'the body that is sent, as text' }),
  attempts_made: Type.Array(Attempt, { description: 'the newest 50, oldest first' }),
});

const ID = '01980000-0000-7000-8000-0000000000f2';
const example = {
  id: ID,
  webhook_id: '01980000-0000-7000-8000-0000000000f1',
  experiment_id: '01980000-0000-7000-8000-0000000000e1',
  event_type: 'experiment.status_changed',
  status: 'delivered' as const,
  attempts: 1,
  last_outcome: 'The receiver answered 204.',
  next_at: null,
  created_at: '2026-01-20T09:10:00.000Z',
  ended_at: '2026-01-20T09:10:00.180Z',
};
const attempt = {
  number: 1,
  url: 'https://hooks.example.org/assayer',
  began_at: '2026-01-20T09:10:00.050Z',
  duration_ms: 130,
  status_code: 204,
  outcome: 'The receiver answered 204.',
  answer: '',
  signed_with: ['endpoint' as const],
};

const params = Type.Object({
  delivery_id: Type.String({ format: 'uuid', description: '`id` of an item of `list_deliveries`' }),
});

export const listDeliveries = defineOperation({
  id: 'list_deliveries',
  method: 'GET',
  path: '/webhooks/deliveries',
  tag: 'webhooks',
  summary: 'List all deliveries, to endpoints and to addresses of experiments, newest first',
  effect: 'read',
  permission: 'webhook:list',
  list: deliveryFields,
  query: ListQuery({}),
  output: PageOf(Delivery),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(status,failed)' },
    output: { items: [example], count: 1, offset: 0, total: 1 },
  },
});

export const listWebhookDeliveries = defineOperation({
  id: 'list_webhook_deliveries',
  method: 'GET',
  path: '/webhooks/{webhook_id}/deliveries',
  tag: 'webhooks',
  summary: 'List the deliveries to one endpoint, newest first',
  effect: 'read',
  permission: 'webhook:list',
  params: WebhookParams,
  list: webhookDeliveryFields,
  query: ListQuery({}),
  output: PageOf(Delivery),
  failures: ['invalid_query', 'webhook_not_found'],
  example: {
    params: { webhook_id: example.webhook_id },
    output: { items: [example], count: 1, offset: 0, total: 1 },
  },
});

export const getDelivery = defineOperation({
  id: 'get_delivery',
  method: 'GET',
  path: '/webhooks/deliveries/{delivery_id}',
  tag: 'webhooks',
  summary: 'Get a delivery with its body and its attempts',
  effect: 'read',
  permission: 'webhook:read',
  params,
  output: DeliveryDetail,
  failures: ['delivery_not_found'],
  example: {
    params: { delivery_id: ID },
    output: { ...example, body: '{"delivery_id":"…"}', attempts_made: [attempt] },
  },
});

export const resendDelivery = defineOperation({
  id: 'resend_delivery',
  method: 'POST',
  path: '/webhooks/deliveries/{delivery_id}/redeliver',
  tag: 'webhooks',
  summary: 'Send a delivery again, with the same id; its schedule of attempts begins anew',
  effect: 'reversible',
  permission: 'webhook:update',
  params,
  bodyMode: 'optional',
  body: Type.Object({}, strict),
  output: Delivery,
  failures: ['delivery_not_found'],
  example: {
    params: { delivery_id: ID },
    body: {},
    output: { ...example, status: 'waiting' as const, next_at: '2026-01-20T09:20:00.000Z', ended_at: null },
  },
});

export const resendWebhookDeliveries = defineOperation({
  id: 'resend_webhook_deliveries',
  method: 'POST',
  path: '/webhooks/{webhook_id}/redeliver',
  tag: 'webhooks',
  summary: 'Send the deliveries of a period to one endpoint again',
  effect: 'reversible',
  permission: 'webhook:update',
  params: WebhookParams,
  bodyMode: 'required',
  body: Type.Object(
    {
      since: describe(Timestamp, 'UTC time of the first event'),
      until: Type.Optional(Nullable(Timestamp, { description: 'UTC time of the last event; null: now' })),
      only_failed: Type.Optional(
        Type.Boolean({
          description:
            'true, the default: only those that failed for good; false: all of them, also those that were delivered and those that wait for their next attempt',
        }),
      ),
    },
    strict,
  ),
  output: Type.Object({ count: Type.Integer({ description: 'deliveries that are sent again' }) }),
  failures: ['webhook_not_found'],
  example: {
    params: { webhook_id: example.webhook_id },
    body: { since: '2026-01-20T00:00:00.000Z' },
    output: { count: 3 },
  },
});

export const testWebhook = defineOperation({
  id: 'test_webhook',
  method: 'POST',
  path: '/webhooks/{webhook_id}/test',
  tag: 'webhooks',
  summary: 'Send a test to an endpoint; its delivery shows the outcome',
  effect: 'reversible',
  permission: 'webhook:update',
  params: WebhookParams,
  bodyMode: 'optional',
  body: Type.Object({}, strict),
  success: 201,
  output: Delivery,
  failures: ['webhook_not_found', 'webhook_disabled', 'deliveries_off'],
  example: {
    params: { webhook_id: example.webhook_id },
    body: {},
    output: {
      ...example,
      experiment_id: null,
      event_type: 'webhook.test',
      status: 'waiting' as const,
      attempts: 0,
      last_outcome: null,
      next_at: '2026-01-20T09:10:00.000Z',
      ended_at: null,
    },
  },
});
