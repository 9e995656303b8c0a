/**
 * Limits the bytes of request bodies in the process: in total, from one address, and from one token with its
 * relatives.
 */
import { fail } from '#core/failures.ts';

export interface BodyBudgetPolicy {
  readonly processBytes: number;
  readonly addressBytes: number;
  readonly tokenBytes: number;
}

/** The sender of a body. */
export interface BodyOwner {
  readonly address: string;
  /** The root of the token, so that derived tokens share; null where no credential is needed. */
  readonly tokenRoot: string | null;
}

/** A body that is being handled, until its answer is sent. */
export interface BodyLease {
  /** Throws when the bytes so far exceed a share. */
  grow(arrivedBytes: number): void;
  release(): void;
}

export interface BodyBudget {
  /** Throws `bodies_in_flight` or `overloaded` where there is no room for the declared size. */
  open(owner: BodyOwner, declaredBytes: number): BodyLease;
  /** Bytes that count now. */
  readonly processBytes: number;
}

const RETRY_AFTER_S = 1;
/** Large bodies may use only this share of the process, so that small ones always have room. */
const LARGE_SHARE = 0.75;
const LARGE_BYTES = 256 * 1024;
const CLOSE = { connection: 'close', 'retry-after': String(RETRY_AFTER_S) };

export function createBodyBudget(policy: BodyBudgetPolicy): BodyBudget {
  const byAddress = new Map<string, number>();
  const byToken = new Map<string, number>();
  let processBytes = 0;

  function requireRoom(bytes: number): void {
    const most = bytes > LARGE_BYTES ? policy.processBytes * LARGE_SHARE : policy.processBytes;
    if (processBytes + bytes > most) throw fail('overloaded', {}, { headers: CLOSE });
  }

  /** The declared size counts at once for the sender; for the process only the bytes that have arrived count. */
  function open({ address, tokenRoot }: BodyOwner, declaredBytes: number): BodyLease {
    const counts = { promised: 0, arrived: 0 };
    const promise = (bytes: number): void => {
      const more = bytes - counts.promised;
      if (more <= 0) return;
      requireShare(byAddress, address, more, policy.addressBytes, 'this address');
      if (tokenRoot !== null) requireShare(byToken, tokenRoot, more, policy.tokenBytes, 'this token');
      add(byAddress, address, more);
      if (tokenRoot !== null) add(byToken, tokenRoot, more);
      counts.promised = bytes;
    };
    requireRoom(declaredBytes);
    promise(declaredBytes);
    return {
      grow(arrivedBytes) {
        promise(arrivedBytes);
        const more = arrivedBytes - counts.arrived;
        if (processBytes + more > policy.processBytes) throw fail('overloaded', {}, { headers: CLOSE });
        processBytes += more;
        counts.arrived = arrivedBytes;
      },
      release() {
        processBytes -= counts.arrived;
        add(byAddress, address, -counts.promised);
        if (tokenRoot !== null) add(byToken, tokenRoot, -counts.promised);
        counts.arrived = 0;
        counts.promised = 0;
      },
    };
  }

  return {
    open,
    get processBytes() {
      return processBytes;
    },
  };
}

function requireShare(
  shares: ReadonlyMap<string, number>,
  key: string,
  more: number,
  most: number,
  whom: string,
): void {
  if ((shares.get(key) ?? 0) + more <= most) return;
  throw fail('bodies_in_flight', { whom, retry_after: RETRY_AFTER_S }, { headers: CLOSE });
}

function add(shares: Map<string, number>, key: string, bytes: number): void {
  const now = (shares.get(key) ?? 0) + bytes;
  if (now === 0) shares.delete(key);
  else shares.set(key, now);
}
