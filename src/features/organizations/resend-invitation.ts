import { addMs, MINUTE_MS } from '#core/clock.ts';
import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { authorizeGrant } from '#core/grants.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { resendInvitation as operation } from './contract.ts';
import { renewInvitation } from './invitation-store.ts';
import {
  holdInvitation,
  INVITATION_LIFE_MS,
  deliverInvitation,
  makeSecret,
  requireDelivery,
  showInvitation,
} from './send-invitation.ts';

const RESEND_AFTER_MS = MINUTE_MS;

/** `POST /organization/invitations/{invitation_id}/resend`. */
export async function resendInvitation(input: Input<typeof operation>, context: WriteContext) {
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
