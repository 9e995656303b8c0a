/** The page of an invitation. Opening it does not use it up. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HOUR_MS } from '#core/clock.ts';
import { ROLE_NAMES } from '#core/permissions.ts';
import { acceptInvitation, findOffer, needsSignIn, type Offer } from '../accept-invitation.ts';
import { getPathParameter, readForm, refuseForeignForm, redirectAfterForm, getNameField } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { findSignedIn, getOrigin, setCookies } from '#ui/session.ts';
import {
  findNewPasswordProblems,
  renderDoorFields,
  renderNewPasswordField,
  createTyped,
  type Typed,
} from './fields.ts';
import { renderSpentLinkPage, type ShowPage } from './cards.ts';
import { addNext } from '#ui/next.ts';
import type { Routes } from '#ui/routes.ts';

const NAME_LENGTH_MAX = 200;
/**
 * The secret of an invitation while its reader signs in: in a cookie of the browser that opened the link, so that no
 * address of the sign-in, and nothing that keeps addresses, has it.
 */
const COOKIE = 'assayer_invitation';
const COOKIE_PATH = '/invitations';
const COOKIE_LIFE_S = HOUR_MS / 1_000;
/** The page of the invitation whose secret the cookie holds. */
const CARRIED_PATH = `${COOKIE_PATH}/continue`;

export function addInvitationPages(routes: Routes, parts: PagesParts, show: ShowPage): void {
  for (const path of ['/invitations/:secret', CARRIED_PATH]) {
    routes.get(path, (request, reply) => openInvitation(parts, show, request, reply));
    routes.post(path, (request, reply) => answerInvitation(parts, show, request, reply));
  }
}

/** Where the secret of a request stands: in its address, or in the cookie of who has signed in meanwhile. */
function findInvitation(request: FastifyRequest): { readonly secret: string; readonly path: string } {
  if (request.servedRoute?.url === CARRIED_PATH)
    return { secret: readInvitationCookie(request), path: CARRIED_PATH };
  const secret = getPathParameter(request, 'secret');
  return { secret, path: `/invitations/${encodeURIComponent(secret)}` };
}

async function openInvitation(
  parts: PagesParts,
  show: ShowPage,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { secret, path } = findInvitation(request);
  if (secret === '') return show(reply, renderLostPage());
  const offer = await findOffer(parts.work, parts.database, secret);
  if (offer?.isStanding !== true) return show(reply, renderClosedPage(offer));
  const signedIn = await findSignedIn(parts, request);
  return needsSignIn(offer, offer.userId, signedIn?.userId ?? null)
    ? askToSignIn(parts, show, reply, { secret, offer })
    : show(reply, renderOfferPage(path, offer, createTyped()));
}

async function answerInvitation(
  parts: PagesParts,
  show: ShowPage,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { work, database, people } = parts;
  refuseForeignForm(request, work.site.baseUrl);
  const { secret, path } = findInvitation(request);
  if (secret === '') return show(reply, renderLostPage());
  const offer = await findOffer(work, database, secret);
  if (offer?.isStanding !== true) return show(reply, renderClosedPage(offer));
  const signedInUserId = (await findSignedIn(parts, request))?.userId ?? null;
  if (needsSignIn(offer, offer.userId, signedInUserId))
    return askToSignIn(parts, show, reply, { secret, offer });
  const form = readForm(request);
  const name = getNameField(form, 'name', NAME_LENGTH_MAX);
  const password = form.new_password ?? '';
  const problems = offer.userId === null ? findNewPasswordProblems(password, offer.email) : [];
  if (problems.length > 0) return show(reply, renderOfferPage(path, offer, { typed: { name }, problems }));
  const passwordHash = offer.userId === null ? await people.hashPassword(password) : null;
  const cookies = await database.runTransaction((tx) =>
    acceptInvitation(work, people, tx, getOrigin(request), { secret, name, passwordHash, signedInUserId }),
  );
  if (cookies === undefined) return show(reply, renderClosedPage(await findOffer(work, database, secret)));
  setCookies(reply, [...cookies, writeInvitationEnd(work.site.baseUrl)]);
  return redirectAfterForm(reply, '/');
}

/** Leads to the sign-in and back; the browser carries the secret meanwhile. */
function askToSignIn(
  { work }: PagesParts,
  show: ShowPage,
  reply: FastifyReply,
  { secret, offer }: { readonly secret: string; readonly offer: Offer },
): FastifyReply {
  setCookies(reply, [writeInvitationCookie(secret, work.site.baseUrl)]);
  return show(reply, renderSignInFirst(offer));
}

/** The browser carries no invitation: it is another one than the one that opened the link, or an hour has passed. */
function renderLostPage(): PageContent {
  const body = markup`<article class="card door" aria-labelledby="join"><h1 id="join">Open the invitation again</h1>
<p>This browser holds no invitation any more. Open its link once more here, in the browser in which you are signed in.</p></article>`;
  return { title: 'Invitation', body, width: 'narrow', status: 410 };
}

/** Says why nobody joins by a link: it is used up, or its sender may no longer give the role. */
function renderClosedPage(offer: Offer | undefined): PageContent {
  if (offer?.isStanding !== false) return renderSpentLinkPage();
  const body = markup`<article class="card door" aria-labelledby="join"><h1 id="join">This invitation no longer counts</h1>
<p>Whoever sent it may no longer invite people to <bdi>${offer.organization_name}</bdi>. Ask another administrator to send it again.</p></article>`;
  return { title: 'Invitation', body, width: 'narrow', status: 410 };
}

/** Names the account, and leads back once its owner has signed in. */
function renderSignInFirst(offer: Offer): PageContent {
  const body = markup`<article class="card door" aria-labelledby="join"><h1 id="join">Join <bdi>${offer.organization_name}</bdi></h1>
<p>The invitation is for <strong><bdi>${offer.email}</bdi></strong>, which has an account already. Sign in to it, and then join.</p>
<p><a class="button primary large" href="${addNext('/sign-in', CARRIED_PATH)}">Sign in</a></p></article>`;
  return { title: 'Invitation', body, width: 'narrow' };
}

function renderOfferPage(path: string, offer: Offer, typed: Typed): PageContent {
  const isNew = offer.userId === null;
  const body = markup`<article class="card door" aria-labelledby="join"><h1 id="join">Join <bdi>${offer.organization_name}</bdi></h1>
<p>The invitation is for <strong><bdi>${offer.email}</bdi></strong>, with the role ${ROLE_NAMES[offer.role]}.</p>
<form method="post" action="${path}" class="fields">
${isNew ? markup`${renderDoorFields(['name'], typed)}${renderNewPasswordField(offer.email, typed)}` : markup`<p class="hint">You have an account under this address; joining signs you in to it in this browser.</p>`}
<button class="primary large">${isNew ? 'Create the account and join' : 'Join'}</button></form></article>`;
  return { title: 'Invitation', body, width: 'narrow', status: typed.problems.length > 0 ? 422 : 200 };
}

function writeInvitationCookie(secret: string, baseUrl: string): string {
  return formatCookie(secret, COOKIE_LIFE_S, baseUrl);
}

function writeInvitationEnd(baseUrl: string): string {
  return formatCookie('', 0, baseUrl);
}

/** Returns the secret that the browser carries; empty without one. */
function readInvitationCookie({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1) ?? '';
}

function formatCookie(value: string, maxAgeS: number, baseUrl: string): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${COOKIE}=${value}; Max-Age=${maxAgeS}; Path=${COOKIE_PATH}; HttpOnly${secure}; SameSite=Lax`;
}
