/** The members of an organization, as a page. */
import { formatCount } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import { ROLE_NAMES, roles, type Role } from '#core/permissions.ts';
import {
  changeMemberRole,
  inviteMember,
  removeMember,
  type listInvitations,
  type listMembers,
} from '../../organizations/contract.ts';
import { renderFormToken, type PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall, type Session } from '#ui/session.ts';
import { renderDay } from '#ui/words.ts';
import { renderProblem } from './fields.ts';
import { renderSettingsHead } from './settings-head.ts';

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

const ROLE_MEANINGS: Readonly<Record<Role, string>> = {
  viewer: 'Viewer: reads.',
  member: 'Member: creates and changes experiments.',
  billing: 'Billing: quotes, invoices, payment.',
  admin: 'Administrator: all of these, and members.',
};

export function renderOrganizationPage(session: Session, parts: OrganizationParts): PageContent {
  const { members } = parts;
  const body = markup`${renderSettingsHead(session, 'people')}
${parts.done !== undefined && markup`<p class="notice" role="status">${parts.done}</p>`}
${parts.problem !== undefined && renderProblem(parts.problem)}
<div class="sheets">
${members !== null && renderMembersCard(session, members)}
${members !== null && canCall(session, inviteMember) && inviteCard(session, parts)}
${parts.invitations.length > 0 && renderInvitationsCard(session, parts)}
${leaveCard(session)}
</div>`;
  return { title: 'Organization', body, section: 'organization' };
}

export function renderRoleSelect(id: string, chosen: Role, among: readonly Role[] = roles): Markup {
  const options = among.map(
    (role) =>
      markup`<option value="${role}"${role === chosen && markup` selected`}>${ROLE_NAMES[role]}</option>`,
  );
  return markup`<select id="${id}" name="role">${options}</select>`;
}

/** What each role of the pickers may do. */
export function renderRoleHint(among: readonly Role[] = roles): Markup {
  return markup`<p class="hint">${among.map((role) => ROLE_MEANINGS[role]).join(' ')}</p>`;
}

function renderMembersCard(session: Session, members: Members): Markup {
  const { next } = members;
  return markup`<section class="card wide" aria-labelledby="members"><h2 id="members">${formatCount(members.total, 'member')}</h2>
<ul class="rows">${members.items.map((member) => renderMemberRow(session, member))}</ul>
${next !== undefined && markup`<p><a href="/organization?cursor=${encodeURIComponent(next)}">Further members</a></p>`}</section>`;
}

function renderMemberRow(session: Session, member: Member): Markup {
  const isSelf = member.user_id === session.userId;
  const hidden = markup`${renderFormToken(session.visitor)}<input type="hidden" name="user_id" value="${member.user_id}">`;
  const id = `role-${member.user_id}`;
  const change =
    canCall(session, changeMemberRole) &&
    markup`<form method="post" action="/organization/members/role" class="inline">${hidden}<label class="visually-hidden" for="${id}">Role of ${member.email}</label>${renderRoleSelect(id, member.role)}<button class="quiet">Change</button></form>`;
  const remove =
    !isSelf &&
    canCall(session, removeMember) &&
    markup`<details><summary>Remove</summary><form method="post" action="/organization/members/remove">${hidden}<p class="hint">Ends this person’s access and revokes their tokens here, at once.</p><button class="danger"><span>Remove <bdi>${member.email}</bdi></span></button></form></details>`;
  return markup`<li><div><strong><bdi>${member.name ?? member.email}</bdi></strong>${isSelf && markup` <span class="chip">you</span>`}
<p class="hint"><bdi>${member.email}</bdi>${!member.is_address_proven && ' (not proven)'} · since ${renderDay(member.joined_at)}</p></div><div class="row-actions">${change}${remove}</div></li>`;
}

