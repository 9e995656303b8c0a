/**
 * When an invoice at an outside processor is looked up again. Notifications usually come first; this finds missed
 * ones.
 */
const SECOND_MS = 1_000;
const LOOK_MS_MIN = 30 * SECOND_MS;
const LOOK_MS_MAX = 3_600 * SECOND_MS;
const RETRY_MS_MAX = 60 * SECOND_MS;

/** How long one attempt begins requests. What is left then is done by the next one, which goes on from what it finds. */
export const PROCESSOR_ATTEMPT_MS = 20 * SECOND_MS;

/** Longest that one request to a processor may be allowed to take. */
export const PROCESSOR_REQUEST_MS_MAX = 20 * SECOND_MS;

/** For what the database takes before the first request and after the last. */
const BOOKKEEPING_MS = 5 * SECOND_MS;

/** While one process works on a row, no other begins. After this long another process continues for one that died: its last request has ended by then. */
export const PROCESSOR_CLAIM_MS = PROCESSOR_ATTEMPT_MS + PROCESSOR_REQUEST_MS_MAX + BOOKKEEPING_MS;

/** Every 30 s while the invoice is new, then less often, down to once an hour. */
export function computeNextLookMs(ageMs: number): number {
  return Math.min(LOOK_MS_MAX, Math.max(LOOK_MS_MIN, ageMs / 20));
}

/**
 * After a failure: 1 s, 2 s, 4 s … at most a minute, without end, because an invoice that cannot be paid must not be
 * forgotten.
 */
export function computeProcessorRetryMs(attempts: number): number {
  return Math.min(RETRY_MS_MAX, SECOND_MS * 2 ** Math.min(10, Math.max(0, attempts - 1)));
}
