/** Asking somebody to join, and joining. */
import { randomBytes } from 'node:crypto';
import { after, DAY_MS, MINUTE_MS } from '#core/clock.ts';
import type { Work, WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { authorizeGrant, grantAsAccepted } from '#core/grants.ts';
import type { Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import { labScope, organizationScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import type { inviteMember, resendInvitation, revokeInvitation } from '#domain/organizations/contract.ts';
import {
  closeInvitation,
  insertInvitation,
  invitationBehind,
  lockInvitation,
  renewInvitation,
  type InvitationRow,
  type OfferedInvitation,
} from '#domain/organizations/invitation-store.ts';
import { memberRole, organizationName, setMembership } from '#domain/organizations/store.ts';
import type { Origin, People } from '#domain/people/port.ts';
import { isEmail, normalEmail } from '#domain/people/rules.ts';
import { findPersonByEmail, markVerified } from '#domain/people/store.ts';
import { postMail } from '../mail.ts';
import { isLinkSecret } from '../people/links.ts';
import { makePerson } from '../people/sign-up.ts';
import { recordIn } from '../people/trail.ts';

const LIFETIME_MS = 7 * DAY_MS;
const RESEND_AFTER_MS = MINUTE_MS;
const SECRET_BYTES = 24;

/** `POST /organization/invitations`. */
export async function invite(input: Input<typeof inviteMember>, context: WriteContext) {
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
  const secret = newSecret();
  const at = clock.now();
  const made = await insertInvitation(scope, tx, grant, {
    id: ids.uuid(),
    email,
    secret,
    invitedBy: principal.userId,
    at,
    expiresAt: after(at, LIFETIME_MS),
  });
  if (made === undefined) throw fail('already_invited');
  await mailInvitation(context, made, secret);
  return wireOf(made, 'open');
}

/** `POST /organization/invitations/{invitation_id}/resend`. */
export async function resend(input: Input<typeof resendInvitation>, context: WriteContext) {
  const { tx, principal, clock } = context;
  requireMail(context);
  const held = await openInvitation(input.params.invitation_id, context);
  const at = clock.now();
  if (after(new Date(held.sent_at), RESEND_AFTER_MS) > at) throw fail('invitation_too_soon');
  const grant = authorizeGrant(principal, 'membership', { role: held.role });
  const secret = newSecret();
  const expiresAt = after(at, LIFETIME_MS);
  await renewInvitation(scopeOf(principal), tx, grant, { id: held.id, secret, at, expiresAt });
  await mailInvitation(context, held, secret);
  const renewed = { ...held, sent_at: at.toISOString(), expires_at: expiresAt.toISOString() };
  return wireOf(renewed, 'open');
}

/** `DELETE /organization/invitations/{invitation_id}`. */
export async function revoke(input: Input<typeof revokeInvitation>, context: WriteContext) {
  const held = await openInvitation(input.params.invitation_id, context);
  const closing = { id: held.id, how: 'revoked', at: context.clock.now() } as const;
  await closeInvitation(scopeOf(context.principal), context.tx, closing);
  return wireOf(held, 'revoked');
}

function requireMail({ site }: WriteContext): void {
  if (site.mail === 'none') throw fail('mail_not_served');
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** One that has expired may still be sent again or taken back. */
async function openInvitation(id: string, { tx, principal }: WriteContext): Promise<InvitationRow> {
  const held = await lockInvitation(scopeOf(principal), tx, id);
  if (held === undefined) throw fail('invitation_not_found');
  if (held.accepted_at !== null) throw fail('invitation_closed', { status: 'accepted' });
  if (held.revoked_at !== null) throw fail('invitation_closed', { status: 'revoked' });
  return held;
}

async function mailInvitation(context: WriteContext, { email, role }: InvitationRow, secret: string) {
  const { tx, principal, site } = context;
  const organization = await organizationName(scopeOf(principal), tx);
  await postMail(context, tx, {
    to: email,
    subject: `Join ${organization} on Assayer`,
    content: {
      paragraphs: [
        `${principal.userEmail} invites you to join ${organization} on Assayer, with the role ${role}.`,
        'The link works once, for seven days, and only for this address.',
      ],
      action: { label: `Join ${organization}`, url: `${site.baseUrl}/invitations/${secret}` },
      footer: 'If you do not know what this is about, do nothing: without the link nothing happens.',
    },
  });
}

function wireOf(row: InvitationRow, status: 'open' | 'revoked') {
  const { id, email, role, invited_by_user_id, created_at, sent_at, expires_at } = row;
  return { id, email, role, status, invited_by_user_id, created_at, sent_at, expires_at };
}

export interface Offer extends OfferedInvitation {
  /** The account of the invited address, when there is one. */
  readonly userId: string | null;
}

/** What a link offers; looking uses nothing up. */
export async function lookAtInvitation(
  work: Work,
  database: Database,
  secret: string,
): Promise<Offer | undefined> {
  if (!isLinkSecret(secret)) return undefined;
  const link = { secret, at: work.clock.now(), lock: false };
  const offered = await invitationBehind(labScope, database.read, link);
  if (offered === undefined) return undefined;
  const known = await findPersonByEmail(database.read, offered.email);
  return { ...offered, userId: known?.id ?? null };
}

/**
 * The reader of the mail joins under the invited address: a new person with a name and a password, a known one as
 * they are. The link proves the address as a sign-in link does, so a session comes with it.
 */
export async function acceptInvitation(
  work: Work,
  people: People,
  tx: Transaction,
  origin: Origin,
  given: { readonly secret: string; readonly name: string; readonly passwordHash: string | null },
): Promise<readonly string[] | undefined> {
  const at = work.clock.now();
  const offered = await invitationBehind(labScope, tx, { secret: given.secret, at, lock: true });
  if (offered === undefined) return undefined;
  const { email, role, organization_id: organizationId } = offered;
  const grant = grantAsAccepted({ organizationId, role });
  const scope = organizationScope(organizationId);
  const known = await findPersonByEmail(tx, email);
  const userId = known?.id ?? (await makePerson(work, tx, { email, name: given.name }));
  if (known !== undefined) await markVerified(tx, userId, at);
  // Who is a member by now keeps the role.
  if ((await memberRole(scope, tx, userId)) === undefined)
    await setMembership(scope, tx, grant, { userId, at });
  await closeInvitation(scope, tx, { id: offered.id, how: 'accepted', at });
  const person = { id: userId, email };
  await recordIn(work, tx, organizationId, {
    event: 'accept_invitation',
    person,
    origin,
    subject: offered.id,
  });
  return people.within(tx, async () => {
    const { passwordHash } = given;
    if (known === undefined && passwordHash !== null)
      await people.storePassword(origin, userId, passwordHash);
    return people.openSession(origin, userId, 'link', organizationId);
  });
}