function inviteCard(session: Session, { sendsMail, inviteProblem, email = '' }: OrganizationParts): Markup {
  const form = markup`<form method="post" action="/organization/invite" class="fields">${renderFormToken(session.visitor)}
<div class="field${inviteProblem !== undefined && ' invalid'}"><label for="invite-email">E-mail address</label><input id="invite-email" type="email" name="email" value="${email}" required maxlength="254" autocomplete="off">${inviteProblem !== undefined && renderProblem(inviteProblem)}</div>
<div class="field"><label for="invite-role">Role</label>${renderRoleSelect('invite-role', 'member')}${renderRoleHint()}</div>
<div class="actions">${sendsMail && markup`<button class="primary" name="delivery" value="mail">Send the invitation</button>`}<button${!sendsMail && markup` class="primary"`} name="delivery" value="link">Make a link to copy</button></div>
<p class="hint">${sendsMail ? 'The link works' : 'This environment sends no mail, so hand the link over yourself. It works'} once, for seven days, and only for that address. A copied link does not prove that the address is theirs.</p></form>`;
  return markup`<section class="card" aria-labelledby="invite"><h2 id="invite">Invite somebody</h2>${form}</section>`;
}

function renderInvitationsCard(session: Session, { invitations, sendsMail }: OrganizationParts): Markup {
  return markup`<section class="card" aria-labelledby="open"><h2 id="open">Invitations</h2><ul class="rows">${invitations.map(
    (invitation) => renderInvitationRow(session, invitation, sendsMail),
  )}</ul></section>`;
}

function renderInvitationRow(session: Session, invitation: Invitation, sendsMail: boolean): Markup {
  const hidden = markup`${renderFormToken(session.visitor)}<input type="hidden" name="invitation_id" value="${invitation.id}">`;
  const state = renderInvitationState(invitation);
  return markup`<li><div><strong><bdi>${invitation.email}</bdi></strong><p class="hint">${ROLE_NAMES[invitation.role]} · ${state}</p></div>
<div class="row-actions"><form method="post" action="/organization/invitations/resend">${hidden}${sendsMail && markup`<button class="quiet" name="delivery" value="mail">Send again<span class="visually-hidden"> to ${invitation.email}</span></button>`}<button class="quiet" name="delivery" value="link">New link<span class="visually-hidden"> for ${invitation.email}</span></button></form>
<details><summary>Revoke</summary><form method="post" action="/organization/invitations/revoke">${hidden}<p class="hint">The link stops working at once.</p><button class="danger"><span>Revoke the invitation of <bdi>${invitation.email}</bdi></span></button></form></details></div></li>`;
}

function renderInvitationState({ status, withdrawn_because: reason, expires_at: end }: Invitation): Markup {
  if (status === 'expired') return markup`expired ${renderDay(end)}`;
  if (status !== 'withdrawn') return markup`open until ${renderDay(end)}`;
  return markup`no longer counts: whoever sent it ${reason === 'sender_left' ? 'has left the organization' : 'may no longer give this role'}; send it again`;
}

/** The link of an invitation, once. */
export function renderInvitationLink(
  session: Session,
  { email, role, link, expires_at: expiresAt }: Output<typeof inviteMember>,
): PageContent {
  const body = markup`${renderSettingsHead(session, 'people')}
<section class="card" aria-labelledby="made"><h2 id="made">The invitation of <bdi>${email}</bdi></h2>
<p><strong>Copy the link now: it is shown only once.</strong> Whoever opens it joins as ${ROLE_NAMES[role]}, so hand it to this person alone.</p>
<p><code class="secret" id="secret">${link}</code></p>
<p><button type="button" data-copy="secret" hidden>Copy the link</button> <span class="hint" role="status" data-copied></span></p>
<p class="hint">It works once, until ${renderDay(expiresAt)}. An earlier link of this invitation no longer works.</p>
<p><a class="button" href="/organization">I have copied it</a></p></section>`;
  return { title: 'Invitation', body, section: 'organization', scripts: ['copy'] };
}

function leaveCard(session: Session): Markup {
  return markup`<section class="card" aria-labelledby="leave"><h2 id="leave">Your membership</h2>
<p>You are <strong>${ROLE_NAMES[session.principal.role]}</strong> of <bdi>${session.visitor.organization}</bdi>.</p>
<p class="calls"><a href="/organizations">Switch to another organization</a></p>
<details><summary>Leave the organization</summary><form method="post" action="/organization/leave">${renderFormToken(session.visitor)}<p class="hint">Your tokens here are revoked at once; only an invitation brings you back.</p><button class="danger">Leave</button></form></details></section>`;
}
