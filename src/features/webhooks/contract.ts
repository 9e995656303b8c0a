/** Operations on endpoints: who is told of events, and how. */
import { CreatedAt, UpdatedAt, ExperimentId } from '#core/fields.ts';
import { defineOperation } from '#core/operation.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type, Uuid, type Static } from '#core/schema.ts';
import { eventTypes } from '../updates/types.ts';
import { SECRET_LENGTH_MIN } from '#core/outgoing.ts';
import { ENDPOINTS_MAX, SECRET_LENGTH_MAX, webhookFormats } from './rules.ts';

const EventTypes = Type.Array(OneOf(eventTypes), {
  maxItems: eventTypes.length,
  description:
    'event types that it receives, of every experiment; empty: status changes of experiments without an address of their own',
});

const Url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: 'https address that receives a POST for each event; redirects are not followed',
});

const Secret = Type.String({
  minLength: SECRET_LENGTH_MIN,
  maxLength: SECRET_LENGTH_MAX,
  pattern: '^[\\x21-\\x7e]+$',
  description:
    'secret that signs the deliveries; one that begins with whsec_ is read as Standard Webhooks define it',
});

const Format = OneOf(webhookFormats, {
  description:
    'events: the body of the event; slack: `{"text": …}`, a text with a link that Slack, and chats that take the same form, show',
});

const Headers = Type.Record(Type.String(), Type.String(), {
  description: 'headers that every delivery carries, such as Authorization; `***` keeps the current value',
});

export const OrgWebhook = Type.Object({
  id: describe(Uuid, 'of the endpoint; never changes'),
  url: Url,
  secret_set: Type.Boolean({ description: 'whether it has a secret of its own' }),
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'custom headers; their values are hidden',
  }),
  enabled: Type.Boolean({ description: 'false: events that happen now are not delivered, not even later' }),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
  event_types: EventTypes,
  format: Format,
  disabled_reason: Nullable(Type.String(), {
    description: 'why the service switched it off; null unless it did',
  }),
  failing_since: Nullable(Timestamp, {
    description: 'UTC time of the first failure since the last success; null while deliveries succeed',
  }),
  previous_secret_until: Nullable(Timestamp, {
    description: 'UTC time until which the secret before the last roll signs too; null without one',
  }),
  warning: Nullable(Type.String(), {
    description:
      'what keeps deliveries from arriving, such as a name that does not resolve; null without one',
  }),
});
export type OrgWebhook = Static<typeof OrgWebhook>;

const ID = '01980000-0000-7000-8000-0000000000f1';
const example: OrgWebhook = {
  id: ID,
  url: 'https://hooks.example.org/assayer',
  secret_set: true,
  headers: { Authorization: '***' },
  enabled: true,
  created_at: '2026-01-20T09:00:00.000Z',
  updated_at: '2026-01-20T09:00:00.000Z',
  event_types: ['experiment.status_changed', 'results.released'],
  format: 'events',
  disabled_reason: null,
  failing_since: null,
  previous_secret_until: null,
  warning: null,
};

export const WebhookParams = Type.Object({
  webhook_id: Type.String({ format: 'uuid', description: '`id` of an item of `list_webhooks`' }),
});

export const listWebhooks = defineOperation({
  id: 'list_webhooks',
  method: 'GET',
  path: '/webhooks',
  tag: 'webhooks',
  summary: 'List the endpoints of the organization',
  effect: 'read',
  permission: 'webhook:list',
  output: Type.Array(OrgWebhook, { description: 'all of them, oldest first' }),
  failures: [],
  example: { output: [example] },
});

export const createWebhook = defineOperation({
  id: 'create_webhook',
  method: 'POST',
  path: '/webhooks',
  tag: 'webhooks',
  summary: 'Register an endpoint that receives the events of the organization',
  description: `At most ${ENDPOINTS_MAX} endpoints. Without event types it receives status changes of the experiments that have no \`webhook_url\` of their own. Without a secret the one of the deployment signs, if there is one.`,
  effect: 'reversible',
  permission: 'webhook:create',
  bodyMode: 'required',
  body: Type.Object(
    {
      url: Url,
      secret: Type.Optional(
        Nullable(Secret, {
          description:
            'signs the deliveries; whsec_ before base64 is read as Standard Webhooks define it; null: none',
        }),
      ),
      headers: Type.Optional(
        Nullable(Headers, { description: 'sent with every delivery, such as Authorization; null: none' }),
      ),
      event_types: Type.Optional(
        Nullable(EventTypes, { description: 'what it receives; empty or null: status changes only' }),
      ),
      format: Type.Optional(
        Nullable(Format, { description: 'format of the body; null: events, the default' }),
      ),
    },
    strict,
  ),
  success: 201,
  output: OrgWebhook,
  failures: ['invalid_webhook', 'too_many_webhooks'],
  example: {
    body: {
      url: example.url,
      secret: 'a-secret-of-at-least-32-characters',
      headers: { Authorization: 'Bearer key-of-the-receiver' },
      event_types: example.event_types,
    },
    output: example,
  },
});

