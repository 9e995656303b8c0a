/** Switches the organization that a person acts in. */
import { isUuid } from '#core/ids.ts';
import { ROLE_NAMES } from '#core/permissions.ts';
import { labScope } from '#core/scope.ts';
import { lockOrganizations, selectOrganizationsOfUser } from '../../organizations/store.ts';
import { moveSession } from '../effects.ts';
import { createOrganizationWithFounder } from '../sign-up.ts';
import {
  addPersonalForm,
  addPersonalPage,
  type PersonalContext,
  type PersonalFormContext,
} from '#ui/context.ts';
import { getField, getNameField, getPathParameter, queryParameter, setPageHeaders } from '#ui/http.ts';
import { findFormPage, toLocation } from '#ui/next.ts';
import { renderLabForm, type LabForm } from '#ui/form.ts';
import type { PageContent, Visitor } from '#ui/layout.ts';
import { addRefusablePersonalForm, type Remark } from '#ui/screen.ts';
import { identifyCaller } from '../../tokens/contract.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { markup, type Markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { createCaller } from '#ui/caller.ts';
import { getOrigin, requireSession, requireSignedIn } from '#ui/session.ts';
import type { Routes } from '#ui/routes.ts';
import { fail } from '#core/failures.ts';
import { sendContent } from '#ui/send.ts';

const NAME_LENGTH_MAX = 200;

export function addOrganizationSwitch(routes: Routes, parts: PagesParts): void {
  addPersonalPage(routes, parts, '/organizations', (context) => loadOrganizationsPage(context));
  addOrganizationLink(routes, parts);
  addPersonalForm(routes, parts, '/organizations/enter', enterOne);
  addRefusablePersonalForm(routes, parts, FOUNDING.action, createOrganization, loadOrganizationsPage);
}

async function loadOrganizationsPage(
  { parts, signedIn }: PersonalContext,
  remark?: Remark,
): Promise<PageContent> {
  const all = await selectOrganizationsOfUser(labScope, parts.database.read, signedIn.userId);
  const rows = all.map(({ id, name, role }) => {
    const isActive = id === signedIn.principal?.organizationId;
    return markup`<li><div><strong><bdi>${name}</bdi></strong><p class="hint">${ROLE_NAMES[role]}</p></div>${
      isActive
        ? markup`<span class="chip">active</span>`
        : renderEntering(signedIn.visitor, id, { button: 'Switch to it', tone: 'quiet' })
    }</li>`;
  });
  const body = markup`<article class="card door" aria-labelledby="organizations"><h1 id="organizations">Your organizations</h1>
${all.length === 0 ? markup`<p>You belong to no organization at the moment. Ask an administrator of yours for an invitation.</p>` : markup`<ul class="rows">${rows}</ul>`}${parts.work.site.signUp === 'open' && renderLabForm({ session: signedIn, remark }, FOUNDING)}</article>`;
  return { title: 'Your organizations', body, width: 'narrow' };
}

/** Renders the button that switches to an organization, and then leads to the page `next`. */
function renderEntering(
  visitor: Visitor,
  organizationId: string,
  { next = '', ...words }: Pick<LabForm, 'button' | 'tone'> & { readonly next?: string },
): Markup {
  const hidden = { organization_id: organizationId, ...(next !== '' && { next }) };
  return renderLabForm(
    { session: { visitor }, remark: undefined },
    { ...words, action: '/organizations/enter', hidden },
  );
}

async function enterOne({ parts, signedIn, form }: PersonalFormContext): Promise<string> {
  const organizationId = getField(form, 'organization_id');
  const next = toLocation(getField(form, 'next'));
  if (!isUuid(organizationId)) return next;
  const { sessionId, userId } = signedIn;
  await parts.database.runTransaction((tx) =>
    moveSession(parts.work, tx, { sessionId, userId, organizationId }),
  );
  return next;
}

