import type { Keyring, PaymentPolicy } from '#core/capability.ts';
import { addMs } from '#core/clock.ts';
import type { Work } from '#core/context.ts';
import type { Grant } from '#core/grants.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { createRootClaims } from './rules.ts';
import { insertRootToken, type MintingPartner } from './store.ts';

export interface TokenRequest {
  readonly userId: string;
  readonly name: string;
  /** When the lifetime begins; now unless stated. */
  readonly at?: Date;
  /** Of the new token, which ends earlier where its grant does. */
  readonly lifetimeMs: number;
  /** The token that asks for it, and that it ends with. */
  readonly makerId?: string;
  readonly paymentPolicy?: PaymentPolicy | null;
  readonly partner?: MintingPartner;
}

export interface IssuedToken {
  readonly id: string;
  readonly value: string;
  readonly expiresAt: Date;
}

/** Makes a root token; its value exists only in what this returns. */
export async function issueRootToken(
  work: Work,
  tx: Transaction,
  keyring: Keyring,
  grant: Grant,
  request: TokenRequest,
): Promise<IssuedToken> {
  const { at: now = work.clock.now() } = request;
  const id = work.ids.createUuid();
  const { userId, name, lifetimeMs, makerId = null, paymentPolicy = null, partner } = request;
  const { organizationId, role, latestEnd } = grant;
  const requestedEnd = addMs(now, lifetimeMs);
  const expiresAt = latestEnd !== null && latestEnd < requestedEnd ? latestEnd : requestedEnd;
  await insertRootToken(createOrganizationScope(organizationId), tx, grant, {
    id,
    user_id: userId,
    name,
    token_type: 'user',
    maker_id: makerId,
    created_at: now,
    expires_at: expiresAt,
    payment_policy: paymentPolicy,
    partner,
  });
  const token = { id, userId, organizationId, role, expiresAt, paymentPolicy };
  const claims = createRootClaims(work.site.environment, token, now);
  return { id, value: await keyring.sign(claims), expiresAt };
}
