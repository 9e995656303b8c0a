/** The operations of organizations, each with what carries it out. */
import { bindLabList, bindList, bindWrite, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { listMemberPage, deleteMembership, setMembership, listOrganizationsPage } from './store.ts';
import { authorizeGrant } from '#core/grants.ts';
import { holdMember, refuseLastAdministrator } from './hold-member.ts';
import { listInvitationPage, renewInvitation, closeInvitation } from './invitation-store.ts';
import { addMs, MINUTE_MS } from '#core/clock.ts';
import { fail } from '#core/failures.ts';
import {
  holdInvitation,
  INVITATION_LIFE_MS,
  deliverInvitation,
  makeSecret,
  requireDelivery,
  showInvitation,
} from './send-invitation.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';

export const organizationsOperations: readonly Binding[] = [
  bindList(contract.listMembers, ({ scope, sql }, query) => listMemberPage(scope, sql, query)),
  bindWrite(contract.changeMemberRole, changeMemberRole),
  bindWrite(contract.removeMember, removeMember),
  bindList(contract.listInvitations, ({ scope, sql, clock }, query) =>
    listInvitationPage(scope, sql, query, clock.now()),
  ),
  bindWrite(contract.resendInvitation, resendInvitation),
  bindWrite(contract.revokeInvitation, revokeInvitation),
  bindLabList(contract.listLabOrganizations, ({ scope, sql }, query) =>
    listOrganizationsPage(scope, sql, query, INSTALLATION_ID),
  ),
];

/** `PATCH /organization/members/{user_id}`. */
async function changeMemberRole(input: Input<typeof contract.changeMemberRole>, context: WriteContext) {
  const { tx, principal, clock } = context;
  const scope = getScope(principal);
  const { role } = input.body;
  const grant = authorizeGrant(principal, 'membership', { role });
  const member = await holdMember(tx, scope, input.params.user_id);
  if (role !== 'admin') await refuseLastAdministrator(tx, scope, member);
  await setMembership(scope, tx, grant, { user_id: member.user_id, at: clock.now() });
  return { ...member, role };
}

/** `DELETE /organization/members/{user_id}`. */
async function removeMember(input: Input<typeof contract.removeMember>, context: WriteContext) {
  const { tx, principal, clock } = context;
  const scope = getScope(principal);
  const member = await holdMember(tx, scope, input.params.user_id);
  await refuseLastAdministrator(tx, scope, member);
  const revoked = await deleteMembership(scope, tx, member.user_id, clock.now());
  return { user_id: member.user_id, tokens_revoked: revoked };
}

const RESEND_AFTER_MS = MINUTE_MS;

/** `POST /organization/invitations/{invitation_id}/resend`. */
async function resendInvitation(input: Input<typeof contract.resendInvitation>, context: WriteContext) {
  const { tx, principal, clock } = context;
  const { delivery = 'mail' } = input.body ?? {};
  requireDelivery(context, delivery);
  const invitation = await holdInvitation(input.params.invitation_id, context);
  const at = clock.now();
  const waitMs = addMs(new Date(invitation.sent_at), RESEND_AFTER_MS).getTime() - at.getTime();
  if (delivery === 'mail' && waitMs > 0)
    throw fail('invitation_too_soon', { retry_after: Math.ceil(waitMs / 1_000) });
  const grant = authorizeGrant(principal, 'membership', { role: invitation.role });
  const secret = makeSecret();
  const expiresAt = addMs(at, INVITATION_LIFE_MS);
  await renewInvitation(getScope(principal), tx, grant, {
    id: invitation.id,
    secret,
    delivery,
    invitedBy: principal.userId,
    at,
    expiresAt,
  });
  const renewed = {
    ...invitation,
    delivery,
    invited_by_user_id: principal.userId,
    sent_at: at.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
  const link = await deliverInvitation(context, renewed, secret);
  return { ...showInvitation(renewed, 'open'), link, link_was_shown: false };
}

/** `DELETE /organization/invitations/{invitation_id}`. */
async function revokeInvitation(input: Input<typeof contract.revokeInvitation>, context: WriteContext) {
  const invitation = await holdInvitation(input.params.invitation_id, context);
  const closing = { id: invitation.id, how: 'revoked', at: context.clock.now() } as const;
  await closeInvitation(getScope(context.principal), context.tx, closing);
  return showInvitation(invitation, 'revoked');
}
