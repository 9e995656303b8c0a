import { DAY_MS } from '#core/clock.ts';
import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { authorizeGrant } from '#core/grants.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { createToken as operation } from './contract.ts';
import { LINEAGE_MAX } from './rules.ts';
import { holdLineage } from './store.ts';
import { issueRootToken } from './issue-root-token.ts';

export const LIFETIMES_MS = {
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
  '1y': 365 * DAY_MS,
} as const;

/** `POST /tokens`. */
export async function createToken(input: Input<typeof operation>, context: WriteContext) {
  const { principal, tx, keyring } = context;
  const { name, role, expires_in: lifetime, payment_policy: paymentPolicy = null } = input.body;
  const grant = authorizeGrant(principal, 'token', { role });
  const issued = await issueRootToken(context, tx, keyring, grant, {
    userId: principal.userId,
    name,
    lifetimeMs: LIFETIMES_MS[lifetime],
    paymentPolicy,
    ...(await holdMaker(context)),
  });
  return { id: issued.id, token: issued.value, name, role, expires_at: issued.expiresAt.toISOString() };
}

/** A token made with another token ends with it; a token that a person makes in the browser is independent. */
async function holdMaker({ principal, tx }: WriteContext): Promise<{ makerId?: string }> {
  if (principal.credential !== 'token') return {};
  const lineage = await holdLineage(getScope(principal), tx, principal.tokenId);
  if (lineage.isRevoked) throw fail('token_revoked');
  if (lineage.length >= LINEAGE_MAX)
    throw fail('token_restricted', {
      reason: `each token of its lineage made the next, and the lineage already has the maximum of ${LINEAGE_MAX}`,
    });
  return { makerId: principal.tokenId };
}
