/** The cards for signing up and for links by mail. */
import type { Site } from '#core/context.ts';
import type { LinkRequestOutcome } from '../mailed-links.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { addNext, renderNextField } from '#ui/next.ts';
import { renderEmailField, renderNewPasswordField, renderProblem } from './fields.ts';

const NO_MAIL = markup`<p>This service sends no mail. Ask the operator of the service for a link, which the command <code>assayer admin sign-in-link</code> makes.</p>`;

export function renderForgottenPage(mail: Site['mail'], next: string): PageContent {
  const form = markup`<p>We send you a link that sets a new one.</p>
<form method="post" action="/password" class="fields">${renderNextField(next)}${renderEmailField('')}<button class="primary large">Send the link</button></form>`;
  return renderCard('Forgotten password', markup`${mail === 'none' ? NO_MAIL : form}${renderBack(next)}`);
}

export function renderSignUpPage(mail: Site['mail'], next: string): PageContent {
  const form = markup`<p class="lead">For you and your organization. We send a link to confirm your address; you choose a password then.</p>
<form method="post" action="/sign-up" class="fields">${renderNextField(next)}${renderEmailField('')}
${renderNameField('')}${renderOrganizationField('', undefined)}
<button class="primary large">Send me the link</button></form>
<p class="hint">If you have an invitation, use its link instead.</p>`;
  return renderCard('Create an account', markup`${mail === 'none' ? NO_MAIL : form}${renderBack(next)}`);
}

export interface SignUpFields {
  readonly email: string;
  readonly name: string;
  readonly organization: string;
}

export interface SignUpProblems {
  readonly organization?: string | undefined;
  readonly password?: string | undefined;
}

export function finishSignUpPage(
  secret: string,
  fields: SignUpFields,
  problems: SignUpProblems = {},
): PageContent {
  const page = renderCard(
    'Finish signing up',
    markup`<p>Your address <strong><bdi>${fields.email}</bdi></strong> is confirmed.</p>
<form method="post" action="/sign-up/${encodeURIComponent(secret)}" class="fields">
${renderNameField(fields.name)}${renderOrganizationField(fields.organization, problems.organization)}${renderNewPasswordField(problems.password, fields.email)}
<button class="primary large">Create the account</button></form>`,
  );
  const isRefused = problems.organization !== undefined || problems.password !== undefined;
  return { ...page, status: isRefused ? 422 : 200 };
}

export function renderLinkNoticePage(
  outcome: LinkRequestOutcome | 'no_mail',
  { email, next }: { readonly email: string; readonly next: string },
  hasMailbox: boolean,
): PageContent {
  const back = renderBack(next);
  if (outcome === 'no_mail') return renderCard('No mail service', markup`${NO_MAIL}${back}`);
  if (outcome === 'not_an_address') {
    const page = renderCard(
      'This is not an e-mail address',
      markup`<p>Check <bdi>${email.slice(0, 254)}</bdi> and try again.</p>${back}`,
    );
    return { ...page, status: 422 };
  }
  if (outcome === 'too_many') {
    const page = renderCard(
      'Wait a little',
      markup`<p>Several links have been requested already. Check your mail, or try again in an hour.</p>${back}`,
    );
    return { ...page, status: 429 };
  }
  return renderCard(
    'Check your mail',
    markup`<p>If <strong><bdi>${email}</bdi></strong> can be used here, a mail with a link is on its way. It takes a moment; check the spam folder, too.</p>
${hasMailbox && markup`<p><a class="button" href="/mailbox">Open the mailbox of this sandbox</a></p>`}${back}`,
  );
}

function renderBack(next: string): Markup {
  return markup`<p><a href="${addNext('/sign-in', next)}">Back to sign-in</a></p>`;
}

export function renderNameField(name: string): Markup {
  return markup`<div class="field"><label for="name">Your name</label><input id="name" type="text" name="name" value="${name}" maxlength="200" autocomplete="name"></div>`;
}

export function renderOrganizationField(name: string, problem: string | undefined): Markup {
  return markup`<div class="field${problem !== undefined && ' invalid'}"><label for="organization">Organization</label><input id="organization" type="text" name="organization" value="${name}" required maxlength="200" autocomplete="organization">${problem !== undefined && renderProblem(problem)}</div>`;
}

function renderCard(title: string, content: Markup): PageContent {
  const body = markup`<article class="card door" aria-labelledby="title"><h1 id="title">${title}</h1>${content}</article>`;
  return { title, body, width: 'narrow' };
}
