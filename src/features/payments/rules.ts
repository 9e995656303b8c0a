/** The names of rails, the times at which processors are asked, and the reference of a transfer. */
import { createInvalidFieldsFailure } from '#core/failures.ts';
import { removeControls } from '#core/one-line.ts';

/** The built-in processor's name in our records of invoices. */
export const BUILTIN = 'builtin';
/** Stripe's name as processor and as rail. */
export const STRIPE = 'stripe';
/** The ledger rail of the built-in processor's payments. */
export const BUILTIN_RAIL = 'hosted';
/**
 * The ledger rail of bank transfers, which staff record by the bank's reference. Refunds over it are sent by hand.
 */
export const BANK_RAIL = 'bank';

/** How often the service asks a processor about an invoice. Its notifications usually come first; this finds lost ones. */
const SECOND_MS = 1_000;
const CHECK_MS_MIN = 30 * SECOND_MS;
const CHECK_MS_MAX = 3_600 * SECOND_MS;
const RETRY_MS_MAX = 60 * SECOND_MS;

/** For how long one attempt begins requests. The next attempt does what is left, from the state that it finds. */
export const PROCESSOR_ATTEMPT_MS = 20 * SECOND_MS;

/** The longest time-out of one request to a processor. */
export const PROCESSOR_REQUEST_MS_MAX = 20 * SECOND_MS;

/** The time for the database before the first request and after the last. */
const BOOKKEEPING_MS = 5 * SECOND_MS;

/**
 * While one process works on a row, no other does. After this time another process takes over, because the last request
 * of a process that ended early is over by then.
 */
export const PROCESSOR_CLAIM_MS = PROCESSOR_ATTEMPT_MS + PROCESSOR_REQUEST_MS_MAX + BOOKKEEPING_MS;

/** Every 30 s while the invoice is new, then less often, down to once an hour. */
export function computeNextCheckMs(ageMs: number): number {
  return Math.min(CHECK_MS_MAX, Math.max(CHECK_MS_MIN, ageMs / 20));
}

/**
 * After a failure: 1 s, 2 s, 4 s … at most a minute, without end, because an invoice that cannot be paid must not be
 * forgotten.
 */
export function computeProcessorRetryMs(attempts: number): number {
  return Math.min(RETRY_MS_MAX, SECOND_MS * 2 ** Math.min(10, Math.max(0, attempts - 1)));
}

/**
 * Reads the reference of a transfer as somebody copied it: two people may copy different spaces, and it is one transfer
 * all the same. Throws `invalid_request` for a blank one.
 */
export function parseTransferReference(text: string): string {
  const reference = removeControls(text);
  if (reference === '')
    throw createInvalidFieldsFailure([
      { path: 'reference', message: 'must have more than spaces: copy it from the bank statement' },
    ]);
  return reference;
}
