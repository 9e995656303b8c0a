/** A partner replaces a token that it minted: the old one ends in the transaction that makes the new one. */
import type { WriteContext } from '#core/context.ts';
import { createInvalidFieldsFailure, fail } from '#core/failures.ts';
import { authorizeGrant } from '#core/grants.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { computeLifetimeMs, findEndProblems } from './rules.ts';
import { renewPartnerToken as operation } from './token-contract.ts';
import { lockPartnerToken } from './token-store.ts';
import { revokeBranch } from '../store.ts';
import { issueRootToken } from '../issue-root-token.ts';
import { recordForClient } from './record-for-client.ts';

/** `POST /partners/tokens/{token_id}/renew`: replaces a token that the partner minted. */
export async function renewPartnerToken(input: Input<typeof operation>, context: WriteContext) {
  const { tx, clock, keyring, principal } = context;
  const at = clock.now();
  const problems = findEndProblems(input.body.expires_at, at);
  if (problems.length > 0) throw createInvalidFieldsFailure(problems);
  const partner = getScope(principal);
  const old = await lockPartnerToken(partner, tx, input.params.token_id);
  if (old === undefined) throw fail('token_not_found');
  if (old.renewed_by !== null) throw fail('token_renewed_already');
  if (old.member_role === null) throw fail('token_holder_left');
  const { user_id: userId, organization_id: organizationId, role, name } = old;
  const grant = authorizeGrant(principal, 'client', { role, organizationId });
  const branch = { tokenId: old.id, userId: null, within: null, at };
  await revokeBranch(createOrganizationScope(organizationId), tx, branch);
  const lifetimeMs = computeLifetimeMs(input.body.expires_at, at);
  const issued = await issueRootToken(context, tx, keyring, grant, {
    userId,
    name,
    at,
    lifetimeMs,
    partner: { organizationId: partner.organizationId, renewsTokenId: old.id },
  });
  await recordForClient(context, old, operation);
  return {
    token: issued.value,
    token_id: issued.id,
    user_id: userId,
    organization_id: organizationId,
    expires_at: issued.expiresAt.toISOString(),
  };
}