const FOUNDING: LabForm = {
  action: '/organizations/found',
  button: 'Create the organization',
  summary: 'Create another organization',
  fields: [
    {
      name: 'organization',
      label: 'Name',
      lengthMax: NAME_LENGTH_MAX,
      isRequired: true,
      autocomplete: 'organization',
    },
  ],
};

async function createOrganization({ parts, request, signedIn, form }: PersonalFormContext): Promise<string> {
  const name = getNameField(form, 'organization', NAME_LENGTH_MAX);
  if (name === '' || parts.work.site.signUp !== 'open') return '/organizations';
  const { sessionId, userId, email } = signedIn;
  await parts.database.runTransaction(async (tx) => {
    await lockOrganizations(tx);
    const founder = { userId, email, name };
    const organizationId = await createOrganizationWithFounder(parts.work, tx, getOrigin(request), founder);
    await moveSession(parts.work, tx, { sessionId, userId, organizationId });
  });
  return '/';
}

/** Opening the link switches nothing; only sending the form does. */
function addOrganizationLink(routes: Routes, parts: PagesParts): void {
  routes.get('/organizations/:id/open', async (request, reply) => {
    const signedIn = await requireSignedIn(parts, request);
    const id = getPathParameter(request, 'id');
    const next = toLocation(queryParameter(request, 'next'));
    if (signedIn.principal?.organizationId === id) return reply.redirect(next, 303);
    const all = await selectOrganizationsOfUser(labScope, parts.database.read, signedIn.userId);
    const organization = all.find((each) => each.id === id);
    if (organization === undefined) throw fail('route_not_found', { method: 'GET', path: '' });
    const body = markup`<article class="card door" aria-labelledby="switch"><h1 id="switch">Switch to <bdi>${organization.name}</bdi>?</h1>
<p>The page belongs to <bdi>${organization.name}</bdi>${signedIn.visitor.organization !== null && markup`, and you are now in <bdi>${signedIn.visitor.organization}</bdi>`}.</p>
${renderEntering(signedIn.visitor, id, { next, button: 'Switch and open the page', tone: 'primary' })}</article>`;
    const frame = { site: parts.work.site, visitor: signedIn.visitor };
    return sendContent(reply, frame, { title: 'Switch the organization', body, width: 'narrow' });
  });
}

/** The answer to a form that a page of another organization showed; nothing was done. */

const OTHER_TITLE = 'The form belongs to another organization';

/** Says for which organization the form was shown, and offers to switch to it while the person belongs to it. */
export async function sendOtherOrganization(
  parts: PagesParts,
  request: FastifyRequest,
  reply: FastifyReply,
  organizationId: string,
): Promise<FastifyReply> {
  const session = await requireSession(parts, request);
  const { visitor } = session;
  const { organizations } = await createCaller(parts, request, session).call(identifyCaller);
  const shown = organizations.find(({ id }) => id === organizationId);
  const now = markup`you are now in <bdi>${visitor.organization}</bdi>`;
  const offer =
    shown === undefined
      ? markup`<p class="lead">It was opened for an organization to which you no longer belong, and ${now}. Nothing was done.</p>
<p><a class="button" href="/">Go to your experiments</a></p>`
      : markup`<p class="lead">It was opened for <bdi>${shown.name}</bdi>, and ${now}. Nothing was done.</p>
${renderEntering(visitor, shown.id, { next: findFormPage(request.url) ?? '', button: markup`<span>Switch to <bdi>${shown.name}</bdi></span>`, tone: 'primary' })}
<p><a href="/">Stay in <bdi>${visitor.organization}</bdi></a></p>`;
  const body = markup`<article class="card error" aria-labelledby="error">
<p class="over">409</p>
<h1 id="error">${OTHER_TITLE}</h1>
${offer}
<p class="hint">Request <code>${request.id}</code></p>
</article>`;
  setPageHeaders(reply);
  const frame = { site: parts.work.site, visitor };
  return sendContent(reply, frame, { title: OTHER_TITLE, body, width: 'narrow', status: 409 });
}
