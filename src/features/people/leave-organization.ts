import type { Work } from '#core/context.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { deleteMembership } from '../organizations/store.ts';
import type { Origin } from './port.ts';
import { recordIn } from './trail.ts';
import { holdMember, refuseLastAdministrator } from '../organizations/hold-member.ts';

/** Ends a membership at the member's own request. */
export async function leaveOrganization(
  work: Work,
  tx: Transaction,
  origin: Origin,
  leaving: { readonly organizationId: string; readonly userId: string },
): Promise<void> {
  const scope = createOrganizationScope(leaving.organizationId);
  const member = await holdMember(tx, scope, leaving.userId);
  await refuseLastAdministrator(tx, scope, member);
  await deleteMembership(scope, tx, member.user_id, work.clock.now());
  const person = { id: member.user_id, email: member.email };
  await recordIn(work, tx, leaving.organizationId, {
    event: 'leave_organization',
    person,
    origin,
    subject: member.user_id,
  });
}
