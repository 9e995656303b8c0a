/** Shared by inviting, inviting again and revoking. */
import { randomBytes } from 'node:crypto';
import { DAY_MS } from '#core/clock.ts';
import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { ROLE_NAMES } from '#core/permissions.ts';
import { getScope } from '#core/principal.ts';
import type { InvitationDelivery } from './contract.ts';
import { lockInvitation, type InvitationRow } from './invitation-store.ts';
import { selectOrganizationName } from './store.ts';
import { postMail } from '../notifications/mail/mail.ts';

export const INVITATION_LIFE_MS = 7 * DAY_MS;

const SECRET_BYTES = 24;

/** Throws `mail_not_served`. */
export function requireDelivery({ site }: WriteContext, delivery: InvitationDelivery): void {
  if (delivery === 'mail' && site.mail === 'none') throw fail('mail_not_served');
}

export function makeSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * Locks an invitation; an expired one may still be sent again or revoked. Throws `invitation_not_found` or
 * `invitation_closed`.
 */
export async function holdInvitation(id: string, { tx, principal }: WriteContext): Promise<InvitationRow> {
  const invitation = await lockInvitation(getScope(principal), tx, id);
  if (invitation === undefined) throw fail('invitation_not_found');
  if (invitation.accepted_at !== null) throw fail('invitation_closed', { status: 'accepted' });
  if (invitation.revoked_at !== null) throw fail('invitation_closed', { status: 'revoked' });
  return invitation;
}

/** Mails the link, or returns it to be handed over; the audit trail says which. */
export async function deliverInvitation(
  context: WriteContext,
  invitation: InvitationRow,
  secret: string,
): Promise<string | null> {
  const { delivery, email, role } = invitation;
  context.addAuditDetails({ email, role, delivery });
  if (delivery === 'link') return formatInvitationUrl(context, secret);
  await enqueueInvitationMail(context, invitation, secret);
  return null;
}

function formatInvitationUrl({ site }: WriteContext, secret: string): string {
  return `${site.baseUrl}/invitations/${secret}`;
}

async function enqueueInvitationMail(context: WriteContext, { email, role }: InvitationRow, secret: string) {
  const { tx, principal } = context;
  const organization = await selectOrganizationName(getScope(principal), tx);
  await postMail(context, tx, {
    to: email,
    subject: `Join ${organization} on Assayer`,
    content: {
      paragraphs: [
        `${principal.userEmail} invites you to join ${organization} on Assayer, with the role ${ROLE_NAMES[role]}.`,
        'The link works once, for seven days, and only for this address.',
      ],
      action: { label: `Join ${organization}`, url: formatInvitationUrl(context, secret) },
      footer: 'If you did not expect this mail, ignore it: nothing happens unless the link is opened.',
    },
  });
}

export function showInvitation(row: InvitationRow, status: 'open' | 'revoked') {
  const { id, email, role, delivery, invited_by_user_id, created_at, sent_at, expires_at } = row;
  const state = { status, withdrawn_because: null, delivery };
  return { id, email, role, ...state, invited_by_user_id, created_at, sent_at, expires_at };
}
