/** Signs in by password or one-time link, and signs out. No page here needs a script. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formatCount } from '#core/words.ts';
import { fail } from '#core/failures.ts';
import { findLinkNext } from '../store.ts';
import { closeSessions } from '../account.ts';
import { isLinkSecret, findValidLink, setPasswordByLink, signInByLink } from '../links.ts';
import { signInByPassword, type PasswordOutcome } from '../sign-in.ts';
import {
  getField,
  getPathParameter,
  queryParameter,
  readForm,
  refuseForeignForm,
  redirectAfterForm,
  isReading,
} from '#ui/http.ts';
import type { PagesParts } from '#ui/parts.ts';
import { sendContent } from '#ui/send.ts';
import {
  admitForm,
  findSignedIn,
  getOrigin,
  requirePersonalForm,
  setCookies,
  type SignedIn,
} from '#ui/session.ts';
import { addInvitationPages } from './invitation.ts';
import { findNewPasswordProblems } from './fields.ts';
import { addMailedLinks } from './mailed-links.ts';
import { addNext, toLanding, toOwnPath } from '#ui/next.ts';
import { addSetUpPages } from './set-up.ts';
import {
  renderNewPasswordPage,
  renderOpenLinkPage,
  renderSignInPage,
  renderSpentLinkPage,
  type ShowPage,
} from './cards.ts';
import type { Routes } from '#ui/routes.ts';
import type { People } from '../port.ts';

const NOT_FROM_THERE =
  'This sign-in matches no account. The provider must confirm an e-mail address that has an account here; ask for an invitation.';

declare module '#ui/parts.ts' {
  interface PagesParts {
    readonly people: People;
  }
}

export function addSignInPages(routes: Routes, parts: PagesParts): void {
  const { work, database, people } = parts;
  const show: ShowPage = (reply, page) => sendContent(reply, { site: work.site, visitor: null }, page);

  const showSpent = async (reply: FastifyReply, secret: string): Promise<FastifyReply> => {
    const next = isLinkSecret(secret) ? await findLinkNext(database.read, secret) : undefined;
    return show(reply, renderSpentLinkPage(toOwnPath(next ?? '')));
  };

  routes.get('/sign-in', async (request, reply) => {
    const next = toOwnPath(queryParameter(request, 'next'));
    const signedIn = await findSignedIn(parts, request);
    if (signedIn !== null) return redirectAfterForm(reply, next === '' ? findFirstPage(signedIn) : next);
    const problem = queryParameter(request, 'error') === '' ? undefined : NOT_FROM_THERE;
    return show(reply, renderSignInPage({ ...listWaysIn(parts), next, problem }));
  });

  routes.get('/sign-in/provider', async (request, reply) => {
    if (people.provider === null) throw fail('route_not_found', { method: 'GET', path: '/sign-in/provider' });
    const next = toOwnPath(queryParameter(request, 'next'));
    const back = addNext('/sign-in', next);
    const start = await people.startAtProvider(getOrigin(request), { signedIn: back, refused: back });
    if (start === undefined) {
      const problem = 'The provider cannot be reached at the moment.';
      return show(reply, renderSignInPage({ ...listWaysIn(parts), next, problem, status: 503 }));
    }
    setCookies(reply, start.cookies);
    return redirectAfterForm(reply, start.url);
  });

  routes.post('/sign-in', async (request, reply) => {
    refuseForeignForm(request, work.site.baseUrl);
    const form = readForm(request);
    const typed = { email: getField(form, 'email'), password: form.password ?? '' };
    const outcome = await signInByPassword(work, database, people, getOrigin(request), typed);
    const next = toOwnPath(getField(form, 'next'));
    if (outcome.kind === 'signed_in') {
      setCookies(reply, outcome.cookies);
      return redirectAfterForm(reply, toLanding(next));
    }
    const { problem, status, waitS } = describeRefusal(outcome, work.clock.now());
    if (waitS !== undefined) reply.header('retry-after', String(waitS));
    return show(
      reply,
      renderSignInPage({ ...listWaysIn(parts), next, email: typed.email.slice(0, 254), problem, status }),
    );
  });

  routes.get('/sign-in/link/:secret', (request, reply) =>
    show(reply, renderOpenLinkPage(getPathParameter(request, 'secret'))),
  );

  routes.post('/sign-in/link/:secret', async (request, reply) => {
    refuseForeignForm(request, work.site.baseUrl);
    const secret = getPathParameter(request, 'secret');
    const opened = isLinkSecret(secret)
      ? await database.runTransaction((tx) => signInByLink(work, people, tx, getOrigin(request), secret))
      : undefined;
    if (opened === undefined) return showSpent(reply, secret);
    setCookies(reply, opened.cookies);
    return redirectAfterForm(reply, toLanding(opened.next));
  });

  addPasswordLink(routes, parts, show);
  addMailedLinks(routes, parts, show);
  addInvitationPages(routes, parts, show);
  addSetUpPages(routes, parts, show);
  addSignOut(routes, parts);
}

/** Staff sign in to work in the lab; the portal is one click away. */
function findFirstPage({ visitor }: SignedIn): string {
  return visitor.isStaff ? '/lab' : '/';
}

