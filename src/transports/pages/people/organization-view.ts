/** The members of an organization, as a page. */
import type { Output } from '#core/operation.ts';
import { roles, type Role } from '#core/permissions.ts';
import {
  changeMemberRole,
  inviteMember,
  removeMember,
  type listInvitations,
  type listMembers,
} from '#domain/organizations/contract.ts';
import { formToken, type PageContent } from '../layout.ts';
import { markup, type Markup } from '../markup.ts';
import { mayCall, type Session } from '../session.ts';
import { counted, day, sentenceCase } from '../words.ts';
import { problemLine } from './fields.ts';
import { settingsHead } from './settings-head.ts';

type Members = Output<typeof listMembers>;
type Member = Members['items'][number];
type Invitation = Output<typeof listInvitations>['items'][number];

export interface OrganizationParts {
  /** Null for people who may not see the members. */
  readonly members: Members | null;
  readonly invitations: readonly Invitation[];
  readonly sendsMail: boolean;
  readonly done: string | undefined;
  readonly problem?: string;
  readonly inviteProblem?: string;
  readonly email?: string;
}

const ROLE_WORDS: Readonly<Record<Role, string>> = {
  viewer: 'Viewer: reads',
  member: 'Member: creates and changes experiments',
  billing: 'Billing: quotes, invoices, payment',
  admin: 'Administrator: all of these, and members',
};

export function organizationView(session: Session, parts: OrganizationParts): PageContent {
  const { members } = parts;
  const body = markup`${settingsHead(session, 'people')}
${parts.done !== undefined && markup`<p class="notice" role="status">${parts.done}</p>`}
${parts.problem !== undefined && problemLine(parts.problem)}
<div class="sheets">
${members !== null && membersCard(session, members)}
${members !== null && mayCall(session, inviteMember) && inviteCard(session, parts)}
${parts.invitations.length > 0 && invitationsCard(session, parts.invitations)}
${leaveCard(session)}
</div>`;
  return { title: 'Organization', body, section: 'organization' };
}

export function roleSelect(id: string, chosen: Role, among: readonly Role[] = roles): Markup {
  const options = among.map(
    (role) =>
      markup`<option value="${role}"${role === chosen && markup` selected`}>${ROLE_WORDS[role]}</option>`,
  );
  return markup`<select id="${id}" name="role">${options}</select>`;
}

function membersCard(session: Session, members: Members): Markup {
  const { next } = members;
  return markup`<section class="card wide" aria-labelledby="members"><h2 id="members">${counted(members.total, 'member')}</h2>
<ul class="rows">${members.items.map((member) => memberRow(session, member))}</ul>
${next !== undefined && markup`<p><a href="/organization?cursor=${encodeURIComponent(next)}">Further members</a></p>`}</section>`;
}

function memberRow(session: Session, member: Member): Markup {
  const isSelf = member.user_id === session.userId;
  const hidden = markup`${formToken(session.visitor)}<input type="hidden" name="user_id" value="${member.user_id}">`;
  const id = `role-${member.user_id}`;
  const change =
    mayCall(session, changeMemberRole) &&
    markup`<form method="post" action="/organization/members/role" class="inline">${hidden}<label class="visually-hidden" for="${id}">Role of ${member.email}</label>${roleSelect(id, member.role)}<button class="quiet">Change</button></form>`;
  const remove =
    !isSelf &&
    mayCall(session, removeMember) &&
    markup`<details><summary>Remove</summary><form method="post" action="/organization/members/remove">${hidden}<p class="hint">Ends this person’s access and revokes their tokens here, at once.</p><button class="danger">Remove <bdi>${member.email}</bdi></button></form></details>`;
  return markup`<li><div><strong><bdi>${member.name ?? member.email}</bdi></strong>${isSelf && markup` <span class="chip">you</span>`}
<p class="hint"><bdi>${member.email}</bdi> · since ${day(member.joined_at)}</p></div><div class="deeds">${change}${remove}</div></li>`;
}

function inviteCard(session: Session, { sendsMail, inviteProblem, email = '' }: OrganizationParts): Markup {
  const form = markup`<form method="post" action="/organization/invite" class="fields">${formToken(session.visitor)}
<div class="field${inviteProblem !== undefined && ' invalid'}"><label for="invite-email">E-mail address</label><input id="invite-email" type="email" name="email" value="${email}" required maxlength="254" autocomplete="off">${inviteProblem !== undefined && problemLine(inviteProblem)}</div>
<div class="field"><label for="invite-role">Role</label>${roleSelect('invite-role', 'member')}</div>
<div><button class="primary">Send the invitation</button></div>
<p class="hint">The link in the mail works once, for seven days, and only for that address.</p></form>`;
  return markup`<section class="card" aria-labelledby="invite"><h2 id="invite">Invite somebody</h2>${sendsMail ? form : markup`<p>This environment sends no mail; its operator can set SMTP_URL.</p>`}</section>`;
}

function invitationsCard(session: Session, invitations: readonly Invitation[]): Markup {
  return markup`<section class="card" aria-labelledby="open"><h2 id="open">Invitations</h2><ul class="rows">${invitations.map(
    (invitation) => invitationRow(session, invitation),
  )}</ul></section>`;
}

function invitationRow(session: Session, invitation: Invitation): Markup {
  const hidden = markup`${formToken(session.visitor)}<input type="hidden" name="invitation_id" value="${invitation.id}">`;
  const state =
    invitation.status === 'expired'
      ? markup`expired ${day(invitation.expires_at)}`
      : markup`open until ${day(invitation.expires_at)}`;
  return markup`<li><div><strong><bdi>${invitation.email}</bdi></strong><p class="hint">${sentenceCase(invitation.role)} · ${state}</p></div>
<div class="deeds"><form method="post" action="/organization/invitations/resend">${hidden}<button class="quiet">Send again</button></form>
<form method="post" action="/organization/invitations/revoke">${hidden}<button class="quiet danger">Revoke</button></form></div></li>`;
}

function leaveCard(session: Session): Markup {
  return markup`<section class="card" aria-labelledby="leave"><h2 id="leave">Your membership</h2>
<p>You are <strong>${sentenceCase(session.principal.role)}</strong> of <bdi>${session.visitor.organization}</bdi>.</p>
<p><a href="/organizations">Switch to another organization</a></p>
<details><summary>Leave the organization</summary><form method="post" action="/organization/leave">${formToken(session.visitor)}<p class="hint">Your tokens here are revoked at once; only an invitation brings you back.</p><button class="danger">Leave</button></form></details></section>`;
}
