/** The pages of an organization: its members, joining and leaving. */
import { Failure } from '#core/failures.ts';
import {
  changeMemberRole,
  inviteMember,
  listInvitations,
  listMembers,
  removeMember,
  resendInvitation,
  revokeInvitation,
} from '../../organizations/contract.ts';
import { leaveOrganization } from '../account.ts';
import { addPortalForm, addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { getField, queryParameter, findSentence } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { canCall, getOrigin } from '#ui/session.ts';
import { renderInvitationLink, renderOrganizationPage } from './organization-view.ts';
import type { Routes } from '#ui/routes.ts';

const PAGE_LENGTH = 100;
/** Those that can be sent again. */
const PENDING: ReadonlySet<string> = new Set(['open', 'expired', 'withdrawn']);

export function addOrganizationPages(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, '/organization', (context) => loadOrganizationPage(context));
  addPortalForm(routes, parts, '/organization/invite', invite);
  addPortalForm(routes, parts, '/organization/invitations/resend', resend);
  addPortalForm(routes, parts, '/organization/invitations/revoke', (context) =>
    change(context, 'revoked', () =>
      context.api.reply(revokeInvitation, { params: getIdParameter(context, 'invitation_id') }),
    ),
  );
  addPortalForm(routes, parts, '/organization/members/role', (context) =>
    change(context, 'role', () =>
      context.api.reply(changeMemberRole, {
        params: getIdParameter(context, 'user_id'),
        body: { role: getField(context.form, 'role') },
      }),
    ),
  );
  addPortalForm(routes, parts, '/organization/members/remove', (context) =>
    change(context, 'removed', () =>
      context.api.reply(removeMember, { params: getIdParameter(context, 'user_id') }),
    ),
  );
  addPortalForm(routes, parts, '/organization/leave', leaveIt);
}

const DONE: Readonly<Record<string, string>> = {
  invited: 'The invitation was sent.',
  sent: 'The invitation was sent again; the earlier link no longer works.',
  revoked: 'The invitation was revoked.',
  role: 'The role was changed.',
  removed: 'The member was removed, and the tokens of that person here were revoked.',
};

interface Remark {
  readonly problem?: string;
  readonly inviteProblem?: string;
  readonly email?: string;
}

async function loadOrganizationPage(context: PortalContext, remark: Remark = {}): Promise<PageContent> {
  const { api, session, request, parts } = context;
  const cursor = queryParameter(request, 'cursor');
  const seesPeople = canCall(session, listMembers);
  const members = seesPeople
    ? await api.call(listMembers, {
        query: { limit: PAGE_LENGTH, sort: 'asc(email)', ...(cursor === '' ? {} : { cursor }) },
      })
    : null;
  const invitations = seesPeople ? await api.call(listInvitations, { query: { limit: PAGE_LENGTH } }) : null;
  return renderOrganizationPage(session, {
    members,
    invitations: invitations?.items.filter(({ status }) => PENDING.has(status)) ?? [],
    sendsMail: parts.work.site.mail !== 'none',
    done: findSentence(DONE, queryParameter(request, 'done')),
    ...remark,
  });
}

function getIdParameter({ form }: FormContext, name: string): Readonly<Record<string, string>> {
  return { [name]: getField(form, name) };
}

/** Makes a change, or shows on the same page why it failed. */
async function change(
  context: FormContext,
  done: string,
  act: () => Promise<unknown>,
): Promise<string | PageContent> {
  try {
    await act();
    return `/organization?done=${done}`;
  } catch (error) {
    if (!(error instanceof Failure) || error.status >= 500) throw error;
    return { ...(await loadOrganizationPage(context, { problem: error.message })), status: error.status };
  }
}

async function resend(context: FormContext): Promise<string | PageContent> {
  const { api, form, session } = context;
  const params = getIdParameter(context, 'invitation_id');
  const delivery = readDelivery(form);
  if (delivery === 'mail')
    return change(context, 'sent', () => api.reply(resendInvitation, { params, body: {} }));
  try {
    return renderInvitationLink(session, await api.call(resendInvitation, { params, body: { delivery } }));
  } catch (error) {
    return change(context, '', () => Promise.reject(error));
  }
}

/** How the inviter wants the link to go out: the button that was pressed. */
function readDelivery(form: FormContext['form']): 'mail' | 'link' {
  return getField(form, 'delivery') === 'link' ? 'link' : 'mail';
}

async function invite(context: FormContext): Promise<string | PageContent> {
  const { api, form, session } = context;
  const email = getField(form, 'email');
  const delivery = readDelivery(form);
  try {
    const body = { email, role: getField(form, 'role'), delivery };
    const invitation = await api.call(inviteMember, { body });
    return invitation.link === null
      ? '/organization?done=invited'
      : renderInvitationLink(session, invitation);
  } catch (error) {
    if (!(error instanceof Failure) || error.status === 403 || error.status >= 500) throw error;
    const remark = { inviteProblem: error.message, email: email.slice(0, 254) };
    return { ...(await loadOrganizationPage(context, remark)), status: error.status };
  }
}

async function leaveIt(context: FormContext): Promise<string | PageContent> {
  const { parts, request, session } = context;
  const { organizationId, userId } = session.principal;
  return change(context, '', () =>
    parts.database.runTransaction((tx) =>
      leaveOrganization(parts.work, tx, getOrigin(request), { organizationId, userId }),
    ),
  ).then((next) => (typeof next === 'string' ? '/organizations' : next));
}
