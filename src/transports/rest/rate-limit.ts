/** A token bucket per credential: bursts are welcome, floods are not (RateLimit header fields, RFC draft 11). */
import type { Clock } from '#core/clock.ts';
import { fail } from '#core/failures.ts';

export interface RatePolicy {
  /** Requests per second that a credential may sustain; 0 switches the limit off. */
  readonly perSecond: number;
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  updatedMs: number;
}

const BUCKETS_MAX = 20_000;

export interface RateLimiter {
  /** Headers to send; throws `rate_limited` when the bucket is empty. */
  take(credential: string): Readonly<Record<string, string>>;
}

export function createRateLimiter(policy: RatePolicy, clock: Clock): RateLimiter {
  const buckets = new Map<string, Bucket>();
  const policyHeader = `"default";q=${policy.burst};w=${Math.ceil(policy.burst / Math.max(1, policy.perSecond))}`;

  function refilled(credential: string): Bucket {
    const nowMs = clock.monotonicMs();
    const bucket = buckets.get(credential) ?? { tokens: policy.burst, updatedMs: nowMs };
    const gained = (Math.max(0, nowMs - bucket.updatedMs) / 1000) * policy.perSecond;
    bucket.tokens = Math.min(policy.burst, bucket.tokens + gained);
    bucket.updatedMs = nowMs;
    return bucket;
  }

  return {
    take(credential): Readonly<Record<string, string>> {
      if (policy.perSecond === 0) return {};
      const bucket = refilled(credential);
      if (!buckets.has(credential) && buckets.size >= BUCKETS_MAX) {
        const [oldest] = buckets.keys();
        if (oldest !== undefined) buckets.delete(oldest);
      }
      buckets.set(credential, bucket);
      if (bucket.tokens < 1) {
        const wait = Math.ceil((1 - bucket.tokens) / policy.perSecond);
        const headers = {
          'retry-after': String(wait),
          'ratelimit-policy': policyHeader,
          ratelimit: `"default";r=0;t=${wait}`,
        };
        throw fail('rate_limited', { retry_after: wait }, { headers });
      }
      bucket.tokens -= 1;
      return { 'ratelimit-policy': policyHeader, ratelimit: `"default";r=${Math.floor(bucket.tokens)}` };
    },
  };
}
