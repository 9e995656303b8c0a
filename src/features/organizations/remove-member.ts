import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { removeMember as operation } from './contract.ts';
import { deleteMembership } from './member-store.ts';
import { holdMember, refuseLastAdministrator } from './hold-member.ts';

/** `DELETE /organization/members/{user_id}`. */
export async function removeMember(input: Input<typeof operation>, context: WriteContext) {
  const { tx, principal, clock } = context;
  const scope = getScope(principal);
  const member = await holdMember(tx, scope, input.params.user_id);
  await refuseLastAdministrator(tx, scope, member);
  const revoked = await deleteMembership(scope, tx, member.user_id, clock.now());
  return { user_id: member.user_id, tokens_revoked: revoked };
}
