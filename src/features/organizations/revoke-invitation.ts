import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { revokeInvitation as operation } from './contract.ts';
import { closeInvitation } from './invitation-store.ts';
import { holdInvitation, showInvitation } from './send-invitation.ts';

/** `DELETE /organization/invitations/{invitation_id}`. */
export async function revokeInvitation(input: Input<typeof operation>, context: WriteContext) {
  const invitation = await holdInvitation(input.params.invitation_id, context);
  const closing = { id: invitation.id, how: 'revoked', at: context.clock.now() } as const;
  await closeInvitation(getScope(context.principal), context.tx, closing);
  return showInvitation(invitation, 'revoked');
}
