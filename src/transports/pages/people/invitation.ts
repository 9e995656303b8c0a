/** The page of an invitation. Opening it does not use it up. */
import { ROLE_NAMES } from '#core/permissions.ts';
import { findPasswordProblem } from '#domain/people/rules.ts';
import { acceptInvitation, findOffer, type Offer } from '#workflows/organizations/accept-invitation.ts';
import { getPathParameter, readForm, refuseForeignForm, redirectAfterForm, getNameField } from '../http.ts';
import type { PageContent } from '../layout.ts';
import { markup } from '../markup.ts';
import type { PagesParts } from '../parts.ts';
import { getOrigin, setCookies } from '../session.ts';
import { renderNewPasswordField } from './fields.ts';
import { renderNameField } from './sign-up-view.ts';
import { renderSpentLinkPage, type ShowPage } from './sign-in-view.ts';
import type { Routes } from '../../rest/routes.ts';

const NAME_LENGTH_MAX = 200;

export function addInvitationPages(routes: Routes, parts: PagesParts, show: ShowPage): void {
  const { work, database, people } = parts;

  routes.get('/invitations/:secret', async (request, reply) => {
    const secret = getPathParameter(request, 'secret');
    const offer = await findOffer(work, database, secret);
    return show(
      reply,
      offer === undefined ? renderSpentLinkPage() : renderOfferPage(secret, offer, '', undefined),
    );
  });

  routes.post('/invitations/:secret', async (request, reply) => {
    refuseForeignForm(request, work.site.baseUrl);
    const secret = getPathParameter(request, 'secret');
    const offer = await findOffer(work, database, secret);
    if (offer === undefined) return show(reply, renderSpentLinkPage());
    const form = readForm(request);
    const name = getNameField(form, 'name', NAME_LENGTH_MAX);
    const password = form.new_password ?? '';
    const problem = offer.userId === null ? findPasswordProblem(password, offer.email) : undefined;
    if (problem !== undefined) return show(reply, renderOfferPage(secret, offer, name, problem));
    const passwordHash = offer.userId === null ? await people.hashPassword(password) : null;
    const cookies = await database.runTransaction((tx) =>
      acceptInvitation(work, people, tx, getOrigin(request), { secret, name, passwordHash }),
    );
    if (cookies === undefined) return show(reply, renderSpentLinkPage());
    setCookies(reply, cookies);
    return redirectAfterForm(reply, '/');
  });
}

function renderOfferPage(
  secret: string,
  offer: Offer,
  name: string,
  problem: string | undefined,
): PageContent {
  const isNew = offer.userId === null;
  const body = markup`<article class="card door" aria-labelledby="join"><h1 id="join">Join <bdi>${offer.organization_name}</bdi></h1>
<p>The invitation is for <strong><bdi>${offer.email}</bdi></strong>, with the role ${ROLE_NAMES[offer.role]}.</p>
<form method="post" action="/invitations/${encodeURIComponent(secret)}" class="fields">
${isNew ? markup`${renderNameField(name)}${renderNewPasswordField(problem, offer.email)}` : markup`<p class="hint">You have an account under this address; joining signs you in to it in this browser.</p>`}
<button class="primary large">${isNew ? 'Create the account and join' : 'Join'}</button></form></article>`;
  return { title: 'Invitation', body, width: 'narrow', status: problem === undefined ? 200 : 422 };
}
