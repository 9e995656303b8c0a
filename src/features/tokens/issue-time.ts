/** A token with a future issue time, of any kind: the service's clock is behind the issuer's. */
import { fail } from '#core/failures.ts';

const TOLERANCE_S = 60;
const MINUTE_S = 60;

/** Throws `token_not_yet_valid`. */
export function refuseIfNotYetValid(issuedAtS: number, now: Date): void {
  const aheadS = issuedAtS - now.getTime() / 1000;
  if (aheadS <= TOLERANCE_S) return;
  const minutes = Math.ceil(aheadS / MINUTE_S);
  throw fail('token_not_yet_valid', { minutes });
}
