import type { WriteContext } from '#core/context.ts';
import { authorizeGrant } from '#core/grants.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { changeMemberRole as operation } from './contract.ts';
import { setMembership } from './store.ts';
import { holdMember, refuseLastAdministrator } from './hold-member.ts';

/** `PATCH /organization/members/{user_id}`. */
export async function changeMemberRole(input: Input<typeof operation>, context: WriteContext) {
  const { tx, principal, clock } = context;
  const scope = getScope(principal);
  const { role } = input.body;
  const grant = authorizeGrant(principal, 'membership', { role });
  const member = await holdMember(tx, scope, input.params.user_id);
  if (role !== 'admin') await refuseLastAdministrator(tx, scope, member);
  await setMembership(scope, tx, grant, { userId: member.user_id, at: clock.now() });
  return { ...member, role };
}
