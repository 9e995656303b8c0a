/** Pages to request a link by mail, to sign up, and the mailbox of a sandbox. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '#core/failures.ts';
import { selectLatestMails } from '../../notifications/mail/store.ts';
import { attemptLimits } from '../rules.ts';
import { findValidLink } from '../links.ts';
import { requestLink } from '../mailed-links.ts';
import { signUp } from '../sign-up.ts';
import {
  getField,
  getPathParameter,
  queryParameter,
  readForm,
  refuseForeignForm,
  redirectAfterForm,
  getNameField,
} from '#ui/http.ts';
import type { PagesParts } from '#ui/parts.ts';
import { getOrigin, setCookies } from '#ui/session.ts';
import { listMailbox, renderMailboxPage } from '../../notifications/pages/mailbox-view.ts';
import { toLanding, toOwnPath } from '#ui/next.ts';
import {
  finishSignUpPage,
  renderForgottenPage,
  renderLinkNoticePage,
  renderSignUpPage,
  renderSpentLinkPage,
  type ShowPage,
} from './cards.ts';
import { findNewPasswordProblems, createTyped } from './fields.ts';
import type { Routes } from '#ui/routes.ts';

const MAILBOX_LENGTH = 50;
const NAME_LENGTH_MAX = 200;

export function addMailedLinks(routes: Routes, parts: PagesParts, show: ShowPage): void {
  const { site } = parts.work;
  routes.get('/password', (request, reply) => show(reply, renderForgottenPage(site.mail, readNext(request))));

  for (const [path, purpose] of [
    ['/sign-in/mail', 'sign_in'],
    ['/password', 'set_password'],
  ] as const)
    routes.post(path, async (request, reply) => {
      refuseForeignForm(request, site.baseUrl);
      const form = readForm(request);
      const linkRequest = {
        email: getField(form, 'email'),
        next: toOwnPath(getField(form, 'next')),
        purpose,
      };
      return askForLink(parts, request, reply, show, linkRequest);
    });

  routes.get('/sign-up', (request, reply) => {
    requireOpenSignUp(parts);
    return show(reply, renderSignUpPage(site.mail, readNext(request)));
  });

  routes.post('/sign-up', async (request, reply) => {
    requireOpenSignUp(parts);
    refuseForeignForm(request, site.baseUrl);
    const form = readForm(request);
    const details = {
      name: getNameField(form, 'name', NAME_LENGTH_MAX),
      organization: getNameField(form, 'organization', NAME_LENGTH_MAX),
    };
    return askForLink(parts, request, reply, show, {
      email: getField(form, 'email'),
      purpose: 'sign_up',
      details,
      next: toOwnPath(getField(form, 'next')),
    });
  });
  addFinishing(routes, parts, show);

  routes.get('/mailbox', async (request, reply) => {
    if (!hasMailbox(parts, request)) throw fail('route_not_found', { method: 'GET', path: '/mailbox' });
    const mails = await selectLatestMails(parts.database.read, MAILBOX_LENGTH);
    if (request.headers.accept === 'application/json') return reply.send({ mails: listMailbox(mails) });
    return show(reply, renderMailboxPage(mails));
  });
}

function readNext(request: FastifyRequest): string {
  return toOwnPath(queryParameter(request, 'next'));
}

function requireOpenSignUp({ work }: PagesParts): void {
  if (work.site.signUp !== 'open') throw fail('route_not_found', { method: 'GET', path: '/sign-up' });
}

async function askForLink(
  parts: PagesParts,
  request: FastifyRequest,
  reply: FastifyReply,
  show: ShowPage,
  linkRequest: Parameters<typeof requestLink>[3],
): Promise<FastifyReply> {
  const { mail } = parts.work.site;
  const outcome =
    mail === 'none'
      ? 'no_mail'
      : await requestLink(parts.work, parts.database, getOrigin(request), linkRequest);
  if (outcome === 'too_many') reply.header('retry-after', String(attemptLimits.mailTo.windowMs / 1_000));
  return show(
    reply,
    renderLinkNoticePage(outcome, linkRequest, mail === 'mailbox' && hasMailbox(parts, request)),
  );
}

/** Opening the link shows a form; only sending the form uses the link up. */
function addFinishing(routes: Routes, parts: PagesParts, show: ShowPage): void {
  const { work, database, people } = parts;
  const findLink = (secret: string) => findValidLink(work, database, { secret, purpose: 'sign_up' });

  routes.get('/sign-up/:secret', async (request, reply) => {
    const secret = getPathParameter(request, 'secret');
    const link = await findLink(secret);
    if (link === undefined) return show(reply, renderSpentLinkPage());
    const { name = '', organization = '' } = link.details ?? {};
    return show(reply, finishSignUpPage(secret, link.email, createTyped({ name, organization })));
  });

  routes.post('/sign-up/:secret', async (request, reply) => {
    refuseForeignForm(request, work.site.baseUrl);
    const secret = getPathParameter(request, 'secret');
    const link = await findLink(secret);
    if (link === undefined) return show(reply, renderSpentLinkPage());
    const form = readForm(request);
    const typed = {
      name: getNameField(form, 'name', NAME_LENGTH_MAX),
      organization: getNameField(form, 'organization', NAME_LENGTH_MAX),
    };
    const password = form.new_password ?? '';
    const problems = [
      ...(typed.organization === ''
        ? [{ path: 'organization', message: 'The organization needs a name.' }]
        : []),
      ...findNewPasswordProblems(password, link.email),
    ];
    if (problems.length > 0) return show(reply, finishSignUpPage(secret, link.email, { typed, problems }));
    const passwordHash = await people.hashPassword(password);
    const opened = await database.runTransaction((tx) =>
      signUp(work, people, tx, getOrigin(request), { secret, passwordHash, ...typed }),
    );
    if (opened === undefined) return show(reply, renderSpentLinkPage());
    setCookies(reply, opened.cookies);
    return redirectAfterForm(reply, toLanding(opened.next));
  });
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i;

/** The mailbox holds everybody's links, so only a person at the machine itself may read it. */
function hasMailbox({ work }: PagesParts, request: FastifyRequest): boolean {
  const { site } = work;
  return (
    site.environment === 'sandbox' &&
    site.mail === 'mailbox' &&
    LOOPBACK.test(new URL(site.baseUrl).host) &&
    LOOPBACK.test(request.headers.host ?? '') &&
    /^(?:127(?:\.\d+){3}|::1|::ffff:127(?:\.\d+){3})$/.test(request.ip)
  );
}
