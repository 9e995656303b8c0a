import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { revokePartnerToken as operation } from './token-contract.ts';
import { lockPartnerToken } from './token-store.ts';
import { revokeBranch } from '../store.ts';
import { recordForClient } from './record-for-client.ts';

/** `POST /partners/tokens/{token_id}/revoke`. */
export async function revokePartnerToken(input: Input<typeof operation>, context: WriteContext) {
  const { tx, clock, principal } = context;
  const token = await lockPartnerToken(getScope(principal), tx, input.params.token_id);
  if (token === undefined) throw fail('token_not_found');
  const branch = { tokenId: token.id, userId: null, within: null, at: clock.now() };
  const revoked = await revokeBranch(createOrganizationScope(token.organization_id), tx, branch);
  if (revoked === undefined) throw fail('token_not_found');
  await recordForClient(context, token, operation);
  return revoked;
}
