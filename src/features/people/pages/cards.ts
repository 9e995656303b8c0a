/** The cards for signing in, signing up, and links by mail. */
import type { FastifyReply } from 'fastify';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { addNext, renderNextField, toLanding } from '#ui/next.ts';
import {
  renderDoorFields,
  renderNewPasswordField,
  renderProblem,
  createTyped,
  type Typed,
} from './fields.ts';
import type { Site } from '#core/context.ts';
import type { Problem } from '#core/failures.ts';
import type { LinkRequestOutcome } from '../mailed-links.ts';

/** Sends a page to a person who is not signed in. */
export type ShowPage = (reply: FastifyReply, page: PageContent) => FastifyReply;

interface SignInView {
  readonly provider: { readonly name: string } | null;
  /** The page to show after signing in; empty for the first page. */
  readonly next: string;
  /** True when anybody may sign up. */
  readonly isOpen: boolean;
  readonly email?: string;
  readonly problem?: string | undefined;
  readonly status?: number;
}

export function renderSignInPage(view: SignInView): PageContent {
  const { provider, next, email = '', problem } = view;
  const body = markup`<article class="card door" aria-labelledby="sign-in">
<h1 id="sign-in">Sign in</h1>
<p class="lead">Order assays, follow them, and read the results with the curves behind them.</p>
${problem !== undefined && renderProblem(problem)}
<form method="post" action="/sign-in" class="fields">
${renderNextField(next)}
${renderDoorFields(['email', 'password'], createTyped({ email }))}
<button class="primary large">Sign in</button>
<p class="or"><span>or</span></p>
<div class="choices"><button class="large" formaction="/sign-in/mail">Send me a sign-in link</button>
${provider !== null && markup`<a class="button large" href="${addNext('/sign-in/provider', next)}">Continue with ${provider.name}</a>`}</div>
</form>
<div class="choices" data-passkey="sign-in" data-next="${toLanding(next)}" hidden><button type="button" class="large">Sign in with a passkey</button><p class="problem" role="alert"></p></div>
<p class="aside"><a href="${addNext('/password', next)}">Forgotten your password?</a>${view.isOpen && markup`<a href="${addNext('/sign-up', next)}">Create an account</a>`}</p>
</article>`;
  return {
    title: 'Sign in',
    body,
    width: 'narrow',
    scripts: ['passkeys'],
    ...(view.status === undefined ? {} : { status: view.status }),
  };
}

export function renderOpenLinkPage(secret: string): PageContent {
  const body = markup`<article class="card door" aria-labelledby="sign-in">
<h1 id="sign-in">Sign in to Assayer</h1>
<p>This link opens a session in this browser for 30 days. It works once.</p>
<form method="post" action="/sign-in/link/${encodeURIComponent(secret)}"><button class="primary large">Sign in</button></form>
</article>`;
  return { title: 'Sign in', body, width: 'narrow' };
}

/** Renders the page of a link that sets a password. */
export function renderNewPasswordPage(
  secret: string,
  email: string,
  problems: readonly Problem[] = [],
): PageContent {
  const body = markup`<article class="card door" aria-labelledby="new"><h1 id="new">Set a password</h1>
<p>For <strong><bdi>${email}</bdi></strong>. It ends every open session of the account and opens one here.</p>
<form method="post" action="/password/${encodeURIComponent(secret)}" class="fields">
${renderNewPasswordField(email, { problems })}
<button class="primary large">Set the password and sign in</button></form></article>`;
  return { title: 'Set a password', body, width: 'narrow', status: problems.length > 0 ? 422 : 200 };
}

/** The page of a link that was used or is too old; signing in by another way still ends at `next`. */
export function renderSpentLinkPage(next = ''): PageContent {
  const body = markup`<article class="card door" aria-labelledby="spent">
<h1 id="spent">This link no longer works</h1>
<p>It has been used before, or its time has passed. If you used it in this browser, <a href="${toLanding(next)}">you are signed in</a>.</p>
<p><a class="button" href="${addNext('/sign-in', next)}">Go to the sign-in page</a></p>
</article>`;
  return { title: 'Link no longer works', body, width: 'narrow', status: 410 };
}

const NO_MAIL = markup`<p>This service sends no mail. Ask the operator of the service for a link, which the command <code>assayer admin sign-in-link</code> makes.</p>`;

export function renderForgottenPage(mail: Site['mail'], next: string): PageContent {
  const form = markup`<p>We send you a link that sets a new one.</p>
<form method="post" action="/password" class="fields">${renderNextField(next)}${renderDoorFields(['email'], createTyped())}<button class="primary large">Send the link</button></form>`;
  return renderCard('Forgotten password', markup`${mail === 'none' ? NO_MAIL : form}${renderBack(next)}`);
}

export function renderSignUpPage(mail: Site['mail'], next: string): PageContent {
  const form = markup`<p class="lead">For you and your organization. We send a link to confirm your address; you choose a password then.</p>
<form method="post" action="/sign-up" class="fields">${renderNextField(next)}${renderDoorFields(['email', 'name', 'organization'], createTyped())}
<button class="primary large">Send me the link</button></form>
<p class="hint">If you have an invitation, use its link instead.</p>`;
  return renderCard('Create an account', markup`${mail === 'none' ? NO_MAIL : form}${renderBack(next)}`);
}

/** `email` is proven by the link, and not typed. */
export function finishSignUpPage(secret: string, email: string, typed: Typed): PageContent {
  const page = renderCard(
    'Finish signing up',
    markup`<p>Your address <strong><bdi>${email}</bdi></strong> is confirmed.</p>
<form method="post" action="/sign-up/${encodeURIComponent(secret)}" class="fields">
${renderDoorFields(['name', 'organization'], typed)}${renderNewPasswordField(email, typed)}
<button class="primary large">Create the account</button></form>`,
  );
  return { ...page, status: typed.problems.length > 0 ? 422 : 200 };
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

function renderCard(title: string, content: Markup): PageContent {
  const body = markup`<article class="card door" aria-labelledby="title"><h1 id="title">${title}</h1>${content}</article>`;
  return { title, body, width: 'narrow' };
}
