/** The members of an organization, as a page. */
import { formatCount } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import { ROLE_NAMES, roles, type Role } from '#core/permissions.ts';
import {
  changeMemberRole,
  inviteMember,
  removeMember,
  resendInvitation,
  revokeInvitation,
  type listInvitations,
  type listMembers,
} from '../../organizations/contract.ts';
import { defineAction, listShown, renderAction } from '#ui/action.ts';
import { renderFields, renderFormFields, renderLabForm, renderRefusal, type FormsView } from '#ui/form.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { canCall, type Session } from '#ui/session.ts';
import { renderDay } from '#ui/words.ts';
import { renderSettingsHead } from './settings-head.ts';

export const PATH = '/organization';

type Members = Output<typeof listMembers>;
type Member = Members['items'][number];
type Invitation = Output<typeof listInvitations>['items'][number];

export interface OrganizationParts {
  /** Null for people who may not see the members. */
  readonly members: Members | null;
  readonly invitations: readonly Invitation[];
  readonly sendsMail: boolean;
  readonly notice: Markup | null;
}

export const ROLE_MEANINGS: Readonly<Record<Role, string>> = {
  viewer: 'Viewer: reads.',
  member: 'Member: creates and changes experiments.',
  billing: 'Billing: quotes, invoices, payment.',
  admin: 'Administrator: all of these, and members.',
};

export function listRoleOptions(among: readonly Role[] = roles): readonly (readonly [string, string])[] {
  return among.map((role) => [role, ROLE_NAMES[role]]);
}

const changeRole = defineAction(changeMemberRole, {
  path: `${PATH}/members/role`,
  page: PATH,
  button: 'Change',
  tone: 'quiet',
  fields: { role: { label: 'Role', options: listRoleOptions() } },
  done: 'The role was changed.',
});
const remove = defineAction(removeMember, {
  path: `${PATH}/members/remove`,
  page: PATH,
  button: 'Remove',
  tone: 'danger',
  hint: 'Ends this person’s access and revokes their tokens here, at once.',
  summary: 'Remove',
  done: 'The member was removed, and the tokens of that person here were revoked.',
});
const revoke = defineAction(revokeInvitation, {
  path: `${PATH}/invitations/revoke`,
  page: PATH,
  button: 'Revoke',
  tone: 'danger',
  hint: 'The link stops working at once.',
  summary: 'Revoke',
  done: 'The invitation was revoked.',
});
/** It shows a link unless it sends a mail, and so does the one below. */
export const inviting = defineAction(inviteMember, {
  path: `${PATH}/invite`,
  page: PATH,
  button: 'Send the invitation',
  fields: {
    email: { label: 'E-mail address', kind: 'email' },
    role: {
      label: 'Role',
      options: listRoleOptions(),
      hint: roles.map((role) => ROLE_MEANINGS[role]).join(' '),
    },
  },
  done: 'The invitation was sent.',
});
export const resending = defineAction(resendInvitation, {
  path: `${PATH}/invitations/resend`,
  page: PATH,
  button: 'Send again',
  tone: 'quiet',
  done: 'The invitation was sent again; the earlier link no longer works.',
});
export const organizationActions = [changeRole, remove, revoke];

export function renderOrganizationPage(forms: FormsView, parts: OrganizationParts): PageContent {
  const { session } = forms;
  const { members } = parts;
  const body = markup`${renderSettingsHead(session, 'people')}
${parts.notice}
<div class="sheets">
${members !== null && renderMembersCard(forms, members)}
${members !== null && canCall(session, inviteMember) && renderInviteCard(forms, parts.sendsMail)}
${parts.invitations.length > 0 && renderInvitationsCard(forms, parts)}
${renderLeaveCard(forms)}
</div>`;
  return { title: 'Organization', body, section: 'organization' };
}

function renderMembersCard(forms: FormsView, members: Members): Markup {
  const { next } = members;
  return markup`<section class="card wide" aria-labelledby="members"><h2 id="members">${formatCount(members.total, 'member')}</h2>
<ul class="rows">${members.items.map((member) => renderMemberRow(forms, member))}</ul>
${next !== undefined && markup`<p><a href="${PATH}?cursor=${encodeURIComponent(next)}">Further members</a></p>`}</section>`;
}

