/** Links from mails: they lead to a page of one organization, whichever the reader is in. */
import { fail } from '#core/failures.ts';
import { labScope } from '#core/scope.ts';
import { selectOrganizationsOfUser } from '../../organizations/store.ts';
import { getPathParameter, queryParameter } from '#ui/http.ts';
import { renderFormToken } from '#ui/layout.ts';
import { markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { sendContent } from '#ui/send.ts';
import { requireSignedIn } from '#ui/session.ts';
import { renderNextField, toLocation } from '#ui/next.ts';
import type { Routes } from '#ui/routes.ts';

/** Opening the link switches nothing; only sending the form does. */
export function addOrganizationLink(routes: Routes, parts: PagesParts): void {
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
