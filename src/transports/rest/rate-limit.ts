/**
 * Token buckets: bursts are allowed, sustained floods are not (RateLimit header fields,
 * draft-ietf-httpapi-ratelimit-headers-11).
 */
import type { Clock } from '#core/clock.ts';
import { fail } from '#core/failures.ts';

export interface RatePolicy {
  /** Requests per second that may be sustained; 0 turns the limit off. */
  readonly perSecond: number;
  readonly burst: number;
}

/** Each request counts twice: for the family of its token or for its person, and for the organization. */
export interface RequestPolicies {
  readonly family: RatePolicy;
  readonly organization: RatePolicy;
}

const BUCKETS_MAX = 20_000;

export interface RateLimiter {
  /** Throws `rate_limited` when the bucket of the key is empty. */
  take(key: string): void;
}

type Headers = Readonly<Record<string, string>>;

export interface RequestLimiter {
  /** Returns headers to send; throws `rate_limited` when either bucket is empty, and then takes from neither. */
  take(caller: { readonly familyId: string; readonly organizationId?: string }): Headers;
}

export function createRateLimiter(policy: RatePolicy, clock: Clock): RateLimiter {
  const buckets = new Buckets('default', policy, clock);
  return {
    take: (key) => void takeTogether([[buckets, key]]),
  };
}

export function createRequestLimiter(policies: RequestPolicies, clock: Clock): RequestLimiter {
  const families = new Buckets('token', policies.family, clock);
  const organizations = new Buckets('organization', policies.organization, clock);
  return {
    take({ familyId, organizationId }) {
      const own: Claim[] = [[families, familyId]];
      return takeTogether(organizationId === undefined ? own : [...own, [organizations, organizationId]]);
    },
  };
}

type Claim = readonly [Buckets, string];

function takeTogether(claims: readonly Claim[]): Headers {
  const counted = claims.filter(([{ isOn }]) => isOn);
  if (counted.length === 0) return {};
  const waitS = Math.max(...counted.map(([buckets, key]) => buckets.computeWaitS(key)));
  if (waitS === 0) for (const [buckets, key] of counted) buckets.take(key);
  const headers = {
    'ratelimit-policy': counted.map(([buckets]) => buckets.policyItem).join(', '),
    ratelimit: counted.map(([buckets, key]) => buckets.writeItem(key)).join(', '),
  };
  if (waitS === 0) return headers;
  throw fail('rate_limited', { retry_after: waitS }, { headers });
}

interface Bucket {
  readonly left: number;
  readonly updatedMs: number;
}

class Buckets {
  readonly isOn: boolean;
  /** The policy, as an item of its header field. */
  readonly policyItem: string;
  readonly #name: string;
  readonly #policy: RatePolicy;
  readonly #clock: Clock;
  /**
   * The bucket used last comes last; the first one is removed to make room, because it has had the longest time to
   * refill.
   */
  readonly #buckets = new Map<string, Bucket>();

  constructor(name: string, policy: RatePolicy, clock: Clock) {
    const { perSecond, burst } = policy;
    this.isOn = perSecond > 0;
    this.policyItem = `"${name}";q=${burst};w=${Math.ceil(burst / Math.max(1, perSecond))}`;
    this.#name = name;
    this.#policy = policy;
    this.#clock = clock;
  }

  /** Whole seconds until there is room for one request; 0 when there is. */
  computeWaitS(key: string): number {
    const left = this.#getLeft(key);
    return left >= 1 ? 0 : Math.ceil((1 - left) / this.#policy.perSecond);
  }

  take(key: string): void {
    const left = this.#getLeft(key) - 1;
    this.#buckets.delete(key);
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined && this.#buckets.size >= BUCKETS_MAX) this.#buckets.delete(oldest);
    this.#buckets.set(key, { left, updatedMs: this.#clock.readMonotonicMs() });
  }

  writeItem(key: string): string {
    const waitS = this.computeWaitS(key);
    return `"${this.#name}";r=${Math.floor(this.#getLeft(key))}${waitS === 0 ? '' : `;t=${waitS}`}`;
  }

  #getLeft(key: string): number {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return this.#policy.burst;
    const gained =
      (Math.max(0, this.#clock.readMonotonicMs() - bucket.updatedMs) / 1000) * this.#policy.perSecond;
    return Math.min(this.#policy.burst, bucket.left + gained);
  }
}
