/** The page that sets up a live environment. Opening it does not use it up. */
import type { FastifyReply } from 'fastify';
import type { Problem } from '#core/failures.ts';
import { isEmail, normalizeEmail } from '../rules.ts';
import { findValidLink } from '../links.ts';
import { setUp } from '../set-up.ts';
import {
  getField,
  getPathParameter,
  readForm,
  refuseForeignForm,
  redirectAfterForm,
  getNameField,
} from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { getOrigin, setCookies } from '#ui/session.ts';
import {
  findNewPasswordProblems,
  renderDoorFields,
  renderNewPasswordField,
  createTyped,
  type Typed,
} from './fields.ts';
import { renderSpentLinkPage, type ShowPage } from './cards.ts';
import type { Routes } from '#ui/routes.ts';

const TEXT_LENGTH_MAX = 200;

export function addSetUpPages(routes: Routes, parts: PagesParts, show: ShowPage): void {
  const { work, database, people } = parts;
  const findLink = (secret: string) => findValidLink(work, database, { secret, purpose: 'set_up' });

  routes.get('/set-up/:secret', async (request, reply) => {
    const secret = getPathParameter(request, 'secret');
    if ((await findLink(secret)) === undefined) return show(reply, renderSpentLinkPage());
    const organization = work.site.letterhead.seller.name ?? '';
    return show(reply, renderSetUpPage(secret, createTyped({ organization })));
  });

  routes.post('/set-up/:secret', async (request, reply) => {
    refuseForeignForm(request, work.site.baseUrl);
    const secret = getPathParameter(request, 'secret');
    if ((await findLink(secret)) === undefined) return show(reply, renderSpentLinkPage());
    const form = readForm(request);
    const fields = {
      email: normalizeEmail(getField(form, 'email')),
      name: getNameField(form, 'name', TEXT_LENGTH_MAX),
      organization: getNameField(form, 'organization', TEXT_LENGTH_MAX),
    };
    const password = form.new_password ?? '';
    const refuse = (problems: readonly Problem[]): FastifyReply =>
      show(reply, renderSetUpPage(secret, { typed: fields, problems }));
    const problems = [
      ...(isEmail(fields.email) ? [] : [{ path: 'email', message: 'This is not an e-mail address.' }]),
      ...(fields.organization === '' ? [{ path: 'organization', message: 'The lab needs a name.' }] : []),
      ...findNewPasswordProblems(password, fields.email),
    ];
    if (problems.length > 0) return refuse(problems);
    const passwordHash = await people.hashPassword(password);
    const input = { secret, ...fields, passwordHash };
    const outcome = await database.runTransaction((tx) => setUp(work, people, tx, getOrigin(request), input));
    if (outcome === 'spent') return show(reply, renderSpentLinkPage());
    if (outcome === 'address_taken')
      return refuse([{ path: 'email', message: 'This address already has an account.' }]);
    setCookies(reply, outcome.cookies);
    return redirectAfterForm(reply, '/lab');
  });
}

function renderSetUpPage(secret: string, typed: Typed): PageContent {
  const body = markup`<article class="card door" aria-labelledby="set-up"><h1 id="set-up">Set up this lab</h1>
<p class="lead">You become its first administrator, and invite everybody else.</p>
<form method="post" action="/set-up/${encodeURIComponent(secret)}" class="fields">
${renderDoorFields(['email', 'name', 'organization'], typed)}
${renderNewPasswordField(typed.typed.email ?? '', typed)}
<button class="primary large">Set up and sign in</button></form></article>`;
  return { title: 'Set up', body, width: 'narrow', status: typed.problems.length > 0 ? 422 : 200 };
}