export const updateWebhook = defineOperation({
  id: 'update_webhook',
  method: 'PATCH',
  path: '/webhooks/{webhook_id}',
  tag: 'webhooks',
  summary: 'Change an endpoint',
  description:
    'A field that is omitted or null is kept, except that a null `secret` removes the secret. To enable an endpoint forgets its failures.',
  effect: 'reversible',
  permission: 'webhook:update',
  params: WebhookParams,
  bodyMode: 'required',
  body: Type.Object(
    {
      url: Type.Optional(Nullable(Url, { description: 'new https address; null keeps it' })),
      headers: Type.Optional(
        Nullable(Headers, {
          description: 'replaces all headers; a value `***` keeps the current one; null keeps all',
        }),
      ),
      enabled: Type.Optional(
        Nullable(Type.Boolean(), { description: 'whether it receives events; null keeps it' }),
      ),
      secret: Type.Optional(
        Nullable(Secret, { description: 'replaces the secret at once; null removes it' }),
      ),
      event_types: Type.Optional(
        Nullable(EventTypes, {
          description: 'what it receives; empty: status changes only; null keeps them',
        }),
      ),
      format: Type.Optional(Nullable(Format, { description: 'format of the body; null keeps it' })),
    },
    strict,
  ),
  output: OrgWebhook,
  failures: ['webhook_not_found', 'invalid_webhook'],
  example: { params: { webhook_id: ID }, body: { enabled: false }, output: { ...example, enabled: false } },
});

export const deleteWebhook = defineOperation({
  id: 'delete_webhook',
  method: 'DELETE',
  path: '/webhooks/{webhook_id}',
  tag: 'webhooks',
  summary: 'Delete an endpoint with its deliveries',
  effect: 'irrevocable',
  permission: 'webhook:delete',
  params: WebhookParams,
  success: 204,
  output: Type.Object({}),
  failures: ['webhook_not_found'],
  example: { params: { webhook_id: ID } },
});

export const rollWebhookSecret = defineOperation({
  id: 'roll_webhook_secret',
  method: 'POST',
  path: '/webhooks/{webhook_id}/roll-secret',
  tag: 'webhooks',
  summary: 'Give an endpoint a new secret; the previous one signs beside it for a day',
  description:
    'Roll again within the day only when both secrets have leaked: then the oldest one ends at once.',
  effect: 'irrevocable',
  permission: 'webhook:update',
  params: WebhookParams,
  bodyMode: 'optional',
  body: Type.Object({}, strict),
  output: Type.Object({
    secret: Type.String({ description: 'the new secret; shown this once' }),
    previous_secret_until: Nullable(Timestamp, {
      description: 'UTC time until which the previous secret signs too; null without one',
    }),
  }),
  failures: ['webhook_not_found'],
  example: {
    params: { webhook_id: ID },
    body: {},
    output: { secret: 'whsec_…', previous_secret_until: '2026-01-21T09:00:00.000Z' },
  },
});

/** The operation with which a sandbox lets a client try what its programs do when an event happens. */

const EventType = OneOf(eventTypes, { description: 'a type of the catalog of events, such as invoice.paid' });

export const triggerEvent = defineOperation({
  id: 'trigger_event',
  method: 'POST',
  path: '/sandbox/events',
  tag: 'sandbox',
  summary: 'Bring an event about in a sandbox, to try what receives it',
  description:
    'Places an order and takes it as far as the event needs: the event is a true one, and what it names exists. It is delivered and listed like every other. 409 where no order of a sandbox leads to the event; the sentence says why.',
  effect: 'spends',
  permission: 'experiment:create',
  alsoNeeds: 'invoice:pay',
  bodyMode: 'required',
  body: Type.Object({ event_type: EventType }, strict),
  success: 201,
  output: Type.Object({
    event_type: EventType,
    experiment_id: ExperimentId,
    experiment_code: Type.String({ description: 'code of the experiment that was ordered' }),
    happened: Type.Boolean({
      description:
        'true: the event is in the feed; false: the payment or the simulated lab brings it there shortly',
    }),
  }),
  failures: ['sandbox_only', 'event_not_triggered'],
  example: {
    body: { event_type: 'invoice.paid' },
    output: {
      event_type: 'invoice.paid',
      experiment_id: '01980000-0000-7000-8000-0000000000e1',
      experiment_code: 'DEMO-001-001',
      happened: false,
    },
  },
});
