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
import { getField, getNameField, getPathParameter, queryParameter } from '#ui/http.ts';
import { toLocation, renderNextField } from '#ui/next.ts';
import { renderFormToken, type PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { getOrigin, type SignedIn, requireSignedIn } from '#ui/session.ts';
import type { Routes } from '#ui/routes.ts';
import { fail } from '#core/failures.ts';
import { sendContent } from '#ui/send.ts';

const NAME_LENGTH_MAX = 200;

export function addOrganizationSwitch(routes: Routes, parts: PagesParts): void {
  addPersonalPage(routes, parts, '/organizations', loadOrganizationsPage);
  addOrganizationLink(routes, parts);
  addPersonalForm(routes, parts, '/organizations/enter', enterOne);
  addPersonalForm(routes, parts, '/organizations/found', createOrganization);
}

async function loadOrganizationsPage({ parts, signedIn }: PersonalContext): Promise<PageContent> {
  const all = await selectOrganizationsOfUser(labScope, parts.database.read, signedIn.userId);
  const rows = all.map(({ id, name, role }) => {
    const isActive = id === signedIn.principal?.organizationId;
    return markup`<li><div><strong><bdi>${name}</bdi></strong><p class="hint">${ROLE_NAMES[role]}</p></div>${
      isActive
        ? markup`<span class="chip">active</span>`
        : markup`<form method="post" action="/organizations/enter">${renderFormToken(signedIn.visitor)}<input type="hidden" name="organization_id" value="${id}"><button class="quiet">Switch to it</button></form>`
    }</li>`;
  });
  const body = markup`<article class="card door" aria-labelledby="organizations"><h1 id="organizations">Your organizations</h1>
${all.length === 0 ? markup`<p>You belong to no organization at the moment. Ask an administrator of yours for an invitation.</p>` : markup`<ul class="rows">${rows}</ul>`}${parts.work.site.signUp === 'open' && renderFoundForm(signedIn)}</article>`;
  return { title: 'Your organizations', body, width: 'narrow' };
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

function renderFoundForm({ visitor }: SignedIn): Markup {
  return markup`<details><summary>Create another organization</summary><form method="post" action="/organizations/found" class="fields">${renderFormToken(visitor)}
<div class="field"><label for="organization">Name</label><input id="organization" type="text" name="organization" required maxlength="200" autocomplete="organization"></div>
<div><button>Create the organization</button></div></form></details>`;
}

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
<form method="post" action="/organizations/enter">${renderFormToken(signedIn.visitor)}<input type="hidden" name="organization_id" value="${id}">${renderNextField(next)}<button class="primary">Switch and open the page</button></form></article>`;
    const frame = { site: parts.work.site, visitor: signedIn.visitor };
    return sendContent(reply, frame, { title: 'Switch the organization', body, width: 'narrow' });
  });
}