function addSignOut(routes: Routes, parts: PagesParts): void {
  const { work, database, people } = parts;
  routes.post('/sign-out', { onRequest: (request) => admitForm(parts, request) }, async (request, reply) => {
    const { signedIn } = await requirePersonalForm(parts, request);
    const { userId, sessionId } = signedIn;
    await database.runTransaction((tx) =>
      closeSessions(work, tx, getOrigin(request), { user_id: userId, only: sessionId }),
    );
    setCookies(reply, people.writeSessionEnd());
    return redirectAfterForm(reply, '/');
  });
}

/** Opening the link shows a form; only sending the form uses the link up. */
function addPasswordLink(routes: Routes, parts: PagesParts, show: ShowPage): void {
  const { work, database, people } = parts;
  const findEmail = async (secret: string): Promise<string | undefined> =>
    (await findValidLink(work, database, { secret, purpose: 'set_password' }))?.email;

  routes.get('/password/:secret', async (request, reply) => {
    const secret = getPathParameter(request, 'secret');
    const email = await findEmail(secret);
    if (email === undefined) return show(reply, renderSpentLinkPage());
    return show(reply, renderNewPasswordPage(secret, email));
  });

  routes.post('/password/:secret', async (request, reply) => {
    refuseForeignForm(request, work.site.baseUrl);
    const secret = getPathParameter(request, 'secret');
    const email = await findEmail(secret);
    if (email === undefined) return show(reply, renderSpentLinkPage());
    const password = readForm(request).new_password ?? '';
    const problems = findNewPasswordProblems(password, email);
    if (problems.length > 0) return show(reply, renderNewPasswordPage(secret, email, problems));
    const passwordHash = await people.hashPassword(password);
    const opened = await database.runTransaction((tx) =>
      setPasswordByLink(work, people, tx, getOrigin(request), { secret, passwordHash }),
    );
    if (opened === undefined) return show(reply, renderSpentLinkPage());
    setCookies(reply, opened.cookies);
    return redirectAfterForm(reply, toLanding(opened.next));
  });
}

/** The sign-in page for requests without a session. */
export function sendSignedOut(parts: PagesParts, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isFirstPage = isReading(request) && request.servedRoute?.url === '/';
  const next = isReading(request) && !isFirstPage ? toOwnPath(request.url) : '';
  const page = renderSignInPage({ ...listWaysIn(parts), next });
  const frame = { site: parts.work.site, visitor: null };
  return sendContent(reply, frame, page, isFirstPage ? 200 : 401);
}

function listWaysIn({ people, work }: PagesParts) {
  return { provider: people.provider, isOpen: work.site.signUp === 'open' };
}

function describeRefusal(
  outcome: Exclude<PasswordOutcome, { kind: 'signed_in' }>,
  now: Date,
): { problem: string; status: number; waitS?: number } {
  if (outcome.kind === 'refused')
    return { problem: 'The e-mail address or the password is wrong.', status: 401 };
  if (outcome.kind === 'limited') {
    const wait = formatCount(outcome.seconds, 'second');
    return {
      problem: `Too many attempts from your network; wait ${wait}.`,
      status: 429,
      waitS: outcome.seconds,
    };
  }
  const waitS = Math.max(1, Math.ceil((outcome.until.getTime() - now.getTime()) / 1_000));
  const minutes = formatCount(Math.ceil(waitS / 60), 'minute');
  const problem = `Too many wrong passwords for this address. Passwords are accepted again in ${minutes}; a sign-in link by mail and a passkey work now.`;
  return { problem, status: 429, waitS };
}
