import { addMs } from '#core/clock.ts';
import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { authorizeGrant } from '#core/grants.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { inviteMember as operation } from '../organizations/contract.ts';
import { insertInvitation } from '../organizations/invitation-store.ts';
import { selectMemberRole } from '../organizations/store.ts';
import { isEmail, normalizeEmail } from './rules.ts';
import { findPersonByEmail } from './store.ts';
import {
  INVITATION_LIFE_MS,
  deliverInvitation,
  makeSecret,
  requireDelivery,
  showInvitation,
} from '../organizations/send-invitation.ts';

/** `POST /organization/invitations`. */
export async function inviteMember(input: Input<typeof operation>, context: WriteContext) {
  const { tx, principal, ids, clock } = context;
  const { delivery = 'mail' } = input.body;
  requireDelivery(context, delivery);
  const email = normalizeEmail(input.body.email);
  if (!isEmail(email)) {
    const problems = [{ path: 'email', message: 'must be an e-mail address' }];
    throw fail('invalid_request', { reason: 'email: must be an e-mail address.' }, { problems });
  }
  const scope = getScope(principal);
  const person = await findPersonByEmail(tx, email);
  if (person !== undefined && (await selectMemberRole(scope, tx, person.id)) !== undefined)
    throw fail('already_member');
  const grant = authorizeGrant(principal, 'membership', { role: input.body.role });
  const secret = makeSecret();
  const at = clock.now();
  const invitation = await insertInvitation(scope, tx, grant, {
    id: ids.createUuid(),
    email,
    secret,
    delivery,
    invitedBy: principal.userId,
    at,
    expiresAt: addMs(at, INVITATION_LIFE_MS),
  });
  if (invitation === undefined) throw fail('already_invited');
  const link = await deliverInvitation(context, invitation, secret);
  return { ...showInvitation(invitation, 'open'), link, link_was_shown: false };
}
