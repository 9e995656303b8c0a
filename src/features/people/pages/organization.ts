/** The pages of an organization: its members, joining and leaving. */
import {
  inviteMember,
  listInvitations,
  listMembers,
  resendInvitation,
} from '../../organizations/contract.ts';
import { leaveOrganization } from '../account.ts';
import { readBody, renderDone, writeNext } from '#ui/action.ts';
import { addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { createFormsView, readFilled } from '#ui/form.ts';
import { getField, queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { addPortalActions, addRefusableForm, type Remark } from '#ui/screen.ts';
import { canCall, getOrigin } from '#ui/session.ts';
import {
  inviting,
  organizationActions,
  PATH,
  renderInvitationLink,
  renderOrganizationPage,
  resending,
} from './organization-view.ts';
import type { Routes } from '#ui/routes.ts';

const PAGE_LENGTH = 100;
/** Those that can be sent again. */
const PENDING: ReadonlySet<string> = new Set(['open', 'expired', 'withdrawn']);

export function addOrganizationPages(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, PATH, (context) => loadOrganizationPage(context));
  const actions = [...organizationActions, { ...inviting, does: invite }, { ...resending, does: resend }];
  addPortalActions(routes, parts, actions, loadOrganizationPage);
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
  return renderOrganizationPage(createFormsView(context, remark), {
    members,
    invitations: invitations?.items.filter(({ status }) => PENDING.has(status)) ?? [],
    sendsMail: parts.work.site.mail !== 'none',
    notice: renderDone(context, [...organizationActions, inviting, resending]),
  });
}

async function invite({ api, form, session }: FormContext): Promise<string | PageContent> {
  const body = { delivery: 'mail', ...readBody(inviting, form), ...readFilled(form, ['delivery']) };
  const made = await api.call(inviteMember, { body });
  return made.link === null ? writeNext(inviting, {}) : renderInvitationLink(session, made);
}

async function resend({ api, form, session }: FormContext): Promise<string | PageContent> {
  const params = { invitation_id: getField(form, 'invitation_id') };
  const made = await api.call(resendInvitation, { params, body: readFilled(form, ['delivery']) });
  return made.link === null ? writeNext(resending, {}) : renderInvitationLink(session, made);
}

async function leaveIt({ parts, request, session }: FormContext): Promise<string> {
  const { organizationId, userId } = session.principal;
  await parts.database.runTransaction((tx) =>
    leaveOrganization(parts.work, tx, getOrigin(request), { organizationId, userId }),
  );
  return '/organizations';
}
