/**
 * Decisions about endpoints and deliveries.
 * This folder: endpoints, deliveries and their signatures. Not here: sockets (`adapters/http-out`), the feed
 * (`features/updates`).
 */
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from '#core/clock.ts';
import type { Problem } from '#core/failures.ts';
import type { OutgoingOutcome } from '#core/outgoing.ts';

/** Pauses between the attempts of a delivery. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
];
/** The longest pause that `Retry-After` of a receiver can ask for. */
const RETRY_AFTER_MS_MAX = DAY_MS;
/** An endpoint whose deliveries have all failed for this time is switched off. */
const FAILING_MS_MAX = 3 * DAY_MS;
/** After a roll the previous secret still signs for this time. */
export const SECRET_OVERLAP_MS = DAY_MS;
/** Deliveries of one receiver that are sent at the same time. */
export const IN_FLIGHT_PER_LANE = 4;
/** Deliveries of one organization that are sent at the same time, so that none can take all places. */
export const IN_FLIGHT_PER_ORGANIZATION = 32;
/** Deliveries of all receivers that one process has begun to send within `PROMPT_MS`. */
export const IN_FLIGHT_MAX = 256;
/** Deliveries in flight from one process, with those begun longer ago, each of which costs only a socket. */
export const IN_FLIGHT_WITH_SLOW_MAX = 2_048;
/** A receiver that needs longer is slow, and keeps its place from nobody else. */
const PROMPT_MS = 400;
/** Longer than the time limit of a request, so that a delivery is never sent twice at once. */
export const DELIVERY_LEASE_MS = 45_000;
export const ENDPOINTS_MAX = 20;
export const SECRET_LENGTH_MAX = 500;

/** What an endpoint is sent: the event itself, or a text that Slack and what understands its form show. */
export const webhookFormats = ['events', 'slack'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

export const deliveryStatuses = ['waiting', 'delivered', 'failed'] as const;

export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly at: Date }
  /** `endsEndpoint`: the receiver says that it is gone for good. */
  | { readonly kind: 'failed'; readonly endsEndpoint: boolean };

/** How many deliveries may be begun now; `begunMs` are the beginnings of those in hand. */
export function countFreePlaces(begunMs: Iterable<number>, nowMs: number): number {
  let [inHand, prompt] = [0, 0];
  for (const each of begunMs) {
    inHand += 1;
    if (nowMs - each < PROMPT_MS) prompt += 1;
  }
  return Math.max(0, Math.min(IN_FLIGHT_MAX - prompt, IN_FLIGHT_WITH_SLOW_MAX - inHand));
}

/** Decides what follows an attempt; `attempts` includes it. */
export function decideVerdict(outcome: OutgoingOutcome, attempts: number, now: Date): Verdict {
  if (outcome.kind === 'refused') return { kind: 'failed', endsEndpoint: false };
  if (outcome.kind === 'answered') {
    const { status } = outcome;
    if (status >= 200 && status < 300) return { kind: 'delivered' };
    if (status === 410) return { kind: 'failed', endsEndpoint: true };
    const isTemporary = status >= 500 || status === 408 || status === 429;
    if (!isTemporary) return { kind: 'failed', endsEndpoint: false };
  }
  const delayMs = RETRY_DELAYS_MS[attempts - 1];
  if (delayMs === undefined) return { kind: 'failed', endsEndpoint: false };
  const retryAfterMs = outcome.kind === 'answered' ? parseRetryAfter(outcome.retryAfter, now) : 0;
  return { kind: 'retry', at: addMs(now, Math.max(delayMs, retryAfterMs)) };
}

/** How each of the three forms of a date begins, RFC 9110 §5.6.7. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/** Milliseconds that `Retry-After` asks for, RFC 9110 §10.2.3: seconds or a date; 0 for anything else. */
function parseRetryAfter(value: string | null, now: Date): number {
  if (value === null) return 0;
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(RETRY_AFTER_MS_MAX, Number(text) * 1_000);
  // Date.parse takes much else for a date: 3600.5 for the year 3600.
  const askedMs = HTTP_DATE.test(text) ? Date.parse(text) - now.getTime() : 0;
  return Number.isNaN(askedMs) ? 0 : Math.min(RETRY_AFTER_MS_MAX, Math.max(0, askedMs));
}

/** Says what happened in one sentence, for the delivery log. */
export function describeOutcome(outcome: OutgoingOutcome): string {
  if (outcome.kind !== 'answered') return outcome.reason;
  const { status } = outcome;
  if (status >= 200 && status < 300) return `The receiver answered ${status}.`;
  if (status >= 300 && status < 400)
    return `The receiver answered ${status}; redirects are not followed. Register the final address.`;
  return `The receiver answered ${status}.`;
}

/** Whether an endpoint that has failed without a success since then is switched off. */
export function hasFailedTooLong(failingSince: Date, now: Date): boolean {
  return now.getTime() - failingSince.getTime() >= FAILING_MS_MAX;
}

/** The word of the contract's `event` in a test. */
export const TEST_WORD = 'webhook_test';
export const STATUS_CHANGED = 'experiment.status_changed';

const HEADERS_MAX = 20;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** Visible ASCII with spaces and tabs inside, RFC 9110 §5.5. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e\t]{0,998}[\x21-\x7e])?$/;
/** Headers that the service or the protocol sets, besides those under the lab's own prefix. */
const RESERVED_HEADERS =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-.*|accept-encoding|user-agent|webhook-.*|x-service-.*)$/i;

/** What stands in an answer in place of the value of a header, which may be a password. */
export const HIDDEN_VALUE = '***';

/** Every problem of the custom headers of an endpoint; `prefix` is that of the headers of deliveries. */
export function findHeaderProblems(headers: Readonly<Record<string, string>>, prefix: string): Problem[] {
  const isReserved = (name: string): boolean =>
    RESERVED_HEADERS.test(name) || name.toLowerCase().startsWith(`${prefix.toLowerCase()}-`);
  const names = Object.keys(headers);
  if (names.length > HEADERS_MAX)
    return [{ path: 'headers', message: `must have at most ${HEADERS_MAX} entries` }];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const name of names) {
    const add = (message: string): void => void problems.push({ path: 'headers', message });
    if (!HEADER_NAME.test(name)) add('must have names of letters, digits and hyphens, up to 100 characters');
    else if (isReserved(name)) add(`must not set ${name}, which the service sets itself`);
    else if (seen.has(name.toLowerCase())) add(`must not set ${name} twice`);
    else if (!HEADER_VALUE.test(headers[name] ?? ''))
      add(`must give ${name} a value of 1 to 1,000 visible ASCII characters`);
    seen.add(name.toLowerCase());
  }
  return problems;
}

/** Returns the headers as they are meant: a value that is sent back hidden keeps what it was. */
export function keepHiddenHeaders(
  sent: Readonly<Record<string, string>>,
  present: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [
      name,
      value === HIDDEN_VALUE && Object.hasOwn(present, name) ? (present[name] ?? value) : value,
    ]),
  );
}

/** Headers open the system that they were given for, so an address at another host asks for their values again. */
export function needsHeadersAgain(
  from: { readonly url: string; readonly headerNames: readonly string[] },
  to: { readonly url: string; readonly headers: Readonly<Record<string, string>> | null },
): boolean {
  if (from.headerNames.length === 0 || new URL(from.url).host === new URL(to.url).host) return false;
  return to.headers === null || Object.values(to.headers).includes(HIDDEN_VALUE);
}
