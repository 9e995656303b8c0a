/** The pages of an organization: its members, joining and leaving. */
import {
  inviteMember,
  listInvitations,
  listMembers,
  resendInvitation,
} from '../../organizations/contract.ts';
import { leaveOrganization } from '../account.ts';
import { renderDone } from '#ui/action.ts';
import { addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { createFormsView, readFilled, renderNotice } from '#ui/form.ts';
import { getField, queryParameter, findSentence } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { addPortalActions, addRefusableForm, type Remark } from '#ui/screen.ts';
import { canCall, getOrigin } from '#ui/session.ts';
import {
  organizationActions,
  PATH,
  renderInvitationLink,
  renderOrganizationPage,
} from './organization-view.ts';
import type { Routes } from '#ui/routes.ts';

const PAGE_LENGTH = 100;
/** Those that can be sent again. */
const PENDING: ReadonlySet<string> = new Set(['open', 'expired', 'withdrawn']);

/** Of the deeds that show a link unless they send a mail. */
const SENT = {
  invite: 'The invitation was sent.',
  resend: 'The invitation was sent again; the earlier link no longer works.',
};

export function addOrganizationPages(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, PATH, (context) => loadOrganizationPage(context));
  addPortalActions(routes, parts, organizationActions, loadOrganizationPage);
  addRefusableForm(routes, parts, `${PATH}/invite`, invite, loadOrganizationPage);
  addRefusableForm(routes, parts, `${PATH}/invitations/resend`, resend, loadOrganizationPage);
  addRefusableForm(routes, parts, `${PATH}/leave`, leaveIt, loadOrganizationPage);
}

async function loadOrganizationPage(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { api, session, request, parts } = context;
  const cursor = queryParameter(request, 'cursor');
  const seesPeople = canCall(session, listMembers);
  const members = seesPeople
    ? await api.call(listMembers, {
        query: { limit: PAGE_LENGTH, sort: 'asc(email)', ...(cursor === '' ? {} : { cursor }) },
      })
    : null;
  const invitations = seesPeople ? await api.call(listInvitations, { query: { limit: PAGE_LENGTH } }) : null;
  const sentence = findSentence(SENT, queryParameter(request, 'done'));
  return renderOrganizationPage(createFormsView(context, remark), {
    members,
    invitations: invitations?.items.filter(({ status }) => PENDING.has(status)) ?? [],
    sendsMail: parts.work.site.mail !== 'none',
    notice: renderNotice(sentence) ?? renderDone(context, organizationActions),
  });
}

async function invite({ api, form, session }: FormContext): Promise<string | PageContent> {
  const body = { delivery: 'mail', email: '', ...readFilled(form, ['email', 'role', 'delivery']) };
  const invitation = await api.call(inviteMember, { body });
  return invitation.link === null ? `${PATH}?done=invite` : renderInvitationLink(session, invitation);
}

async function resend({ api, form, session }: FormContext): Promise<string | PageContent> {
  const params = { invitation_id: getField(form, 'invitation_id') };
  const invitation = await api.call(resendInvitation, { params, body: readFilled(form, ['delivery']) });
  return invitation.link === null ? `${PATH}?done=resend` : renderInvitationLink(session, invitation);
}

async function leaveIt({ parts, request, session }: FormContext): Promise<string> {
  const { organizationId, userId } = session.principal;
  await parts.database.runTransaction((tx) =>
    leaveOrganization(parts.work, tx, getOrigin(request), { organizationId, userId }),
  );
  return '/organizations';
}
