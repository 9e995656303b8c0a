/** What a delivery says, as JSON. */
import type { DeliveryWords } from '#core/outgoing.ts';
import { STATUS_CHANGED, TEST_WORD, type WebhookFormat } from './rules.ts';

/** The words of the contract's `event`; `event_type` is the finer one. */
export const EVENT_WORD = 'experiment_update';

/** Receivers that were written for the public contract refuse a body with other values. */
const VALUES: Readonly<Record<DeliveryWords, { readonly version: string; readonly type: string }>> = {
  own: { version: 'v1', type: EVENT_WORD },
  published: { version: '2026-02', type: 'experiment.update' },
};

export interface DeliveredEvent {
  readonly event_type: string;
  readonly organization_id: string;
  readonly experiment_id: string;
  readonly experiment_code: string;
  readonly update_type: string;
  readonly name: string;
  readonly description: string | null;
  readonly previous_status: string | null;
  readonly status: string | null;
  /** The expected date of the results, ISO 8601. */
  readonly eta: string | null;
  readonly at: Date;
}

/** Writes the body without the id of its delivery, which differs from receiver to receiver. */
export function writeEvent(event: DeliveredEvent, words: DeliveryWords = 'own'): string {
  const at = event.at.toISOString();
  const { version, type } = VALUES[words];
  return JSON.stringify({
    event: EVENT_WORD,
    event_type: event.event_type,
    timestamp: at,
    api_version: version,
    experiment_id: event.experiment_id,
    previous_status: event.event_type === STATUS_CHANGED ? event.previous_status : null,
    new_status: event.event_type === STATUS_CHANGED ? event.status : null,
    data: {
      type,
      experiment_id: event.experiment_id,
      experiment_code: event.experiment_code,
      organization_id: event.organization_id,
      name: event.name,
      description: words === 'published' ? (event.description ?? '') : event.description,
      update_type: event.update_type,
      eta: event.eta,
      created_at: at,
    },
  });
}

export const TEST_EVENT = 'webhook.test';

/** Writes the body of a test without the id of its delivery. */
export function writeTest(organizationId: string, at: Date, words: DeliveryWords = 'own'): string {
  return JSON.stringify({
    event: TEST_WORD,
    event_type: TEST_EVENT,
    timestamp: at.toISOString(),
    api_version: VALUES[words].version,
    experiment_id: null,
    previous_status: null,
    new_status: null,
    data: { type: TEST_WORD, organization_id: organizationId, created_at: at.toISOString() },
  });
}

/** Where an event stands in the feed; null for a test, which is not in it. */
export interface FeedPlace {
  readonly update_id: string | null;
  readonly update_sequence: number | null;
}

interface Sent extends FeedPlace {
  readonly id: string;
  /** The event as it is stored. */
  readonly body: string;
  /** Null for the address of an experiment. */
  readonly format: WebhookFormat | null;
}

/** Returns the bytes that are sent and signed: the same in every attempt, unless the format of the endpoint changes. */
export function writeSentBody(delivery: Sent, baseUrl: string): string {
  if (delivery.format === 'slack') return writeChatBody(delivery.body, baseUrl);
  return writeDeliveryBody(delivery.id, delivery.body, delivery);
}

export function writeDeliveryBody(deliveryId: string, event: string, place: FeedPlace): string {
  const body = `{"delivery_id":${JSON.stringify(deliveryId)},${event.slice(1)}`;
  if (place.update_id === null) return body;
  const inFeed = JSON.stringify({ update_id: place.update_id, sequence: place.update_sequence });
  return `${body.slice(0, -2)},${inFeed.slice(1)}}`;
}

/** What a chat shows of an event: the body of the incoming webhooks of Slack, and of what takes the same form. */
interface StoredEvent {
  readonly event: string;
  readonly event_type: string;
  readonly experiment_id: string | null;
  readonly data: {
    readonly name?: string;
    readonly description?: string | null;
    readonly experiment_code?: string;
  };
}

/** Writes `{"text": …}`. `event` is the JSON of `writeEvent` or `writeTest`; `baseUrl` has no trailing slash. */
export function writeChatBody(event: string, baseUrl: string): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `body.ts` wrote it
  const { event: word, event_type: type, experiment_id: id, data } = JSON.parse(event) as StoredEvent;
  if (word === TEST_WORD)
    return JSON.stringify({ text: `This is a test. Events of ${baseUrl} arrive here.` });
  const head = `*${escapeText(data.name ?? type)}* · ${escapeText(data.experiment_code ?? '')}`;
  // The page of a deleted draft is gone. A bare address becomes a link in every chat.
  const page = id === null || type === 'experiment.deleted' ? null : `${baseUrl}/experiments/${id}`;
  const lines = [head, escapeText(data.description ?? ''), page];
  return JSON.stringify({ text: lines.filter((line) => line !== null && line !== '').join('\n') });
}

/** Without this a name such as `<!channel>` would call everybody: the three characters that Slack asks to escape. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
