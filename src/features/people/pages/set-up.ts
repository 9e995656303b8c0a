/** The page that sets up a live environment. Opening it does not use it up. */
import { isEmail, normalizeEmail, findPasswordProblem } from '../rules.ts';
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
import { renderDoorField, renderNewPasswordField } from './fields.ts';
import { renderSpentLinkPage, type ShowPage } from './cards.ts';
import type { Routes } from '#ui/routes.ts';

const TEXT_LENGTH_MAX = 200;

export function addSetUpPages(routes: Routes, parts: PagesParts, show: ShowPage): void {
  const { work, database, people } = parts;
  const findLink = (secret: string) => findValidLink(work, database, { secret, purpose: 'set_up' });

  routes.get('/set-up/:secret', async (request, reply) => {
    const secret = getPathParameter(request, 'secret');
    if ((await findLink(secret)) === undefined) return show(reply, renderSpentLinkPage());
    return show(
      reply,
      renderSetUpPage(
        secret,
        { email: '', name: '', organization: work.site.letterhead.seller.name ?? '' },
        {},
      ),
    );
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
    const problems = {
      email: isEmail(fields.email) ? undefined : 'This is not an e-mail address.',
      organization: fields.organization === '' ? 'The lab needs a name.' : undefined,
      password: findPasswordProblem(password, fields.email),
    };
    if (Object.values(problems).some((problem) => problem !== undefined))
      return show(reply, renderSetUpPage(secret, fields, problems));
    const passwordHash = await people.hashPassword(password);
    const input = { secret, ...fields, passwordHash };
    const outcome = await database.runTransaction((tx) => setUp(work, people, tx, getOrigin(request), input));
    if (outcome === 'spent') return show(reply, renderSpentLinkPage());
    if (outcome === 'address_taken')
      return show(reply, renderSetUpPage(secret, fields, { email: 'This address already has an account.' }));
    setCookies(reply, outcome.cookies);
    return redirectAfterForm(reply, '/lab');
  });
}

interface Fields {
  readonly email: string;
  readonly name: string;
  readonly organization: string;
}

interface Problems {
  readonly email?: string | undefined;
  readonly organization?: string | undefined;
  readonly password?: string | undefined;
}

function renderSetUpPage(secret: string, fields: Fields, problems: Problems): PageContent {
  const body = markup`<article class="card door" aria-labelledby="set-up"><h1 id="set-up">Set up this lab</h1>
<p class="lead">You become its first administrator, and invite everybody else.</p>
<form method="post" action="/set-up/${encodeURIComponent(secret)}" class="fields">
${renderDoorField('email', fields.email, problems.email)}
${renderDoorField('name', fields.name)}${renderDoorField('organization', fields.organization, problems.organization)}
${renderNewPasswordField(problems.password, fields.email)}
<button class="primary large">Set up and sign in</button></form></article>`;
  const isRefused = Object.values(problems).some((problem) => problem !== undefined);
  return { title: 'Set up', body, width: 'narrow', status: isRefused ? 422 : 200 };
}
