import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { revokeTokenById as operation } from './contract.ts';
import { revokeBranch } from './store.ts';

/** `POST /tokens/{token_id}/revoke`. For a limited token, tokens outside its own branch do not exist. */
export async function revokeTokenById(input: Input<typeof operation>, context: WriteContext) {
  const { principal, tx, clock } = context;
  const isAdministrator = principal.permissions.has('user:update');
  const revoked = await revokeBranch(getScope(principal), tx, {
    tokenId: input.params.token_id,
    userId: isAdministrator ? null : principal.userId,
    within: principal.restrictions.isLimited ? principal.tokenId : null,
    at: clock.now(),
  });
  if (revoked === undefined) throw fail('token_not_found');
  return revoked;
}
