/**
 * Sends requests to Stripe. The form of every reply is checked before it is used: the SDK treats every JSON body
 * without an `error` key as a success, whatever its status.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import Stripe from 'stripe';
import type { Clock } from '#core/clock.ts';
import { ProcessorRefusedError, ProcessorUnclearError } from '#features/payments/processor.ts';

export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Address of a stand-in for Stripe; null is Stripe itself. */
  readonly apiBase: string | null;
  readonly timeoutMs: number;
}

/** Number of objects per page of a list. */
export const PAGE = 100;
/** Our clock and Stripe's may differ by this much. */
export const CLOCK_SKEW_MS = 3_600_000;

export function createStripe(settings: StripeSettings): Stripe {
  const base = settings.apiBase === null ? null : new URL(settings.apiBase);
  return new Stripe(settings.secretKey, {
    // Repeats are left to us: they are recorded, and use the same idempotency key.
    maxNetworkRetries: 0,
    timeout: settings.timeoutMs,
    telemetry: false,
    ...(base === null
      ? {}
      : {
          host: base.hostname.replaceAll(/^\[|\]$/g, ''),
          port: base.port === '' ? (base.protocol === 'https:' ? 443 : 80) : Number(base.port),
          protocol: base.protocol === 'https:' ? ('https' as const) : ('http' as const),
        }),
  });
}

/** Says whether the time limit of the current attempt has passed. */
const attempts = new AsyncLocalStorage<() => boolean>();

/** Runs `work`; none of its requests begins after `limitMs`. */
export function attempt<T>(clock: Clock, limitMs: number, work: () => Promise<T>): Promise<T> {
  const untilMs = clock.readMonotonicMs() + limitMs;
  return attempts.run(() => clock.readMonotonicMs() > untilMs, work);
}

/**
 * Sends one request. Throws `ProcessorRefusedError` after a definite rejection and `ProcessorUnclearError` otherwise.
 */
export async function ask<Reply>(
  what: string,
  isReply: (reply: unknown) => reply is Reply,
  call: () => Promise<unknown>,
): Promise<Reply> {
  if (attempts.getStore()?.() === true)
    throw new ProcessorUnclearError(
      `${what}: the time limit of this attempt has passed; the next attempt continues`,
    );
  const reply = await call().catch((error: unknown) => {
    throw toProcessorError(what, error);
  });
  if (!isReply(reply)) throw new ProcessorUnclearError(`${what}: the reply does not have the expected form`);
  return reply;
}

/**
 * 400, 402 and 404 are definite. An error about a reused key with other parameters says nothing about the first
 * request.
 */
function toProcessorError(what: string, error: unknown): Error {
  if (!(error instanceof Stripe.errors.StripeError)) {
    return new ProcessorUnclearError(`${what}: ${error instanceof Error ? error.message : 'no answer'}`, {
      cause: error,
    });
  }
  const text = `${what}: ${error.code ?? error.type} (${error.statusCode ?? 'no status'})`;
  const isDefinite =
    error instanceof Stripe.errors.StripeCardError ||
    error instanceof Stripe.errors.StripeInvalidRequestError;
  return isDefinite
    ? new ProcessorRefusedError(text, { cause: error })
    : new ProcessorUnclearError(text, { cause: error });
}

export function clipText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}
