/** When a notice is due, and the ids that keep a fact from being told twice. */
import { createHash } from 'node:crypto';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/clock.ts';
import type { NoticeEvent } from './events.ts';

/** The hour of the daily mail, UTC, unless the person chose another. */
export const USUAL_DIGEST_HOUR = 7;

/** A mail that nobody took is tried again after these times; then it has failed. */
export const MAIL_DELAYS_MS: readonly number[] = [
  5_000,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
];

/** Mails that one process hands over at the same time; a server that hangs keeps no other work waiting. */
export const MAILS_IN_HAND_MAX = 4;

/** How long notices are kept once they are told, or are too old to tell. */
export const NOTICE_KEPT_MS = 30 * DAY_MS;

/** A fact is forgotten after this time; an order that is still late by then is told once more. */
export const FACT_KEPT_MS = 400 * DAY_MS;

/** A daily mail lists this many facts, and says how many more there are. */
export const DIGEST_ITEMS_MAX = 50;

/** The next time the clock shows this hour, UTC, after `now`. */
export function computeDigestTime(hour: number, now: Date): Date {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS + hour * HOUR_MS;
  return new Date(today > now.getTime() ? today : today + DAY_MS);
}

/** The id of the notice of one fact to one person: the same whoever chooses the recipients, and however often. */
export function createNoticeId(factId: string, event: NoticeEvent, userId: string): string {
  return createNameId(`notice ${factId} ${event} ${userId}`);
}

/** An order is late once in each of its turns. */
export function createLateId(experimentId: string, status: string, since: string): string {
  return createNameId(`late ${experimentId} ${status} ${since}`);
}

/** An id made from a name, in the form of UUIDv8 (RFC 9562 §5.8). */
function createNameId(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex');
  const variant = ((Number.parseInt(digest.slice(16, 18), 16) & 0x3f) | 0x80).toString(16).padStart(2, '0');
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-${variant}${digest.slice(18, 20)}-${digest.slice(20, 32)}`;
}
