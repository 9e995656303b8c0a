import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { getScope } from '#core/principal.ts';
import { selectPastRevocations, revokeBranch } from './store.ts';

/**
 * `POST /tokens/revoke`. A limited token revokes itself and its descendants only; any other token revokes its
 * root.
 */
export async function revokeToken(_input: unknown, context: WriteContext) {
  const { principal, tx, clock } = context;
  const { tokenId, tokenPath, restrictions } = principal;
  const target = restrictions.isLimited ? tokenId : (tokenPath[0] ?? tokenId);
  if (principal.isRevoked) return repeatRevocation(context, [target, tokenId]);
  const branch = { tokenId: target, userId: null, within: null, at: clock.now() };
  const revoked = await revokeBranch(getScope(principal), tx, branch);
  if (revoked === undefined) throw new Error('a token without a row was accepted');
  return revoked;
}

/** A revoked token revokes nothing more: the answer has the first revocation that it would have repeated. */
async function repeatRevocation({ principal, tx }: WriteContext, tokenIds: readonly string[]) {
  const past = await selectPastRevocations(getScope(principal), tx, tokenIds);
  const earlier = tokenIds.flatMap((id) => past.filter((each) => each.token_id === id))[0];
  if (earlier === undefined) throw fail('token_revoked');
  return { ...earlier, children_revoked: 0 };
}