function renderMemberRow(forms: FormsView, member: Member): Markup {
  const { user_id: id, email } = member;
  const isSelf = id === forms.session.userId;
  const params = { user_id: id };
  const label = { role: { label: `Role of ${email}` } };
  const change = renderAction(forms, changeRole, { params, values: member, fields: label });
  const removal =
    !isSelf &&
    renderAction(forms, remove, { params, button: markup`<span>Remove <bdi>${email}</bdi></span>` });
  return markup`<li><div><strong><bdi>${member.name ?? member.email}</bdi></strong>${isSelf && markup` <span class="chip">you</span>`}
<p class="hint"><bdi>${member.email}</bdi>${!member.is_address_proven && ' (not proven)'} · since ${renderDay(member.joined_at)}</p></div><div class="row-actions">${change && markup`<div class="inline">${change}</div>`}${removal}</div></li>`;
}

/** Its two buttons say how the link goes out. */
function renderInviteCard({ session, createKey, remark }: FormsView, sendsMail: boolean): Markup {
  const { path: action } = inviting;
  const refused = remark?.action === action ? remark : undefined;
  const fields = listShown(inviting.fields, { role: 'member' });
  return markup`<section class="card" aria-labelledby="invite"><h2 id="invite">Invite somebody</h2>
<form method="post" action="${action}" class="fields">${renderFormFields(session, createKey())}${refused && renderRefusal(refused, fields)}
${renderFields(action, fields, refused)}
<div class="actions">${sendsMail && markup`<button class="primary" name="delivery" value="mail">Send the invitation</button>`}<button${!sendsMail && markup` class="primary"`} name="delivery" value="link">Make a link to copy</button></div>
<p class="hint">${sendsMail ? 'The link works' : 'This environment sends no mail, so hand the link over yourself. It works'} once, for seven days, and only for that address. A copied link does not prove that the address is theirs.</p></form></section>`;
}

function renderInvitationsCard(forms: FormsView, { invitations, sendsMail }: OrganizationParts): Markup {
  return markup`<section class="card" aria-labelledby="open"><h2 id="open">Invitations</h2><ul class="rows">${invitations.map(
    (invitation) => renderInvitationRow(forms, invitation, sendsMail),
  )}</ul></section>`;
}

function renderInvitationRow(forms: FormsView, invitation: Invitation, sendsMail: boolean): Markup {
  const { id, email, role } = invitation;
  const params = { invitation_id: id };
  const resend = (delivery: 'mail' | 'link', button: Part): Markup | null =>
    renderAction(forms, resending, { params: { ...params, delivery }, button });
  const words = markup`<span>Revoke the invitation of <bdi>${email}</bdi></span>`;
  return markup`<li><div><strong><bdi>${email}</bdi></strong><p class="hint">${ROLE_NAMES[role]} · ${renderInvitationState(invitation)}</p></div>
<div class="row-actions">${sendsMail && resend('mail', markup`Send again<span class="visually-hidden"> to ${email}</span>`)}${resend('link', markup`New link<span class="visually-hidden"> for ${email}</span>`)}
${renderAction(forms, revoke, { params, button: words })}</div></li>`;
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
<p><a class="button" href="${PATH}">I have copied it</a></p></section>`;
  return { title: 'Invitation', body, section: 'organization', scripts: ['copy'] };
}

function renderLeaveCard(forms: FormsView): Markup {
  const { principal, visitor } = forms.session;
  const leave = renderLabForm(forms, {
    action: `${PATH}/leave`,
    button: 'Leave',
    tone: 'danger',
    hint: 'Your tokens here are revoked at once; only an invitation brings you back.',
    summary: 'Leave the organization',
  });
  return markup`<section class="card" aria-labelledby="leave"><h2 id="leave">Your membership</h2>
<p>You are <strong>${ROLE_NAMES[principal.role]}</strong> of <bdi>${visitor.organization}</bdi>.</p>
<p class="calls"><a href="/organizations">Switch to another organization</a></p>
${leave}</section>`;
}
