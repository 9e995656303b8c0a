/**
 * This folder: transactions about members and invitations. Not here: sign-in (`workflows/people`).
 */
import { after } from '#core/clock.ts';
import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { authorizeGrant } from '#core/grants.ts';
import type { Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import type { inviteMember as operation } from '#domain/organizations/contract.ts';
import { insertInvitation } from '#domain/organizations/invitation-store.ts';
import { memberRole } from '#domain/organizations/store.ts';
import { isEmail, normalEmail } from '#domain/people/rules.ts';
import { findPersonByEmail } from '#domain/people/store.ts';
import {
  INVITATION_LIFE_MS,
  mailInvitation,
  makeSecret,
  requireMail,
  showInvitation,
} from './send-invitation.ts';

/** `POST /organization/invitations`. */
export async function inviteMember(input: Input<typeof operation>, context: WriteContext) {
  const { tx, principal, ids, clock } = context;
  requireMail(context);
  const email = normalEmail(input.body.email);
  if (!isEmail(email)) {
    const problems = [{ path: 'email', message: 'must be an e-mail address' }];
    throw fail('invalid_request', { reason: 'email: must be an e-mail address.' }, { problems });
  }
  const scope = scopeOf(principal);
  const known = await findPersonByEmail(tx, email);
  if (known !== undefined && (await memberRole(scope, tx, known.id)) !== undefined)
    throw fail('already_member');
  const grant = authorizeGrant(principal, 'membership', { role: input.body.role });
  const secret = makeSecret();
  const at = clock.now();
  const made = await insertInvitation(scope, tx, grant, {
    id: ids.uuid(),
    email,
    secret,
    invitedBy: principal.userId,
    at,
    expiresAt: after(at, INVITATION_LIFE_MS),
  });
  if (made === undefined) throw fail('already_invited');
  await mailInvitation(context, made, secret);
  return showInvitation(made, 'open');
}
