/** The page of an invitation. Opening it does not use it up. */
import { ROLE_NAMES } from '#core/permissions.ts';
import { findPasswordProblem } from '#domain/people/rules.ts';
import {
  acceptInvitation,
  findOffer,
  needsSignIn,
  type Offer,
} from '#workflows/organizations/accept-invitation.ts';
import { getPathParameter, readForm, refuseForeignForm, redirectAfterForm, getNameField } from '../http.ts';
import type { PageContent } from '../layout.ts';
import { markup } from '../markup.ts';
import type { PagesParts } from '../parts.ts';
import { findSignedIn, getOrigin, setCookies } from '../session.ts';
import { renderNewPasswordField } from './fields.ts';
import { renderNameField } from './sign-up-view.ts';
import { addNext } from './next.ts';
import { renderSpentLinkPage, type ShowPage } from './sign-in-view.ts';
import type { Routes } from '../../rest/routes.ts';

const NAME_LENGTH_MAX = 200;

export function addInvitationPages(routes: Routes, parts: PagesParts, show: ShowPage): void {
  const { work, database, people } = parts;

  routes.get('/invitations/:secret', async (request, reply) => {
    const secret = getPathParameter(request, 'secret');
    const offer = await findOffer(work, database, secret);
    if (offer?.isStanding !== true) return show(reply, renderClosedPage(offer));
    const signedIn = await findSignedIn(parts, request);
    return show(
      reply,
      needsSignIn(offer, offer.userId, signedIn?.userId ?? null)
        ? renderSignInFirst(secret, offer)
        : renderOfferPage(secret, offer, '', undefined),
    );
  });

  routes.post('/invitations/:secret', async (request, reply) => {
    refuseForeignForm(request, work.site.baseUrl);
    const secret = getPathParameter(request, 'secret');
    const offer = await findOffer(work, database, secret);
    if (offer?.isStanding !== true) return show(reply, renderClosedPage(offer));
    const signedInUserId = (await findSignedIn(parts, request))?.userId ?? null;
    if (needsSignIn(offer, offer.userId, signedInUserId))
      return show(reply, renderSignInFirst(secret, offer));
    const form = readForm(request);
    const name = getNameField(form, 'name', NAME_LENGTH_MAX);
    const password = form.new_password ?? '';
    const problem = offer.userId === null ? findPasswordProblem(password, offer.email) : undefined;
    if (problem !== undefined) return show(reply, renderOfferPage(secret, offer, name, problem));
    const passwordHash = offer.userId === null ? await people.hashPassword(password) : null;
    const cookies = await database.runTransaction((tx) =>
      acceptInvitation(work, people, tx, getOrigin(request), { secret, name, passwordHash, signedInUserId }),
    );
    if (cookies === undefined) return show(reply, renderClosedPage(await findOffer(work, database, secret)));
    setCookies(reply, cookies);
    return redirectAfterForm(reply, '/');
  });
}

/** Says why nobody joins by a link: it is used up, or its sender may no longer give the role. */
function renderClosedPage(offer: Offer | undefined): PageContent {
  if (offer?.isStanding !== false) return renderSpentLinkPage();
  const body = markup`<article class="card door" aria-labelledby="join"><h1 id="join">This invitation no longer counts</h1>
<p>Whoever sent it may no longer invite people to <bdi>${offer.organization_name}</bdi>. Ask another administrator to send it again.</p></article>`;
  return { title: 'Invitation', body, width: 'narrow', status: 410 };
}

/** Names the account, and leads back here once its owner has signed in. */
function renderSignInFirst(secret: string, offer: Offer): PageContent {
  const path = `/invitations/${encodeURIComponent(secret)}`;
  const body = markup`<article class="card door" aria-labelledby="join"><h1 id="join">Join <bdi>${offer.organization_name}</bdi></h1>
<p>The invitation is for <strong><bdi>${offer.email}</bdi></strong>, which has an account already. Sign in to it, and then join.</p>
<p><a class="button primary large" href="${addNext('/sign-in', path)}">Sign in</a></p></article>`;
  return { title: 'Invitation', body, width: 'narrow' };
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
