/**
 * Signed links that stop mails without signing in (RFC 8058). A link names a person, a place and what it stops, so it
 * changes nothing for anybody else.
 */
import { addMs, DAY_MS } from '#core/clock.ts';
import { isUuid } from '#core/ids.ts';
import type { LinkSigner } from '#core/signed-link.ts';
import { isClientEvent, isStaffEvent, type NoticeEvent } from './events.ts';

/** All events that a person chose to be told daily. */
export const DAILY = 'daily';
export type Stopped = NoticeEvent | typeof DAILY;

export interface Subscription {
  readonly userId: string;
  /** Null for mails to the staff of the lab. */
  readonly organizationId: string | null;
  readonly stops: Stopped;
}

export const UNSUBSCRIBE_PATH = '/notifications/stop';
const LAB = 'lab';
/** People clean up old mails; the link of each works for more than a year. */
const LIFETIME_MS = 400 * DAY_MS;

export function signUnsubscribePath(links: LinkSigner, subscription: Subscription, now: Date): string {
  return links.sign(writePath(subscription), addMs(now, LIFETIME_MS));
}

function writePath({ userId, organizationId, stops }: Subscription): string {
  return `${UNSUBSCRIBE_PATH}/${userId}/${organizationId ?? LAB}/${stops}`;
}

export interface UnsubscribeAddress {
  readonly user: string;
  readonly place: string;
  readonly stops: string;
}

/** Parses the parts of an address; undefined for one that no link of ours has. */
export function parseSubscription({ user, place, stops }: UnsubscribeAddress): Subscription | undefined {
  if (!isUuid(user) || (place !== LAB && !isUuid(place))) return undefined;
  if (place === LAB)
    return stops === DAILY || isStaffEvent(stops) ? { userId: user, organizationId: null, stops } : undefined;
  return stops === DAILY || isClientEvent(stops) ? { userId: user, organizationId: place, stops } : undefined;
}

/** Throws `link_invalid` or `link_expired`. */
export function checkSubscription(
  links: LinkSigner,
  subscription: Subscription,
  query: unknown,
  now: Date,
): void {
  links.check(writePath(subscription), query, now);
}
